import type { ForceRelease } from '../ports/lock-admin-store.js';
import type { Completion, Lease } from '../ports/lock-store.js';
import { defined } from '../values/defined.js';
import { isByHand } from '../values/names.js';
import { FOREVER_MS, type Item } from './lock-record.js';

/*
 * The last ten runs of a lock, kept in its record as `r0` to `r9` and written by the release itself, so that history
 * costs no request. A row is `status|tick|lockedAt|durationMs|token` in base 36, at most 36 bytes; a run that caught up
 * with older ticks adds `|count`. A run by hand has `!` as its tick. Readers sort by token. A run that crashed is
 * recorded by its successor's release, without a duration. The force release itself records the run that it ends.
 */

/** How many runs a record keeps. */
export const MOST_RUNS = 10;
/** The tick of a run by hand. */
export const NOW = '!';
const ROW = /^([sfcx])\|(!|[\da-z]*)\|([\da-z]+)\|([\da-z]*)\|([\da-z]+)(?:\|([\da-z]+))?$/;
const STATUS_LETTERS = { succeeded: 's', failed: 'f', crashed: 'c', forced: 'x' } as const;

/** One finished run, as the ring keeps it. */
export interface RingRun {
  readonly status: keyof typeof STATUS_LETTERS;
  readonly tickMs?: number;
  /** Whether it was a run by hand. */
  readonly isManual?: true;
  readonly lockedAtMs: number;
  readonly durationMs?: number;
  readonly fencingToken: number;
  /** How many ticks the run caught up with before its own. */
  readonly caughtUp?: number;
}

export type RingSlot = `r${number}`;

export function slotOf(fencingToken: number): RingSlot {
  return `r${fencingToken % MOST_RUNS}`;
}

/** Makes the rows that a release adds: the row of its own run, and the row of the previous run if that run crashed. */
export function linesOfRelease(
  { attemptId, fencingToken, lockedAtMs, tickMs, previous }: Lease,
  { result, durationMs, caughtUp }: Completion,
): { readonly crashed?: string; readonly own: string } {
  const ofOwn = defined({ tickMs, caughtUp, isManual: isByHand(attemptId) });
  return {
    ...(previous?.status === 'crashed' && { crashed: writeRow({ ...previous, status: 'crashed' }) }),
    own: writeRow({ status: result, lockedAtMs, durationMs, fencingToken, ...ofOwn }),
  };
}

/** Makes the rows that a release adds. Each key is the slot of the token in its row. */
export function rowsOfRelease(lease: Lease, completion: Completion): Record<RingSlot, string> {
  const { crashed, own } = linesOfRelease(lease, completion);
  return {
    ...(crashed !== undefined && lease.previous && { [slotOf(lease.previous.fencingToken)]: crashed }),
    [slotOf(lease.fencingToken)]: own,
  };
}

/** Makes the row that a force release at `forcedMs` adds for the run that it ends. */
export function rowOfForce(
  { fencingToken, lockedAtMs, tickMs, isManual }: ForceRelease,
  forcedMs: number,
): Record<RingSlot, string> {
  const durationMs = forcedMs - lockedAtMs;
  const row = writeRow({ status: 'forced', lockedAtMs, durationMs, fencingToken, ...defined({ tickMs, isManual }) });
  return { [slotOf(fencingToken)]: row };
}

/**
 * Whether a release of this lease was applied, by any try, even if another run has taken the lock since: the ring has
 * the row that the release wrote. A `crashed` row is no proof, because the next run's release writes it, and neither is
 * a `forced` row, which a force release writes.
 */
export function isReleasedBy({ fencingToken }: Pick<Lease, 'fencingToken'>, record: Item): boolean {
  const own = runsOf(record).find((run) => run.fencingToken === fencingToken);
  return own !== undefined && own.status !== 'crashed' && own.status !== 'forced';
}

/** Reads the runs in the ring, newest first. Leaves out rows that cannot be read. */
export function runsOf(record: Item): RingRun[] {
  const runs: RingRun[] = [];
  for (let slot = 0; slot < MOST_RUNS; slot++) {
    const run = readRow(record[`r${slot}`]);
    if (run) runs.push(run);
  }
  return runs.sort((a, b) => b.fencingToken - a.fencingToken);
}

function writeRow(run: RingRun): string {
  const { status, tickMs, lockedAtMs, durationMs, fencingToken, caughtUp } = run;
  const numbers = [lockedAtMs, durationMs, fencingToken, ...(caughtUp ? [caughtUp] : [])];
  const tick = tickMs?.toString(36) ?? (run.isManual ? NOW : '');
  return [STATUS_LETTERS[status], tick, ...numbers.map((n) => n?.toString(36) ?? '')].join('|');
}

function readRow(row: unknown): RingRun | undefined {
  const match = typeof row === 'string' ? ROW.exec(row) : null;
  if (!match) return undefined;
  const [, letter, ...numbers] = match;
  const isManual = numbers[0] === NOW || undefined;
  const [tickMs, lockedAtMs, durationMs, fencingToken, caughtUp] = numbers.map((n) =>
    n && n !== NOW ? Number.parseInt(n, 36) : undefined,
  );
  const status = (Object.keys(STATUS_LETTERS) as RingRun['status'][]).find((s) => STATUS_LETTERS[s] === letter);
  if (status === undefined || lockedAtMs === undefined || fencingToken === undefined) return undefined;
  const isShowable = [lockedAtMs, tickMs, durationMs, caughtUp].every((ms = 0) => ms <= FOREVER_MS);
  if (!isShowable || !Number.isSafeInteger(fencingToken)) return undefined;
  return {
    status,
    lockedAtMs,
    fencingToken,
    ...defined({ tickMs, isManual, durationMs, caughtUp }),
  };
}
