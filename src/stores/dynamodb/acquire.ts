import type { AcquireResult, Claim, ClockBounds, Granted, Lease, StoreCall } from '../../core/ports/lock-store.js';
import { CorruptLockError, LockStoreError } from '../../core/public/errors.js';
import { type Item, type LockRecord, readGrant } from '../../core/record/lock-record.js';
import { type Expired, isGivenBack, isHeldBy, judgeRefusal, refusedBy } from '../../core/record/refusal.js';
import { grantFields, leaseOf } from '../../core/record/transition.js';
import { type Note, settleAttempt } from '../../core/request/attempt.js';
import { answered } from '../../core/request/try-loop.js';
import { type Sent, sentNow } from '../../core/values/clock.js';
import { defined } from '../../core/values/defined.js';
import type { Reply } from './one-try.js';
import { acquireRequest, cancelRequest, PAD_MS, takeoverRequest, type UpdateRequest } from './requests.js';
import { capMono, type ResponseTime } from './response-time.js';
import type { LockTable, TableAnswer } from './table.js';

/** An acquire in progress. */
interface Attempt {
  readonly claim: Claim;
  readonly call: StoreCall;
  readonly update: (request: UpdateRequest, call: StoreCall) => Promise<TableAnswer<Reply>>;
  /** The instant of each of its writes. */
  readonly sends: Sent[];
  /** Bounds of this host's clock error, by the latest reply. */
  clock?: ClockBounds | undefined;
  /** The `lockUntil` of the lease that it takes over. */
  fenceMs?: number | undefined;
}

/**
 * One conditional write. If the first is refused by a lock that turns out to be free, a second one takes it over. A
 * third makes sure that an attempt without a known result owns nothing. The attempt is recognised by its id, whichever
 * of its tries was applied.
 */
export async function acquire(table: LockTable, claim: Claim, call: StoreCall): Promise<AcquireResult> {
  const { name, attemptId } = claim;
  const update: Attempt['update'] = (request, of) => table.update({ operation: 'acquire', name, request }, of);
  const attempt: Attempt = { claim, call, update, sends: [] };
  const result = await settleAttempt(claim, call, {
    acquire: (note) => acquireOrTakeOver(attempt, note),
    // 3. Cancel.
    cancel: (cancelCall) => update(cancelRequest(attemptId), cancelCall),
    own: ({ applied, item = {}, time }) =>
      !applied && isHeldBy(claim, item) ? ownGrant(attempt, readGrant(name, item), time) : undefined,
  });
  return { ...result, ...defined({ clock: attempt.clock }) };
}

async function acquireOrTakeOver(attempt: Attempt, note: Note): Promise<AcquireResult> {
  const { claim, call } = attempt;
  const endMono = call.clock.monotonic() + call.budgetMs;

  // 1. Acquire.
  const first = await write(attempt, note, (nowMs) => acquireRequest(claim, nowMs), call.budgetMs);
  if (first.status !== 'expired') return first;

  // 2. Take over, once, a lock that was released, or whose lease has ended by the server's clock.
  const { record } = first;
  const clockUnverified = attempt.clock === undefined && !isGivenBack(record);
  attempt.fenceMs = record.lockUntil;
  // It gets a whole try, even if the first write has used up the budget.
  const budgetMs = Math.max(Math.min(call.tryMs, call.budgetMs), endMono - call.clock.monotonic());
  const second = await write(attempt, note, (nowMs) => takeoverRequest(claim, nowMs, record), budgetMs);
  // Somebody else was faster.
  if (second.status === 'expired') return refusedBy(second.record, 'locked');
  return second.status === 'acquired' && clockUnverified ? { ...second, clockUnverified } : second;
}

/** @throws LockStoreError, CorruptLockError */
async function write(
  attempt: Attempt,
  note: Note,
  requestAt: (nowMs: number) => UpdateRequest,
  budgetMs: number,
): Promise<AcquireResult | Expired> {
  const { claim, call } = attempt;
  const sent = sentNow(call.clock);
  attempt.sends.push(sent);
  const answer = await attempt.update(requestAt(sent.firstSentWall), { ...call, budgetMs });
  note(answer, 'value' in answer && !answer.value.applied ? answer.value.item : undefined);
  const { applied, item, time } = answered(answer);
  attempt.clock = time.clock ?? attempt.clock;
  if (applied) return granted(attempt, newLease(claim, sent, item), time);

  const now = sent.firstSentWall;
  const judgement = judgeRefusal(claim, item, now, (lockUntil) =>
    time.serverMs === undefined ? lockUntil + call.maxClockSkewMs <= now : lockUntil <= time.serverMs,
  );
  switch (judgement.status) {
    case 'own':
      return ownGrant(attempt, judgement.record, time);
    case 'unexpected':
      throw unexpected(claim.name);
    default:
      return judgement;
  }
}

/** The lease of a write that was applied, from the item before it. @throws CorruptLockError */
function newLease(claim: Claim, sent: Sent, before: Item = {}): Lease {
  const now = sent.firstSentWall;
  const oldToken = before['fencingToken'];
  // The server has just counted it, so it is a number, however the user's client wraps numbers.
  const fencingToken = (oldToken === undefined ? now : Number(String(oldToken))) + 1;
  if (!Number.isSafeInteger(fencingToken) || fencingToken < 1) {
    throw new CorruptLockError(claim.name, 'fencingToken', 'not a countable number');
  }
  const written = { ...grantFields(claim, now, now + claim.leaseMs + PAD_MS, before), fencingToken };
  return leaseOf(claim, written, sent, before);
}

/** The grant that this attempt already has, by its own record. */
function ownGrant(attempt: Attempt, record: LockRecord, time: ResponseTime): Granted {
  const { claim, sends } = attempt;
  // The instant in the record shows which write was applied.
  const sent = sends.find(({ firstSentWall }) => firstSentWall === record.lockedAt) ?? (sends[0] as Sent);
  return granted(attempt, leaseOf(claim, record, sent), time);
}

function granted({ fenceMs }: Attempt, lease: Lease, time: ResponseTime): Granted {
  return { status: 'acquired', lease: { ...lease, ...defined({ fenceMs }) }, ...capMono(lease.lockUntilMs, time) };
}

function unexpected(name: string): LockStoreError {
  return new LockStoreError(
    `acquire of lock "${name}" failed: its record refuses a write that it should allow, as after an edit by hand or a late answer; try again`,
    { code: 'UNAVAILABLE', lockName: name, operation: 'acquire', retryable: true },
  );
}
