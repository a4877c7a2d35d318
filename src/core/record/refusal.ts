import type { Claim, Holder, RefusalReason } from '../ports/lock-store.js';
import { defined } from '../values/defined.js';
import { holderOf, type LockRecord, readGrant, readRecord } from './lock-record.js';

/** What a refused acquire means, read off the record that refused it. */
export type Judgement =
  /** The record is this very attempt's: an earlier try was applied and its answer lost. */
  | { readonly kind: 'own'; readonly record: LockRecord }
  | { readonly kind: 'refused'; readonly why: { readonly reason: RefusalReason; readonly holder?: Holder } }
  /** Its holder has given the lock back, or its lease is over by the best clock there is. */
  | { readonly kind: 'expired'; readonly record: LockRecord }
  /** Nothing that a single writer following the protocol can have left; another try may fare better. */
  | { readonly kind: 'unexpected' };

/**
 * Judges in the order of docs/protocol.md, "Acquire".
 *
 * @param item the record as it was read, unchecked; undefined where no record exists
 * @param now the claim's own wall clock, which its pause clause was compared with
 * @param isExpired whether a `lockUntil` is over by the best clock there is
 * @throws CorruptLockError; of this attempt's own record only where it lacks what a grant counts on
 */
export function judgeRefusal(
  claim: Claim,
  item: Readonly<Record<string, unknown>> | undefined,
  now: number,
  isExpired: (lockUntil: number) => boolean,
): Judgement {
  if (item === undefined) return { kind: 'unexpected' };
  if (item['attemptId'] === claim.attemptId && item['state'] === 'held') {
    return { kind: 'own', record: readGrant(claim.name, item) };
  }
  const record = readRecord(claim.name, item);
  const refused = (reason: RefusalReason): Judgement => ({
    kind: 'refused',
    why: { reason, ...defined({ holder: holderOf(record) }) },
  });

  const { attemptId, state, lockUntil, pausedUntil, doneTick } = record;
  if (pausedUntil !== undefined && pausedUntil > now) return refused('paused');
  const done = doneReason(claim, doneTick);
  if (done) return refused(done);
  if (attemptId === claim.attemptId || lockUntil === undefined) return { kind: 'unexpected' };
  if (isGivenBack(record) || isExpired(lockUntil)) return { kind: 'expired', record };
  return refused(state === 'released' ? 'lock-at-least-for' : 'locked');
}

/**
 * Why the tick of a claim is refused; undefined while it is open. For good: the highest tick done only rises, so that
 * every late try of the same claim is refused as well, and needs no cancel.
 */
export function doneReason({ tickMs }: Claim, doneTick: unknown): 'already-executed' | 'stale-tick' | undefined {
  if (tickMs === undefined || typeof doneTick !== 'number' || doneTick < tickMs) return undefined;
  return doneTick === tickMs ? 'already-executed' : 'stale-tick';
}

/**
 * Whether nobody has the lock, whatever the clocks say: it was released without a hold, freed by force, or
 * deleted. Its `lockUntil` then only fences off acquires that were sent before.
 */
export function isGivenBack({ state, lockUntil, releasedAt }: LockRecord): boolean {
  return state === 'forced' || state === 'deleted' || (state === 'released' && lockUntil === releasedAt);
}
