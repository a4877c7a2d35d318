import type { TickListing } from '../ports/lock-admin-store.js';
import { defined } from '../values/defined.js';
import { MOST_LISTED } from '../values/tick.js';
import type { Item, LockRecord } from './lock-record.js';
import { listOf, openTicksIn } from './open-ticks.js';
import { runsOf } from './run-ring.js';

/*
 * What an operator's listing makes of the ticks that a record remembers, the same in every store (docs/protocol.md,
 * "Backfill and forget"). It is for a lock that no run holds: a run that holds it writes the lists anew when it ends.
 */

/**
 * The ticks among these that a record does not know as done. It knows the newest one, and the own ones of the last ten
 * runs, but not those that a run has caught up with.
 */
export function notKnownAsDone(record: LockRecord, ticksMs: readonly number[]): number[] {
  const done = new Set([record.doneTick]);
  for (const { status, tickMs } of runsOf(record)) if (status === 'succeeded') done.add(tickMs);
  return ticksMs.filter((tick) => !done.has(tick));
}

/** Lists these ticks besides. The older ones are open from then on, and the newer ones once a newer one is done. */
export function listingWith(name: string, record: LockRecord, ticksMs: readonly number[]): TickListing {
  return listing(name, record, [...openTicksIn(record), ...ticksMs]);
}

/** Takes these ticks off the lists. */
export function listingWithout(name: string, record: LockRecord, ticksMs: readonly number[]): TickListing {
  const kept = openTicksIn(record).filter((tick) => !ticksMs.includes(tick));
  return listing(name, record, kept);
}

/** All that is listed from then on, parted at the newest tick that is done. */
function listing(name: string, record: LockRecord, ticksMs: readonly number[]): TickListing {
  const { fencingToken, doneTick, openTicks, failedTicks } = record;
  const doneMs = doneTick ?? 0;
  const older = ticksMs.filter((tick) => tick < doneMs);
  const newer = ticksMs.filter((tick) => tick > doneMs);
  return {
    name,
    openTicks: listOf(older, MOST_LISTED),
    failedTicks: listOf(newer, MOST_LISTED),
    seen: defined({ fencingToken, doneTick, openTicks, failedTicks }),
  };
}

/** Whether a lock has run, and is held by nobody. */
export function hasEnded({ state }: Item): boolean {
  return state === 'released' || state === 'forced';
}

/** Judges a listing by the record that it finds. `open`: it may write; `listed`: an earlier try of it was applied. */
export function judgeListing(listing: TickListing, item: Item = {}): 'open' | 'listed' | 'changed' {
  const { seen } = listing;
  const has = ({ openTicks, failedTicks }: TickListing['seen']) =>
    item['openTicks'] === openTicks && item['failedTicks'] === failedTicks;
  const isSame = hasEnded(item) && item['fencingToken'] === seen.fencingToken && item['doneTick'] === seen.doneTick;
  if (isSame && has(listing)) return 'listed';
  return isSame && has(seen) ? 'open' : 'changed';
}
