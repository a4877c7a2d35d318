import { resolveSchedule } from '../core/options/policy.js';
import type { LockAdminStore, TickListing } from '../core/ports/lock-admin-store.js';
import type { StoreCall } from '../core/ports/lock-store.js';
import { LockHeldError, LockStoreError } from '../core/public/errors.js';
import { publicHolder } from '../core/public/outcome.js';
import { FOREVER_MS, holderOf, type LockRecord } from '../core/record/lock-record.js';
import { openTicksIn } from '../core/record/open-ticks.js';
import { hasEnded, listingWith, listingWithout, notKnownAsDone } from '../core/record/operator.js';
import { checkKnown, describe, namesOf } from '../core/values/checks.js';
import type { Clock } from '../core/values/clock.js';
import type { Duration } from '../core/values/duration.js';
import { atOnce } from '../core/values/promised.js';
import { EARLIEST_MS, type Interval, isTimed, MOST_LISTED, msOf, type Schedule } from '../core/values/tick.js';

/** The operators' verbs for the open ticks of a lock. */
export interface TickVerbs {
  /**
   * Lists the due ticks of a schedule, from `from` to `to`, as open, and resolves to them. Leaves out ticks that the
   * record shows as done: the newest tick done, and the own ticks of runs that succeeded among the last ten. The record
   * does not show whether an older tick is done, or whether a run caught up with a tick: pass a range whose ticks
   * should all run.
   *
   * @throws LockHeldError while a run holds the lock, or died while it held it
   * @throws RangeError for a lock that has not run, and if more than 100 ticks would be listed; nothing is changed
   */
  backfill(name: string, range: TickRange): Promise<Date[]>;
  /**
   * Takes open ticks off the list. Those older than the newest tick done are given up: from then on, a call for one of
   * them is skipped as `stale-tick`. A tick newer than the newest tick done cannot be given up yet, listed or not: a
   * call for it still runs, until a newer tick is done.
   *
   * @throws LockHeldError while a run holds the lock, or died while it held it
   */
  forget(name: string, ticks: readonly (Date | number)[]): Promise<ForgetResult>;
}

/** What a `forget` has changed, and what it could not change. */
export interface ForgetResult {
  /** Ticks that were listed and are given up, oldest first. A call for one of them is skipped as `stale-tick`. */
  readonly givenUp: Date[];
  /**
   * Those of the passed ticks that are newer than the newest tick done, oldest first. They are off the list, but a call
   * for one of them still runs, until a newer tick is done.
   */
  readonly stillRun: Date[];
}

interface Lists {
  readonly store: LockAdminStore;
  readonly clock: Clock;
  call(): StoreCall;
  /** The record of a lock; empty if the name has none. */
  read(name: string): Promise<LockRecord>;
}

interface Change<T> {
  /** The lists to write; undefined if they stay as they are. */
  readonly listing: TickListing | undefined;
  readonly result: T;
}

/** How often a lock is read if others keep writing to it. */
const MOST_LOOKS = 5;

export function tickVerbs(lists: Lists): TickVerbs {
  return {
    async backfill(name, range) {
      const ticksMs = ticksInRange(range, lists.clock.now());
      return change(lists, 'backfill', name, (record) => additionOf(name, record, ticksMs));
    },

    async forget(name, ticks) {
      const given = ticksGiven(ticks);
      return change(lists, 'forget', name, (record) => removalOf(name, record, given));
    },
  };
}

function removalOf(name: string, record: LockRecord, givenMs: readonly number[]): Change<ForgetResult> {
  const { doneTick = Number.NEGATIVE_INFINITY } = record;
  const listed = openTicksIn(record).filter((tick) => givenMs.includes(tick));
  const newer = [...new Set(givenMs)].filter((tick) => tick > doneTick).sort((a, b) => a - b);
  return {
    listing: listed.length > 0 ? listingWithout(name, record, listed) : undefined,
    result: { givenUp: datesOf(listed.filter((tick) => !newer.includes(tick))), stillRun: datesOf(newer) },
  };
}

function additionOf(name: string, record: LockRecord, ticksMs: readonly number[]): Change<Date[]> {
  if (!hasEnded(record)) {
    throw new RangeError(
      `name is ${describe(name)}: this lock has not run; check the name, or let the job run once before a backfill`,
    );
  }
  const unlisted = notKnownAsDone(record, ticksMs);
  const listed = openTicksIn(record);
  if (new Set([...listed, ...unlisted]).size > MOST_LISTED) {
    throw new RangeError(
      `backfill of lock "${name}" refused: it lists at most ${MOST_LISTED} ticks, and has ${listed.length} already; pass a shorter time between from and to`,
    );
  }
  return { listing: unlisted.length > 0 ? listingWith(name, record, unlisted) : undefined, result: datesOf(unlisted) };
}

