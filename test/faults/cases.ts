import { FAULTS, type FaultRow } from './faults.js';
import { OPERATIONS, type Operation, type OperationName, TRY_MS } from './operations.js';
import { NAME } from './stage.js';
import type { StageOptions } from './stages.js';
import { type Cell, TABLE } from './table.js';

/** One cell of the table, as a case to play. */
export interface FaultCase {
  readonly title: string;
  readonly operation: OperationName;
  readonly row: FaultRow;
  readonly ever: boolean;
  readonly expected: Cell;
  readonly atLeastMs: number;
  readonly atMostMs: number;
}

/** Longer than the pause before a second try: src/core/request/try-loop.ts. */
const FIRST_PAUSE_MS = 50;
/** The time allowed for everything except waiting. */
const SLACK_MS = 750;
/** How long a client that retries by itself pauses before it sends a throttled request again. */
const CLIENT_PAUSE_MS = 1_000;
/** How much too early a case may seem to end: timers and budgets are read some instructions apart. */
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

/** The number in docs/faults.md of the failure that a case shows. */
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
    // A client that retries by itself does not say why it did, and may wait longer than a try.
    const [told, requests, record] = ever ? always.lost : once.lost;
    return [told, requests.replace(`${struck} ${struck}`, `${struck} ${struck} ${struck}?`), record];
  }
  const [told, ...left] = ever ? always[kind as keyof typeof always] : once[kind];
  const isCopied = copied !== undefined && typeof fault === 'object' && fault.kind === 'duplicate';
  const cell: Cell = [isCopied ? copied : told, ...left];
  return store === 'upstash' ? onRedis(cell) : cell;
}

/** The cell for Redis. There a takeover is an acquire, and a list also reads each lock that it has found. */
function onRedis([told, requests, record]: Cell): Cell {
  if (requests.includes('takeover'))
    return [told, requests.slice('acquire '.length).replaceAll('takeover', 'acquire'), record];
  if (told === NAME && requests.startsWith('list')) return [told, 'list+ get', record];
  return [told, requests, record];
}
