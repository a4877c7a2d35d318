import type { Claim, Completion, DoneTick, Lease } from '../ports/lock-store.js';
import { defined } from '../values/defined.js';
import { ascending, MOST_LISTED } from '../values/tick.js';
import { type Item, isInstant, type LockRecord } from './lock-record.js';

/*
 * The ticks that a record remembers as not done (docs/protocol.md, "Open ticks"). A tick is open when it is newer than
 * `doneTick`, or listed in `openTicks`. A run adds to `openTicks` only ticks newer than `doneTick`, and a tick's own
 * success removes it, so no tick is done twice. The ticks in `failedTicks` are newer than `doneTick`, so they are open
 * already; they move to `openTicks` when a newer tick is done. Each list is one text, so that a condition can look for
 * a tick in it. For ticks that an operator lists, see operator.ts.
 */

/** A list keeps this many of its newest ticks, unless its writer asks for more. */
const KEPT = 8;
const RADIX = 36;

/** The tick that a claim is for, and whether its grant marks it as done. */
export type TickClaim = Pick<Claim, 'tickMs' | 'markTickAtStart'>;

type TickFields = Pick<LockRecord, 'doneTick' | 'openTicks' | 'failedTicks'>;

/** Writes a tick in the form that lists have: in base 36, between two commas. */
export function listedTick(tickMs: number): string {
  return `,${tickMs.toString(RADIX)},`;
}

/** Returns the readable ticks of a list, ascending. */
export function ticksIn(list: unknown): number[] {
  if (typeof list !== 'string') return [];
  return list
    .split(',')
    .map((tick) => Number.parseInt(tick, RADIX))
    .filter(isInstant)
    .sort((a, b) => a - b);
}

/** Writes the newest `keep` of these ticks as a list, each tick once. */
export function listOf(ticksMs: readonly number[], keep: number = KEPT): string {
  const newest = ascending(ticksMs).slice(-keep);
  return `,${newest.map((tick) => `${tick.toString(RADIX)},`).join('')}`;
}

/**
 * Returns the greatest length of a new list that is computed from `lists`. This is `KEPT`, or 100 if one of `lists` is
 * longer than `KEPT`, because a run must not cut off ticks that an operator listed.
 */
function mostOf(...lists: readonly (readonly number[])[]): number {
  return lists.some((ticksMs) => ticksMs.length > KEPT) ? MOST_LISTED : KEPT;
}

/**
 * Returns how many failed ticks a list keeps. Until a first tick is done, the list keeps 100 ticks, because before then
 * no schedule can find a dropped tick again.
 */
function mostFailed(failedTicksMs: readonly number[], doneTickMs: number): number {
  return doneTickMs === 0 ? MOST_LISTED : mostOf(failedTicksMs);
}

/**
 * Whether a claim may run although a newer tick is done: the record lists its tick, and the claim does not mark its
 * tick at the start.
 */
export function isListed({ tickMs, markTickAtStart }: TickClaim, { openTicks }: Item): boolean {
  return tickMs !== undefined && !markTickAtStart && String(openTicks).includes(listedTick(tickMs));
}

/** Returns every tick that a record lists as not done, ascending. */
export function openTicksIn({ doneTick, openTicks, failedTicks }: Item): number[] {
  return [...ticksIn(openTicks), ...ticksIn(failedTicks).filter((tick) => !(tick <= Number(doneTick)))];
}

/** Reads the ticks of a record into the fields of a lease. */
export function ticksOf(item: Item): Pick<Lease, 'doneTickMs' | 'openTicksMs' | 'failedTicksMs'> {
  const { doneTick, openTicks, failedTicks } = item;
  return defined({
    // Read `doneTick` even if the rest of the record is corrupt: the highest tick done must never go down.
    doneTickMs: typeof doneTick === 'number' ? doneTick : undefined,
    openTicksMs: openTicks === undefined ? undefined : ticksIn(openTicks),
    failedTicksMs: failedTicks === undefined ? undefined : ticksIn(failedTicks),
  });
}

/**
 * Returns the `failedTicks` of a record after the run that holds its lock has crashed or is ended by force: the tick of
 * that run is added. Returns undefined if the list does not change.
 */
export function failedTicksAfterCrash({ state, tick, doneTick, failedTicks }: Item): string | undefined {
  const isOpen = isInstant(tick) && !(Number(tick) <= Number(doneTick));
  const failed = ticksIn(failedTicks);
  if (state !== 'held' || !isOpen) return undefined;
  return listOf([...failed, Number(tick)], mostFailed(failed, Number(doneTick ?? 0)));
}

