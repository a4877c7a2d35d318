import type {
  AcquireResult,
  Claim,
  Completion,
  DoneTick,
  ExtendResult,
  Granted,
  Lease,
  LockStore,
  MarkResult,
  ReleaseResult,
  StoreCall,
} from '../../core/ports/lock-store.js';
import type { CheckIn, MemberList, MemberStore } from '../../core/ports/member-store.js';
import { LockStoreError } from '../../core/public/errors.js';
import { type LockRecord, MAX_ERROR_BYTES, readGrant } from '../../core/record/lock-record.js';
import { memberAttribute, readMemberList } from '../../core/record/member-list.js';
import { listedTick, ticksAfterMark, ticksAfterRun } from '../../core/record/open-ticks.js';
import { judgeRefusal } from '../../core/record/refusal.js';
import { isReleasedBy, linesOfRelease } from '../../core/record/run-ring.js';
import { grantFields, leaseOf, markedLease, markFields } from '../../core/record/transition.js';
import {
  cancelCall,
  type Ended,
  endedAttempt,
  isUnreadable,
  mayStillApply,
  resultOf,
  uncancelled,
  unusedCompletions,
} from '../../core/request/attempt.js';
import { answered } from '../../core/request/try-loop.js';
import { takingTurns } from '../../core/request/turns.js';
import type { Sent } from '../../core/values/clock.js';
import { defined } from '../../core/values/defined.js';
import { memberListName, truncateUtf8 } from '../../core/values/names.js';
import { ACQUIRE, CANCEL, CHECK_IN, EXTEND, MARK, RELEASE } from './scripts.js';
import type { RedisAnswer, RedisConnection, RedisReply } from './send.js';

/**
 * Makes a store for locks in a Redis: one hash for each lock name, one script for each verb. It judges leases by the
 * server's clock only, so the acquire itself takes over an expired lock. Its promises end when Redis
 * loses an acknowledged write: in a failover to a lagging replica, by an eviction, or by a flush.
 */
export function redisLock(redis: RedisConnection): LockStore & MemberStore {
  return takingTurns(redis.client, {
    acquire: (claim, call) => acquire(redis, claim, call),
    extend: (lease, to, call) => extend(redis, lease, to.leaseMs, call),
    mark: (lease, done, call) => mark(redis, lease, done, call),
    release: (lease, completion, call) => release(redis, lease, completion, call),
    checkIn: (asked, call) => checkIn(redis, asked, call),
  });
}

const ACQUIRED = ['granted', 'own', 'refused'] as const;

async function acquire(redis: RedisConnection, claim: Claim, call: StoreCall): Promise<AcquireResult> {
  const { name, attemptId, leaseMs, tickMs, markTickAtStart } = claim;

  // 1. Acquire; this also takes over an expired lock.
  const listed = tickMs === undefined || markTickAtStart ? '' : listedTick(tickMs);
  // The script adds the times, by the server's clock.
  const { lockedAt: _, lockUntil: __, ...fields } = grantFields(claim, 0, 0);
  const pairs = pairsOf(fields);
  const args = (callEnd: number | '') => [attemptId, leaseMs, tickMs ?? '', listed, callEnd, ...pairs];
  const answer = await redis.run({ script: ACQUIRE, operation: 'acquire', name, args, words: ACQUIRED }, call);
  const ended = judge(claim, answer);
  const writes = [{ answer }];
  if (!mayStillApply(claim, ended, writes)) return resultOf(ended);

  // 2. Cancel.
  const words = ['own', 'cancelled'] as const;
  const order = { script: CANCEL, operation: 'acquire', name, args: [attemptId], words } as const;
  const cancel = await redis.run(order, cancelCall(call));
  if ('error' in cancel) throw uncancelled(name, ended, cancel.error);
  if (cancel.value.word !== 'own') return resultOf(ended);
  // Only an acquire that was sent is cancelled, so `sent` is set.
  const own = ownGrant(claim, cancel.value, answer.sent as Sent);
  if (!('error' in ended && isUnreadable(ended.error))) return own;

  // 3. Give back what cannot be used.
  for (const unused of unusedCompletions(claim)) {
    if (!(await release(redis, own.lease, unused, cancelCall(call)).then(() => false, isUnreadable))) break;
  }
  return resultOf(ended);
}

