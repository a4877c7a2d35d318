import type { Completion, Lease } from '../../ports/lock-store.js';
import { ticksDropped } from '../../record/open-ticks.js';
import { MOST_LISTED } from '../../values/tick.js';
import type { Invocation } from '../invocation.js';
import { type CatchUpPlan, NOTHING } from './plan.js';

/*
 * The event `given-up`. It follows the write that takes open ticks off the record, also where the answer to that write
 * was lost. Such a tick may be named twice, but is never left out.
 */

/** @param dropped open ticks for which a list has no room, beside those that the plan gives up */
export function tellGivenUp(
  dropped: readonly number[],
  { givenUpTicksMs, othersGivenUp }: Pick<CatchUpPlan, 'givenUpTicksMs' | 'othersGivenUp'>,
  { tell }: Pick<Invocation, 'tell'>,
): void {
  const ticksMs = [...new Set([...givenUpTicksMs, ...dropped])].sort((a, b) => a - b);
  const named = ticksMs.slice(-MOST_LISTED);
  const others = othersGivenUp + ticksMs.length - named.length;
  if (named.length + others === 0) return;
  tell({ type: 'given-up', ticks: named.map((tick) => new Date(tick)), others });
}

/** What the grant has dropped, where it came after a crash. */
export function tellDroppedByGrant(lease: Lease, invocation: Invocation): void {
  if (!isFoundAgain(lease, invocation)) tellGivenUp(lease.droppedTicksMs ?? [], NOTHING, invocation);
}

/** What the release has dropped, and what the plan gives up unless a mark has told so. */
export function tellGivenUpByRelease(
  lease: Lease,
  completion: Completion,
  plan: CatchUpPlan,
  invocation: Invocation,
): void {
  const dropped = ticksDropped(lease, completion);
  if (completion.markTickDone) tellGivenUp(dropped, completion.caughtUp ? NOTHING : plan, invocation);
  else if (!isFoundAgain(lease, invocation)) tellGivenUp(dropped, NOTHING, invocation);
}

/** Whether a later run finds failed ticks by its schedule which no list has: those after the last one done. */
function isFoundAgain({ doneTickMs }: Lease, { policy }: Invocation): boolean {
  return doneTickMs !== undefined && typeof policy.schedule === 'object';
}
