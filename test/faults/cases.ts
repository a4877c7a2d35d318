import { FAULTS, type FaultRow } from './faults.js';
import { OPERATIONS, type Operation, type OperationName, TRY_MS } from './operations.js';
import { NAME } from './stage.js';
import type { StageOptions } from './stages.js';
import { type Cell, TABLE } from './table.js';

/** One cell of the table, to be played. */
export interface FaultCase {
  readonly title: string;
  readonly operation: OperationName;
  readonly row: FaultRow;
  readonly ever: boolean;
  readonly expected: Cell;
  readonly atLeastMs: number;
  readonly atMostMs: number;
}

/** The pause before a second try is shorter: src/core/request/try-loop.ts. */
const FIRST_PAUSE_MS = 50;
/** For all that is no waiting. */
const SLACK_MS = 750;
/** A client that tries a throttled request again by itself waits so long before. */
const CLIENT_PAUSE_MS = 1_000;
/** Timers and budgets are read some instructions apart. */
const EARLY_MS = 20;

export function casesOf(options: StageOptions): FaultCase[] {
  const names = Object.keys(OPERATIONS) as OperationName[];
  return names.flatMap((operation) =>
    FAULTS[options.store].flatMap((row) => [
      caseOf(operation, row, false, options),
      ...(row.ever ? [caseOf(operation, row, true, options)] : []),
    ]),
  );
}

function caseOf(operation: OperationName, row: FaultRow, ever: boolean, options: StageOptions): FaultCase {
  const { tryMs = TRY_MS, everMs }: Operation = OPERATIONS[operation];
  const waitMs = row.atLeastMs === 'try' ? tryMs : (row.atLeastMs ?? 0);
  const clientMs = options.retriesItself && row.kind === 'throttled' ? CLIENT_PAUSE_MS : 0;
  return {
    title: `${failureShown(operation, row, ever)}${operation}: ${row.title}${ever ? ', every time' : ''}`,
    operation,
    row,
    ever,
    expected: expectedOf(operation, row, ever, options),
    atLeastMs: Math.max(0, Math.min(waitMs, everMs) - EARLY_MS),
    atMostMs: (ever ? everMs : waitMs + FIRST_PAUSE_MS + clientMs) + SLACK_MS,
  };
}

/** The row of the failure catalogue that a case shows. */
function failureShown(operation: OperationName, { kind, failure }: FaultRow, ever: boolean): string {
  if (operation === 'release') return ever ? 'F54 ' : kind === 'unheard' ? 'F53 ' : '';
  if (operation === 'extend') return kind === 'unheard' && !ever ? 'F35 ' : '';
  if (!/^(acquire|takeover)/.test(operation)) return '';
  if (ever && kind !== 'throttled') return 'F6 ';
  return failure === undefined ? '' : `${failure} `;
}

function expectedOf(operation: OperationName, row: FaultRow, ever: boolean, options: StageOptions): Cell {
  const { kind, fault } = row;
  const { struck, once, ever: always, copied } = TABLE[operation];
  const { store, retriesItself } = options;
  if (kind === 'throttled' && retriesItself) {
    // Such a client does not tell why it tried again, and may wait longer than a try.
    const [told, requests, record] = ever ? always.lost : once.lost;
    return [told, requests.replace(`${struck} ${struck}`, `${struck} ${struck} ${struck}?`), record];
  }
  const [told, ...left] = ever ? always[kind as keyof typeof always] : once[kind];
  const isCopied = copied !== undefined && typeof fault === 'object' && fault.kind === 'duplicate';
  const cell: Cell = [isCopied ? copied : told, ...left];
  return store === 'upstash' ? onRedis(cell) : cell;
}

/** On Redis an acquire is a takeover as well, and a list goes on to read each lock that it has found. */
function onRedis([told, requests, record]: Cell): Cell {
  if (requests.includes('takeover'))
    return [told, requests.slice('acquire '.length).replaceAll('takeover', 'acquire'), record];
  if (told === NAME && requests.startsWith('list')) return [told, 'list+ get', record];
  return [told, requests, record];
}