/** Returns the open ticks that a crash pushed out of `failedTicks`, because the list was full. */
export function ticksDroppedByCrash({ doneTick, failedTicks }: Item, after: string | undefined): number[] {
  if (after === undefined) return [];
  const kept = ticksIn(after);
  return ticksIn(failedTicks).filter((tick) => !kept.includes(tick) && !(tick <= Number(doneTick)));
}

/** Returns those of the fields `doneTick`, `openTicks` and `failedTicks` that a mark changes. */
export function ticksAfterMark(lease: Lease, { tickMs, ...changes }: DoneTick): TickFields {
  return ticksAfterRun({ ...lease, tickMs }, { markTickDone: true, ...changes });
}

/** Returns those of the fields `doneTick`, `openTicks` and `failedTicks` that a release changes. */
export function ticksAfterRun(
  { tickMs, doneTickMs = 0, openTicksMs = [], failedTicksMs = [] }: Lease,
  completion: Pick<Completion, 'markTickDone'> & Partial<Completion>,
): TickFields {
  if (tickMs === undefined) return {};
  const {
    markTickDone,
    markTickFailed = false,
    failedTickMs = tickMs,
    missedTicksMs = [],
    givenUpTicksMs = [],
    keepTicks = KEPT,
  } = completion;
  // The list can contain ticks that are done: after a mark at the start of a run, or a mark that got no answer.
  const failed = failedTicksMs.filter((tick) => tick > doneTickMs && !givenUpTicksMs.includes(tick));
  if (!markTickDone) {
    const begun = [tickMs, failedTickMs].filter((tick) => tick > doneTickMs);
    const adds = markTickFailed && begun.length > 0;
    const keep = mostFailed(failed, doneTickMs);
    return adds ? changed({ failedTicks: listOf([...failed, ...begun], keep) }, { failedTicksMs }) : {};
  }
  const doneTick = Math.max(tickMs, doneTickMs);
  // Cut the missed ticks first: a long gap must not push out ticks that an operator listed.
  const missed = missedTicksMs.filter((tick) => !failed.includes(tick)).slice(-keepTicks);
  const passed = [...failed, ...missed].filter((tick) => tick > doneTickMs && tick < tickMs);
  const open = openTicksMs.filter((tick) => tick !== tickMs && !givenUpTicksMs.includes(tick));
  const lists = {
    openTicks: listOf([...open, ...passed], Math.max(keepTicks, mostOf(openTicksMs, failed))),
    failedTicks: listOf(
      failed.filter((tick) => tick > doneTick),
      MOST_LISTED,
    ),
  };
  return { doneTick, ...changed(lists, { openTicksMs, failedTicksMs }) };
}

/** Returns the open ticks that a mark or a release drops because the lists are full. Ascending. */
export function ticksDropped(lease: Lease, end: Pick<Completion, 'markTickDone'> & Partial<Completion>): number[] {
  const { tickMs, doneTickMs = 0, openTicksMs = [], failedTicksMs = [] } = lease;
  if (tickMs === undefined) return [];
  const { markTickDone, markTickFailed, failedTickMs = tickMs, missedTicksMs = [], givenUpTicksMs = [] } = end;
  const begun = markTickFailed ? [tickMs, failedTickMs] : [];
  const newer = [...failedTicksMs, ...(markTickDone ? missedTicksMs : begun)].filter((tick) => tick > doneTickMs);
  const after = { openTicksMs, failedTicksMs, ...ticksOf(ticksAfterRun(lease, end)) };
  const kept = new Set([...after.openTicksMs, ...after.failedTicksMs, ...givenUpTicksMs]);
  if (markTickDone) kept.add(tickMs);
  return ascending([...openTicksMs, ...newer]).filter((tick) => !kept.has(tick));
}

/**
 * Returns the lists that must be written. Leaves out a list that stays the same, or that is empty if the record has
 * none.
 */
function changed(
  lists: Pick<TickFields, 'openTicks' | 'failedTicks'>,
  { openTicksMs = [], failedTicksMs = [] }: Pick<Lease, 'openTicksMs' | 'failedTicksMs'>,
): Pick<TickFields, 'openTicks' | 'failedTicks'> {
  const { openTicks, failedTicks } = lists;
  return defined({
    openTicks: openTicks === listOf(openTicksMs, MOST_LISTED) ? undefined : openTicks,
    failedTicks: failedTicks === listOf(failedTicksMs, MOST_LISTED) ? undefined : failedTicks,
  });
}
