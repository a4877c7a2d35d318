import type {
  AcquireResult,
  Claim,
  Completion,
  ExtendResult,
  Lease,
  LockStore,
  ReleaseResult,
  StoreCall,
} from '../../core/ports/lock-store.js';
import type { CheckIn, MemberList, MemberStore } from '../../core/ports/member-store.js';
import { MAX_ERROR_BYTES, pastRecord, readGrant } from '../../core/record/lock-record.js';
import { memberAttribute, readMemberList } from '../../core/record/member-list.js';
import { doneReason, judgeRefusal } from '../../core/record/refusal.js';
import { hasRun, linesOfRelease } from '../../core/record/run-ring.js';
import { grantFields, leaseOf } from '../../core/record/transition.js';
import { cancelCall, endedAttempt, unsettledAttempt } from '../../core/request/unsettled-attempt.js';
import { memberListName } from '../../core/values/lock-name.js';
import type { Sent } from '../../core/values/sent.js';
import { truncateUtf8 } from '../../core/values/utf8.js';
import type { RedisConnection } from './connection.js';
import type { RedisReply } from './reply.js';
import { ACQUIRE, CANCEL, CHECK_IN, EXTEND, RELEASE } from './scripts.js';

/**
 * Locks in a Redis: one hash a lock name, one script a verb. All time is the server's, so that an expired lock is taken
 * over by the acquire itself. Holds while no acknowledged write is lost: not over a failover to a replica that lags,
 * an eviction, or a flush.
 */
export function redisLock(redis: RedisConnection): LockStore & MemberStore {
  return {
    acquire: (claim, call) => acquire(redis, claim, call),
    extend: (lease, to, call) => extend(redis, lease, to.leaseMs, call),
    release: (lease, completion, call) => release(redis, lease, completion, call),
    checkIn: (checkIn, call) => enlist(redis, checkIn, call),
  };
}

async function acquire(redis: RedisConnection, claim: Claim, call: StoreCall): Promise<AcquireResult> {
  const { name, attemptId, leaseMs, lockedBy, tickMs = '', markTickAtStart } = claim;
  const about = { operation: 'acquire', name } as const;

  // 1. Acquire, which takes over what is expired as well.
  const args = [attemptId, leaseMs, lockedBy, tickMs, markTickAtStart ? '1' : ''];
  const words = ['granted', 'own', 'refused'] as const;
  const answer = await redis.run({ ...about, script: ACQUIRE, args, words }, call);
  if ('reply' in answer && answer.reply.word !== 'refused') {
    const { reply, clock, sent } = answer;
    return {
      status: 'acquired',
      lease: reply.word === 'own' ? own(claim, reply, sent) : granted(claim, reply, sent),
      clock,
    };
  }

  // 2. Cancel, when a try that went unanswered may yet be applied, which that of a done tick is not.
  const isDone = 'reply' in answer && doneReason(claim, answer.reply.item?.['doneTick']) !== undefined;
  if (answer.ambiguous && !isDone) {
    const order = { ...about, script: CANCEL, args: [attemptId], words: ['own', 'cancelled'] as const };
    const cancelled = await redis.run(order, cancelCall(call));
    if ('error' in cancelled) throw 'error' in answer ? answer.error : unsettledAttempt(name, cancelled.error.cause);
    const { reply, clock } = cancelled;
    // What is ambiguous was sent.
    if (reply.word === 'own') return { status: 'acquired', lease: own(claim, reply, answer.sent as Sent), clock };
  }

  if ('error' in answer) throw answer.error;
  const { reply, clock } = answer;
  const judgement = judgeRefusal(claim, reply.item, reply.nowMs, (lockUntil) => lockUntil <= reply.nowMs);
  if (judgement.kind === 'refused') return { status: 'refused', ...judgement.why, clock };
  throw endedAttempt(name);
}

function granted(claim: Claim, { item = {}, nowMs, number }: RedisReply, sent: Sent): Lease {
  const written = { ...grantFields(claim, nowMs, nowMs + claim.leaseMs), fencingToken: number };
  return leaseOf(claim, written, sent, pastRecord(claim.name, item));
}

/** @throws LockStoreError for an answer that is none, with the record of another; CorruptLockError */
function own(claim: Claim, { item = {} }: RedisReply, sent: Sent): Lease {
  if (item['attemptId'] !== claim.attemptId) throw endedAttempt(claim.name);
  return leaseOf(claim, readGrant(claim.name, item), sent);
}

async function extend(redis: RedisConnection, lease: Lease, leaseMs: number, call: StoreCall): Promise<ExtendResult> {
  const { name, attemptId } = lease;
  const words = ['extended', 'lost'] as const;
  const answer = await redis.run(
    { script: EXTEND, operation: 'extend', name, args: [attemptId, leaseMs], words },
    call,
  );
  if ('error' in answer) throw answer.error;
  const { sent, reply } = answer;
  return reply.word === 'lost' ? { status: 'lost' } : { status: 'extended', lockUntilMs: reply.number, ...sent };
}

async function release(
  redis: RedisConnection,
  lease: Lease,
  completion: Completion,
  call: StoreCall,
): Promise<ReleaseResult> {
  const { name, attemptId, fencingToken, tickMs } = lease;
  const { result, error = '', lockAtLeastForMs, markTickDone } = completion;
  const { own: line, crashed = '' } = linesOfRelease(lease, completion);
  const doneTick = markTickDone && tickMs !== undefined ? tickMs : '';
  const args = [attemptId, result, truncateUtf8(error, MAX_ERROR_BYTES), lockAtLeastForMs, doneTick, line, crashed];
  const words = ['released', 'other'] as const;
  const answer = await redis.run({ script: RELEASE, operation: 'release', name, args, words }, call);
  if ('error' in answer) throw answer.error;
  // Not held, and yet released: an earlier try was applied, and a successor came since.
  if (answer.reply.word === 'released' || hasRun(answer.reply.item ?? {}, fencingToken)) return 'released';
  return answer.ambiguous ? 'unknown' : 'lost';
}

async function enlist(
  redis: RedisConnection,
  { group, member, forget }: CheckIn,
  call: StoreCall,
): Promise<MemberList> {
  const args = [member === undefined ? '' : memberAttribute(member), ...forget.map(memberAttribute)];
  const order = {
    script: CHECK_IN,
    operation: 'checkIn',
    name: memberListName(group),
    args,
    words: ['listed'],
  } as const;
  const answer = await redis.run(order, call);
  if ('error' in answer) throw answer.error;
  return readMemberList(answer.reply.nowMs, answer.reply.item ?? {});
}