/** Changes the lists of a lock that nobody holds. Reads it again if it has changed before the write. */
async function change<T>(
  { store, call, read }: Lists,
  operation: keyof TickVerbs,
  name: string,
  changeOf: (record: LockRecord) => Change<T>,
): Promise<T> {
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const record = await read(name);
    if (record.state === 'held') throw heldError(operation, name, record);
    const { listing, result } = changeOf(record);
    if (listing === undefined || (await store.listTicks(listing, call())) === 'listed') return result;
  }
  throw new LockStoreError(`${operation} of lock "${name}" failed: it kept changing; try again`, {
    code: 'UNAVAILABLE',
    lockName: name,
    operation: 'listTicks',
    retryable: true,
  });
}

/**
 * The error for a lock that its holder has not released, even if the lease has ended: the holder may be late, and a
 * takeover computes its lists from those of the record.
 */
function heldError(operation: keyof TickVerbs, name: string, record: LockRecord): LockHeldError {
  const holder = holderOf(record);
  const skipped = {
    status: 'skipped',
    name,
    reason: 'locked',
    ...(holder && { holder: publicHolder(holder) }),
  } as const;
  const remedy = 'try again once that run has ended; if it died, wait for the next run, or end it with forceRelease';
  return new LockHeldError(skipped, { operation, remedy });
}

/** Ticks of a schedule, as an operator names them. */
export interface TickRange {
  /** The first instant, inclusive. Epoch milliseconds if a number. */
  readonly from: Date | number;
  /** The end, exclusive. Epoch milliseconds if a number. */
  readonly to: Date | number;
  /** The schedule of the job. A duration, and a `rate` without `start`, count from `from`. */
  readonly schedule: Schedule | Duration;
}

const OPTIONS = namesOf<TickRange>({ from: true, to: true, schedule: true });
/** The most due ticks that are read. If a range has that many, too many are open, whichever of them are done. */
const MOST_READ = 2 * MOST_LISTED;

/**
 * The ticks in a range that are due, ascending.
 *
 * @throws TypeError, RangeError for an invalid range
 */
function ticksInRange(range: TickRange, nowMs: number): number[] {
  checkKnown(range, OPTIONS, 'backfill');
  const [fromMs, toMs] = [instantOf('from', range.from), instantOf('to', range.to)];
  if (fromMs < EARLIEST_MS) {
    throw new RangeError(
      `from is ${shown(fromMs)}, before 2015: pass a later one; a number must be epoch milliseconds`,
    );
  }
  if (fromMs >= toMs) throw new RangeError(`from is ${shown(fromMs)}, and to is ${shown(toMs)}: pass a later to`);
  const schedule = resolveSchedule(range.schedule);
  if (schedule === undefined) {
    throw new TypeError("schedule is undefined: pass the job's, such as cron('0 9 * * *')");
  }
  const endMs = Math.min(toMs, Math.floor(nowMs) + 1);
  return ticksOf(schedule, fromMs, endMs).filter((tick) => tick >= fromMs && tick < endMs);
}

function ticksOf(schedule: Schedule | Interval, fromMs: number, endMs: number): number[] {
  if (isTimed(schedule)) {
    const ticks = schedule.between(new Date(fromMs), new Date(endMs), { max: MOST_READ });
    return atOnce(ticks, 'schedule.between').map((tick) => tick.getTime());
  }
  return Array.from({ length: MOST_READ }, (_, n) => fromMs + n * schedule.everyMs);
}

/** @throws TypeError, RangeError for values that are not instants */
function ticksGiven(ticks: readonly (Date | number)[]): number[] {
  if (Array.isArray(ticks)) return ticks.map((tick, place) => instantOf(`ticks[${place}]`, tick));
  throw new TypeError(`ticks is ${describe(ticks)}: pass an array of Dates, as open returns`);
}

function instantOf(option: string, value: unknown): number {
  const ms = msOf(value);
  if (typeof ms === 'number' && Number.isSafeInteger(ms) && Math.abs(ms) <= FOREVER_MS) return ms;
  throw new RangeError(`${option} is ${describe(value)}: pass a Date, or epoch milliseconds`);
}

function datesOf(ticksMs: readonly number[]): Date[] {
  return ticksMs.map((tick) => new Date(tick));
}

function shown(ms: number): string {
  return new Date(ms).toISOString();
}
