import type { FaultRow } from './faults.js';
import { OPERATIONS, type Operation, type OperationName, TRY_MS } from './operations.js';
import type { Cell, Column } from './table.js';
import type { Client, Way } from './way.js';

/** One cell of the table, as a case to play. */
export interface FaultCase {
  readonly title: string;
  readonly operation: OperationName;
  readonly row: FaultRow;
  readonly ever: boolean;
  /** The verb whose requests are struck, or `read of` that verb. */
  readonly struck: string;
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

export function casesOf({ columnOf, faults }: Way, client: Client): FaultCase[] {
  const names = Object.keys(OPERATIONS) as OperationName[];
  return names.flatMap((operation) => {
    const column = columnOf(operation);
    if (column === undefined) return [];
    return faults.flatMap((row) => [
      caseOf({ operation, row, ever: false, column }, client),
      ...(row.ever ? [caseOf({ operation, row, ever: true, column }, client)] : []),
    ]);
  });
}

/** A cell of the table, before it is a case. */
interface Place extends Pick<FaultCase, 'operation' | 'row' | 'ever'> {
  readonly column: Column;
}

function caseOf(place: Place, client: Client): FaultCase {
  const { operation, row, ever, column } = place;
  const { tryMs = TRY_MS, everMs }: Operation = OPERATIONS[operation];
  const waitMs = row.atLeastMs === 'try' ? Math.min(tryMs, client.silenceMs ?? tryMs) : (row.atLeastMs ?? 0);
  const clientMs = client.retriesItself && row.kind === 'throttled' ? CLIENT_PAUSE_MS : 0;
  return {
    title: `${failureShown(operation, row, ever)}${operation}: ${row.title}${ever ? ', every time' : ''}`,
    operation,
    row,
    ever,
    struck: column.struck,
    expected: expectedOf(place, client),
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

function expectedOf({ row, ever, column }: Place, { retriesItself }: Client): Cell {
  const { kind, fault } = row;
  const { struck, once, ever: always, copied, twice } = column;
  if (kind === 'throttled' && retriesItself) {
    // A client that retries by itself does not say why it did, and may wait longer than a try.
    const [told, requests, record] = ever ? always.lost : once.lost;
    return [told, requests.replace(`${struck} ${struck}`, `${struck} ${struck} ${struck}?`), record];
  }
  const cell = ever ? always[kind as keyof typeof always] : once[kind];
  const isCopied = typeof fault === 'object' && fault.kind === 'duplicate';
  if (!isCopied) return cell;
  const [told, ...left] = twice ?? cell;
  return [copied ?? told, ...left];
}
