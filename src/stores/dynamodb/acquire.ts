import type { AcquireResult, Claim, ClockBounds, Granted, Refused, StoreCall } from '../../core/ports/lock-store.js';
import { CorruptLockError, LockStoreError } from '../../core/public/errors.js';
import { holderOf, type LockRecord, pastRecord } from '../../core/record/lock-record.js';
import { doneReason, isGivenBack, judgeRefusal } from '../../core/record/refusal.js';
import { grantFields, leaseOf } from '../../core/record/transition.js';
import { cancelCall, unsettledAttempt } from '../../core/request/unsettled-attempt.js';
import { defined } from '../../core/values/defined.js';
import { type Sent, sentNow } from '../../core/values/sent.js';
import { failureOf } from './errors.js';
import type { Item } from './item.js';
import { acquireRequest, cancelRequest, PAD_MS, takeoverRequest, type UpdateRequest } from './requests.js';
import { capMono } from './response-time.js';
import type { LockTable, Reply } from './table.js';

/** What one write of an acquire has come to. */
type Verdict =
  | { readonly kind: 'granted'; readonly granted: Granted }
  | { readonly kind: 'refused'; readonly why: Pick<Refused, 'reason' | 'holder'> }
  | { readonly kind: 'expired'; readonly record: LockRecord; readonly clockUnverified: boolean }
  | { readonly kind: 'failed'; readonly error: LockStoreError | CorruptLockError };

/**
 * One conditional write. A second one takes over what the condition of the first does not show to be free. A third makes
 * sure that an attempt whose fate is unknown owns nothing. The attempt is recognised by its id, whichever of its tries
 * was applied.
 */
export async function acquire(table: LockTable, claim: Claim, call: StoreCall): Promise<AcquireResult> {
  const key = table.keyOf(claim.name, 'acquire');
  const endMono = call.clock.monotonic() + call.budgetMs;
  const sends: Sent[] = [];
  let ambiguous = false;
  let isDone = false;
  let clock: ClockBounds | undefined;
  let fenceMs: number | undefined;

  const write = async (requestAt: (nowMs: number) => UpdateRequest, budgetMs: number): Promise<Verdict> => {
    const sent = sentNow(call.clock);
    sends.push(sent);
    const answer = await table.update(key, requestAt(sent.firstSentWall), { ...call, budgetMs });
    ambiguous ||= answer.ambiguous;
    if ('error' in answer) return failed(failureOf(answer.error, 'acquire', claim.name, table.tableName));
    clock = answer.value.time.clock ?? clock;
    isDone = !answer.value.applied && doneReason(claim, answer.value.item?.['doneTick']) !== undefined;
    return answer.value.applied ? grantedNow(claim, answer.value, sent) : judge(claim, answer.value, sends, call);
  };

  // 1. Acquire.
  let verdict = await write((nowMs) => acquireRequest(claim, nowMs), call.budgetMs);

  // 2. Take over, once, what was given back or is over by the server's clock. Refused again: somebody was faster.
  if (verdict.kind === 'expired') {
    const { record, clockUnverified } = verdict;
    fenceMs = record.lockUntil;
    // It gets a whole try, even where the first write has used up the budget.
    const budgetMs = Math.max(Math.min(call.tryMs, call.budgetMs), endMono - call.clock.monotonic());
    verdict = await write((nowMs) => takeoverRequest(claim, nowMs, record), budgetMs);
    if (verdict.kind === 'granted' && clockUnverified) {
      verdict = { kind: 'granted', granted: { ...verdict.granted, clockUnverified } };
    }
  }

  // 3. Cancel, when a write that went unanswered may yet be applied, which that of a done tick is not.
  if (verdict.kind !== 'granted' && ambiguous && !isDone) {
    const answer = await table.update(key, cancelRequest(claim.attemptId), cancelCall(call));
    if ('error' in answer) {
      // What is known for sure is told first.
      throw verdict.kind === 'failed' ? verdict.error : unsettledAttempt(claim.name, answer.error);
    }
    if (!answer.value.applied && isOwn(claim, answer.value.item)) verdict = judge(claim, answer.value, sends, call);
  }

  if (verdict.kind === 'granted') {
    const { granted } = verdict;
    return { ...granted, lease: { ...granted.lease, ...defined({ fenceMs }) }, ...defined({ clock }) };
  }
  if (verdict.kind === 'failed') throw verdict.error;
  const why =
    verdict.kind === 'refused'
      ? verdict.why
      : { reason: 'locked' as const, ...defined({ holder: holderOf(verdict.record) }) };
  return { status: 'refused', ...why, ...defined({ clock }) };
}

function grantedNow(claim: Claim, { item = {}, sentMono, time }: Reply, sent: Sent): Verdict {
  const now = sent.firstSentWall;
  const oldToken = item['fencingToken'];
  // Counted by the server just now, so it is a number, however the user's client wraps numbers.
  const fencingToken = (oldToken === undefined ? now : Number(String(oldToken))) + 1;
  if (!Number.isSafeInteger(fencingToken) || fencingToken < 1) {
    return {
      kind: 'failed',
      error: new CorruptLockError(claim.name, 'fencingToken', 'no number that can be counted up'),
    };
  }
  const written = { ...grantFields(claim, now, now + claim.leaseMs + PAD_MS), fencingToken };
  const lease = leaseOf(claim, written, sent, pastRecord(claim.name, item));
  return { kind: 'granted', granted: { status: 'acquired', lease, ...capMono(sentMono, lease.lockUntilMs, time) } };
}

function judge(claim: Claim, { item, sentMono, time }: Reply, sends: readonly Sent[], call: StoreCall): Verdict {
  const now = sends.at(-1)?.firstSentWall ?? call.clock.now();
  const isExpired = (lockUntil: number) =>
    time.serverMs === undefined ? lockUntil + call.maxClockSkewMs <= now : lockUntil <= time.serverMs;
  try {
    const judgement = judgeRefusal(claim, item, now, isExpired);
    switch (judgement.kind) {
      case 'own': {
        // The write that was applied is known by the instant it carried.
        const { record } = judgement;
        const sent = sends.find(({ firstSentWall }) => firstSentWall === record.lockedAt) ?? (sends[0] as Sent);
        const lease = leaseOf(claim, record, sent);
        return {
          kind: 'granted',
          granted: { status: 'acquired', lease, ...capMono(sentMono, lease.lockUntilMs, time) },
        };
      }
      case 'refused':
        return judgement;
      case 'expired':
        return { ...judgement, clockUnverified: time.serverMs === undefined && !isGivenBack(judgement.record) };
      case 'unexpected':
        return failed(unexpected(claim.name));
    }
  } catch (error) {
    if (error instanceof CorruptLockError) return failed(error);
    throw error;
  }
}

function isOwn(claim: Claim, item: Item | undefined): boolean {
  return item?.['attemptId'] === claim.attemptId && item['state'] === 'held';
}

function failed(error: LockStoreError | CorruptLockError): Verdict {
  return { kind: 'failed', error };
}

function unexpected(name: string): LockStoreError {
  return new LockStoreError(
    `acquire of lock "${name}" failed: its record refuses a write that it ought to allow, as after an edit by hand or a late answer; try again`,
    { code: 'UNAVAILABLE', lockName: name, operation: 'acquire', retryable: true },
  );
}