/** Reads the end of an acquire from the answer of the script. */
function judge(claim: Claim, answer: RedisAnswer<(typeof ACQUIRED)[number]>): Ended {
  try {
    const reply = answered(answer);
    const { word, nowMs, number, item = {}, clock, sent } = reply;
    if (word === 'own') return ownGrant(claim, reply, sent);
    if (word === 'granted') {
      const written = { ...grantFields(claim, nowMs, nowMs + claim.leaseMs, item), fencingToken: number };
      return { status: 'acquired', lease: leaseOf(claim, written, sent, item), clock };
    }
    const judgement = judgeRefusal(claim, reply.item, nowMs, (lockUntil) => lockUntil <= nowMs);
    if (judgement.status === 'refused') return { ...judgement, clock };
    throw endedAttempt(claim.name);
  } catch (error) {
    return { status: 'value' in answer && error instanceof LockStoreError ? 'unclear' : 'failed', error };
  }
}

/**
 * @throws LockStoreError if the record is of another attempt, which no script returns; CorruptLockError if it is
 *   corrupt
 */
function ownGrant(claim: Claim, { item = {}, clock }: RedisReply, sent: Sent): Granted {
  if (item['attemptId'] !== claim.attemptId) throw endedAttempt(claim.name);
  return { status: 'acquired', lease: leaseOf(claim, readGrant(claim.name, item), sent), clock };
}

async function extend(redis: RedisConnection, lease: Lease, leaseMs: number, call: StoreCall): Promise<ExtendResult> {
  const { name, attemptId } = lease;
  const words = ['extended', 'lost'] as const;
  const args = (callEnd: number | '') => [attemptId, leaseMs, callEnd];
  const order = { script: EXTEND, operation: 'extend', name, args, words } as const;
  const { word, number, sent } = answered(await redis.run(order, call));
  return word === 'lost' ? { status: 'lost' } : { status: 'extended', lockUntilMs: number, ...sent };
}

async function mark(redis: RedisConnection, lease: Lease, done: DoneTick, call: StoreCall): Promise<MarkResult> {
  const { name, attemptId } = lease;
  const { tickMs, leaseMs } = done;
  const args = [attemptId, leaseMs, tickMs, listedTick(tickMs), ...pairsOf(ticksAfterMark(lease, done))];
  const words = ['marked', 'lost'] as const;
  const { word, number, sent } = answered(
    await redis.run({ script: MARK, operation: 'mark', name, args, words }, call),
  );
  if (word === 'lost') return { status: 'lost' };
  return { status: 'marked', lease: markedLease(lease, markFields(lease, done, number)), ...sent };
}

async function release(
  redis: RedisConnection,
  lease: Lease,
  completion: Completion,
  call: StoreCall,
): Promise<ReleaseResult> {
  const { name, attemptId } = lease;
  const { result, error, lockAtLeastForMs } = completion;
  const { own: line, crashed = '' } = linesOfRelease(lease, completion);
  const fields = {
    result,
    ...defined({ error: error ? truncateUtf8(error, MAX_ERROR_BYTES) : undefined }),
    ...ticksAfterRun(lease, completion),
  };
  const args = [attemptId, lockAtLeastForMs, line, crashed, ...pairsOf(fields)];
  const words = ['released', 'other'] as const;
  const answer = await redis.run({ script: RELEASE, operation: 'release', name, args, words }, call);
  const { word, item = {} } = answered(answer);
  if (word === 'released' || isReleasedBy(lease, item)) return 'released';
  return answer.ambiguous ? 'unknown' : 'lost';
}

/** Writes fields in the form that scripts take: each name before its value. */
const pairsOf = (fields: LockRecord) => Object.entries(fields).flat();

async function checkIn(
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
  const { nowMs, item = {} } = answered(await redis.run(order, call));
  return readMemberList(nowMs, item);
}
