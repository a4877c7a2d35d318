import type { Claim, Completion, Lease } from '../ports/lock-store.js';
import { defined } from '../values/defined.js';
import { type Item, isInstant, type LockRecord } from './lock-record.js';

/*
 * Which ticks a record remembers as not done (docs/protocol.md, "Open ticks"). A tick is open when it is newer than
 * `doneTick`, or listed in `openTicks`. What is listed there was newer than `doneTick` when it was listed, and only its
 * own success takes it off, so no tick is done twice. `failedTicks` are newer than `doneTick` and need no list to be
 * open: they become `openTicks` when a newer tick is done. Each list is one text, so that a condition can look for a
 * tick in it.
 */

/** Each list keeps its newest ticks, so many. */
const MAX_LISTED = 8;
const RADIX = 36;

/** A tick as it stands in a list. */
export function listedTick(tickMs: number): string {
  return listOf([tickMs]);
}

/** The ticks of a list, ascending, as far as they can be read. */
export function ticksIn(list: unknown): number[] {
  if (typeof list !== 'string') return [];
  return list
    .split(',')
    .map((tick) => Number.parseInt(tick, RADIX))
    .filter(isInstant)
    .sort((a, b) => a - b);
}

/** Writes the newest of these ticks as a list, each once. */
export function listOf(ticksMs: readonly number[]): string {
  const newest = [...new Set(ticksMs)].sort((a, b) => a - b).slice(-MAX_LISTED);
  return `,${newest.map((tick) => `${tick.toString(RADIX)},`).join('')}`;
}

/** Whether a claim may run a tick that is older than the newest one done. A tick that is marked at its start may not. */
export function isListed({ tickMs, markTickAtStart }: Claim, { openTicks }: Item): boolean {
  return tickMs !== undefined && !markTickAtStart && String(openTicks).includes(listedTick(tickMs));
}

/** Every tick that a record has as not done, ascending. */
export function openTicksIn({ doneTick, openTicks, failedTicks }: Item): number[] {
  return [...ticksIn(openTicks), ...ticksIn(failedTicks).filter((tick) => !(tick <= Number(doneTick)))];
}

/** What a lease remembers of the ticks in a record. */
export function ticksOf(item: Item): Pick<Lease, 'doneTickMs' | 'openTicksMs' | 'failedTicksMs'> {
  const { doneTick, openTicks, failedTicks } = item;
  return defined({
    // Also where the rest of the record is corrupt: what is done must never be lowered.
    doneTickMs: typeof doneTick === 'number' ? doneTick : undefined,
    openTicksMs: openTicks === undefined ? undefined : ticksIn(openTicks),
    failedTicksMs: failedTicks === undefined ? undefined : ticksIn(failedTicks),
  });
}

/** The failed ticks of a record once the run that holds its lock has crashed, or is ended by force; undefined: as before. */
export function failedTicksAfterCrash({ state, tick, doneTick, failedTicks }: Item): string | undefined {
  const isOpen = isInstant(tick) && !(Number(tick) <= Number(doneTick));
  return state === 'held' && isOpen ? listOf([...ticksIn(failedTicks), Number(tick)]) : undefined;
}

/** What a release changes of the ticks that a record remembers. */
export function ticksAfterRun(
  { tickMs, doneTickMs = 0, openTicksMs = [], failedTicksMs = [] }: Lease,
  { markTickDone, markTickFailed = false, missedTicksMs = [] }: Completion,
): Pick<LockRecord, 'doneTick' | 'openTicks' | 'failedTicks'> {
  if (tickMs === undefined) return {};
  // An older version of this library marks a tick as done, and leaves it among those that failed.
  const failed = failedTicksMs.filter((tick) => tick > doneTickMs);
  if (!markTickDone) {
    const adds = markTickFailed && tickMs > doneTickMs;
    return adds ? changed({ failedTicks: listOf([...failed, tickMs]) }, { failedTicksMs }) : {};
  }
  const doneTick = Math.max(tickMs, doneTickMs);
  const passed = [...failed, ...missedTicksMs].filter((tick) => tick > doneTickMs && tick < tickMs);
  const open = openTicksMs.filter((tick) => tick !== tickMs);
  const lists = {
    openTicks: listOf([...open, ...passed]),
    failedTicks: listOf(failed.filter((tick) => tick > doneTick)),
  };
  return { doneTick, ...changed(lists, { openTicksMs, failedTicksMs }) };
}

/** Lists that a release need not write are left out: those that are as they were, and empty ones that are not there. */
function changed(
  lists: Pick<LockRecord, 'openTicks' | 'failedTicks'>,
  { openTicksMs = [], failedTicksMs = [] }: Pick<Lease, 'openTicksMs' | 'failedTicksMs'>,
): Pick<LockRecord, 'openTicks' | 'failedTicks'> {
  const { openTicks, failedTicks } = lists;
  return defined({
    openTicks: openTicks === listOf(openTicksMs) ? undefined : openTicks,
    failedTicks: failedTicks === listOf(failedTicksMs) ? undefined : failedTicks,
  });
}
