import type { Deletion, ForceRelease, Pause, TickListing } from '../../core/ports/lock-admin-store.js';
import type { Claim, Completion, DoneTick, Lease } from '../../core/ports/lock-store.js';
import type { CheckIn } from '../../core/ports/member-store.js';
import { FORCE_STEP, type LockRecord, recordAttributes } from '../../core/record/lock-record.js';
import { memberAttribute } from '../../core/record/member-list.js';
import { listedTick } from '../../core/record/open-ticks.js';
import { deletedRecord } from '../../core/record/operator.js';
import { forcedFields, pausedFields, releaseFields, removedByGrant } from '../../core/record/transition.js';
import { defined } from '../../core/values/defined.js';

/*
 * Every write of this library to DynamoDB, as a value: one UpdateItem for each verb. These functions are pure. The
 * expressions are those of docs/protocol.md, each with its plain reading above it. Lock names appear only as values.
 */

export interface UpdateRequest {
  readonly UpdateExpression: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, string | number>;
  readonly ReturnValues?: 'ALL_OLD' | 'ALL_NEW';
}

/** Attributes whose names are reserved words of DynamoDB. */
const RESERVED: readonly string[] = ['state', 'result', 'error'];

// The lock was never held; or it is not held, and its `lockUntil` has passed.
const FREE = 'attribute_not_exists(lockUntil) OR (#state <> :held AND lockUntil <= :now)';
// The last run had no tick; or this tick was due when that run began; or it is open and older than the newest tick done,
// so it is listed; or it is listed as failed.
const IS_OWED =
  '(attribute_not_exists(tick) OR lockedAt >= :tick OR doneTick > :tick OR contains(failedTicks, :listed))';
// The last run succeeded, its `lockAtLeastFor` does not keep out this tick, and this request was sent after its release.
const PASSES_HOLD = `#state = :released AND #result = :succeeded AND releasedAt <= :now AND ${IS_OWED}`;
// The latest grant went to another attempt, so this request is not a late copy from an attempt whose grant has ended.
const NEW_ATTEMPT = '(attribute_not_exists(attemptId) OR attemptId <> :att)';
// This attempt was not cancelled by its own caller.
const NOT_BARRED = '(attribute_not_exists(barredAttempt) OR barredAttempt <> :att)';
const NOT_PAUSED = '(attribute_not_exists(pausedUntil) OR pausedUntil <= :now)';
// Neither this tick nor a newer tick is done.
const TICK_IS_NEW = 'attribute_not_exists(doneTick) OR doneTick < :tick';
// A newer tick is done, but this tick is listed as not done.
const TICK_IS_LISTED = 'doneTick > :tick AND contains(openTicks, :listed)';
const TICK_IS_OPEN = `(${TICK_IS_NEW} OR (${TICK_IS_LISTED}))`;
// This attempt still holds the lock.
const OURS = 'attemptId = :att AND #state = :held';
// This grant still holds the lock. The attempt id alone does not show that: a late acquire can be a second grant of the
// attempt, with other lists of ticks.
const THIS_GRANT = `${OURS} AND fencingToken = :token`;

/** @param fields the fields of the grant, from `grantFields` */
export function acquireRequest(claim: Claim, nowMs: number, fields: LockRecord): UpdateRequest {
  const { tickMs } = claim;
  const hasTick = tickMs !== undefined;
  const isFree = `(${FREE}${hasTick ? ` OR (${PASSES_HOLD})` : ''})`;
  return grantRequest(claim, fields, [isFree, NEW_ATTEMPT, NOT_BARRED, NOT_PAUSED], {
    ':now': nowMs,
    ':held': 'held',
    ...(hasTick && { ':released': 'released', ':succeeded': 'succeeded', ':listed': listedTick(tickMs) }),
  });
}

/** Takes over from the grant that was seen; refused if the record has changed since. */
export function takeoverRequest(claim: Claim, nowMs: number, fields: LockRecord, seen: LockRecord): UpdateRequest {
  const { attemptId, lockUntil, state } = seen;
  const unchanged = [
    unchangedSince('attemptId', ':oldAttempt', attemptId),
    unchangedSince('lockUntil', ':oldUntil', lockUntil),
    unchangedSince('#state', ':oldState', state),
  ];
  return grantRequest(claim, fields, [...unchanged, NOT_BARRED, NOT_PAUSED], {
    ':now': nowMs,
    ':oldAttempt': attemptId,
    ':oldUntil': lockUntil,
    ':oldState': state,
  });
}

function unchangedSince(path: string, placeholder: string, seen: unknown): string {
  return seen === undefined ? `attribute_not_exists(${path})` : `${path} = ${placeholder}`;
}

function grantRequest(
  claim: Claim,
  fields: LockRecord,
  conditions: readonly string[],
  values: Record<string, string | number | undefined>,
): UpdateRequest {
  const { attemptId, tickMs, markTickAtStart } = claim;
  const { update, names, fieldValues } = set(fields);
  const hasTick = tickMs !== undefined;
  const removed = removedByGrant(claim);
  const listed = hasTick && !markTickAtStart ? listedTick(tickMs) : undefined;
  const isOpen = listed === undefined ? `(${TICK_IS_NEW})` : TICK_IS_OPEN;
  const all = hasTick ? [...conditions, isOpen] : conditions;
  // The condition of a hold names `result`.
  if (values[':succeeded']) pathOf('result', names);
  return {
    // The token rises by one with each grant; in a record without a token it starts at the clock.
    UpdateExpression: `${update}, fencingToken = if_not_exists(fencingToken, :now) + :one${removed ? ` REMOVE ${removed}` : ''}`,
    ConditionExpression: all.join(' AND '),
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: {
      ...fieldValues,
      ':att': attemptId,
      ':one': 1,
      ...defined({ ':tick': tickMs, ':listed': listed, ...values }),
    },
    ReturnValues: 'ALL_OLD',
  };
}

/** Makes the store refuse an attempt with an unknown result, unless it holds the lock. */
export function cancelRequest(attemptId: string): UpdateRequest {
  return {
    UpdateExpression: 'SET barredAttempt = :att',
    ConditionExpression: '(attribute_not_exists(attemptId) OR attemptId <> :att OR #state <> :held)',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: { ':att': attemptId, ':held': 'held' },
  };
}

/** Moves the end of a lease to `untilMs`. Refused if the stored end is not earlier. */
export function extendRequest(lease: Lease, untilMs: number): UpdateRequest {
  return {
    UpdateExpression: 'SET lockUntil = :until',
    ConditionExpression: `${OURS} AND lockUntil < :until`,
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: { ':att': lease.attemptId, ':held': 'held', ':until': untilMs },
  };
}

/** Marks a tick as done. The tick is then no longer open, so a late copy of this request changes nothing. */
export function markRequest(lease: Lease, done: DoneTick, fields: LockRecord): UpdateRequest {
  const { update, names, fieldValues } = set(fields);
  return {
    UpdateExpression: update,
    ConditionExpression: `${THIS_GRANT} AND ${TICK_IS_OPEN}`,
    ExpressionAttributeNames: { ...names, '#state': 'state' },
    ExpressionAttributeValues: {
      ...fieldValues,
      ...thisGrant(lease),
      ':tick': done.tickMs,
      ':listed': listedTick(done.tickMs),
    },
  };
}

export function releaseRequest(lease: Lease, completion: Completion, nowMs: number): UpdateRequest {
  const { update, names, fieldValues } = set(releaseFields(lease, completion, nowMs));
  return {
    UpdateExpression: update,
    ConditionExpression: THIS_GRANT,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ...fieldValues, ...thisGrant(lease) },
  };
}

function thisGrant({ attemptId, fencingToken }: Lease): Record<string, string | number> {
  return { ':att': attemptId, ':token': fencingToken, ':held': 'held' };
}

export function forceReleaseRequest(force: ForceRelease): UpdateRequest {
  const { update, names, fieldValues } = set(forcedFields(force));
  return {
    UpdateExpression: `${update}, fencingToken = fencingToken + :step`,
    // The lock is still held under the grant that the operator saw.
    ConditionExpression: 'fencingToken = :seenToken AND #state = :held',
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: {
      ...fieldValues,
      ':seenToken': force.fencingToken,
      ':held': 'held',
      ':step': FORCE_STEP,
    },
  };
}

export function pauseRequest(pause: Pause): UpdateRequest {
  const { update, fieldValues } = set(pausedFields(pause));
  return { UpdateExpression: update, ExpressionAttributeValues: fieldValues, ReturnValues: 'ALL_NEW' };
}

export function resumeRequest(): UpdateRequest {
  // Refused if there is no pause, so that no item is created.
  return {
    UpdateExpression: 'REMOVE pausedUntil, pausedBy',
    ConditionExpression: 'attribute_exists(pausedUntil)',
    ReturnValues: 'ALL_OLD',
  };
}

/**
 * Reduces the record that was seen to the part that a delete keeps. Refused if the token, the lease, the state or the
 * pause has changed since.
 */
export function deleteRequest(deletion: Deletion, seen: LockRecord): UpdateRequest {
  const { fencingToken, lockUntil, state, pausedUntil, barredAttempt } = seen;
  const { barredAttempt: bar, ...left } = deletedRecord(deletion, seen);
  const { update, names, fieldValues } = set(left);
  // Keep `barredAttempt`, because a cancel may have written it since. Remove it only if the value that was seen is
  // corrupt.
  const corruptBar = bar === undefined ? barredAttempt : undefined;
  const gone = recordAttributes().filter(
    (attribute) => !(attribute in left) && (attribute !== 'barredAttempt' || corruptBar !== undefined),
  );
  const unchanged = [
    unchangedSince('fencingToken', ':oldToken', fencingToken),
    unchangedSince('lockUntil', ':oldUntil', lockUntil),
    unchangedSince('#state', ':oldState', state),
    unchangedSince('pausedUntil', ':oldPause', pausedUntil),
    ...(corruptBar === undefined ? [] : [unchangedSince('barredAttempt', ':oldBar', corruptBar)]),
  ];
  const old = defined({
    ':oldToken': fencingToken,
    ':oldUntil': lockUntil,
    ':oldState': state,
    ':oldPause': pausedUntil,
    ':oldBar': corruptBar,
  });
  return {
    UpdateExpression: `${update} REMOVE ${gone.map((attribute) => pathOf(attribute, names)).join(', ')}`,
    ConditionExpression: unchanged.join(' AND '),
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ...fieldValues, ...old },
  };
}

export function listTicksRequest({ openTicks, failedTicks, seen }: TickListing): UpdateRequest {
  const { update, fieldValues } = set({ openTicks, failedTicks });
  const unchanged = [
    unchangedSince('fencingToken', ':oldToken', seen.fencingToken),
    unchangedSince('doneTick', ':oldDone', seen.doneTick),
    unchangedSince('openTicks', ':oldOpen', seen.openTicks),
    unchangedSince('failedTicks', ':oldFailed', seen.failedTicks),
  ];
  const old = defined({
    ':oldToken': seen.fencingToken,
    ':oldDone': seen.doneTick,
    ':oldOpen': seen.openTicks,
    ':oldFailed': seen.failedTicks,
  });
  return {
    UpdateExpression: update,
    // Nobody holds the lock, and its ticks are those that the operator saw.
    ConditionExpression: ['(#state = :released OR #state = :forced)', ...unchanged].join(' AND '),
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: { ...fieldValues, ...old, ':released': 'released', ':forced': 'forced' },
  };
}

/**
 * Writes one check-in and returns the whole list. If the caller only reads, the request removes a member that cannot
 * exist, and so changes nothing.
 */
export function checkInRequest({ member, forget }: CheckIn, nowMs: number): UpdateRequest {
  const gone = member === undefined && forget.length === 0 ? [''] : forget;
  const names = Object.fromEntries(gone.map((name, i) => [`#f${i}`, memberAttribute(name)]));
  const parts = [
    ...(member === undefined ? [] : ['SET #m = :now']),
    ...(gone.length === 0 ? [] : [`REMOVE ${Object.keys(names).join(', ')}`]),
  ];
  return {
    UpdateExpression: parts.join(' '),
    ExpressionAttributeNames: { ...names, ...(member !== undefined && { '#m': memberAttribute(member) }) },
    ...(member !== undefined && { ExpressionAttributeValues: { ':now': nowMs } }),
    ReturnValues: 'ALL_NEW',
  };
}

/** Makes a SET of all fields, with placeholders for values and reserved names. */
function set(fields: LockRecord): {
  readonly update: string;
  readonly names: Record<string, string>;
  readonly fieldValues: Record<string, string | number>;
} {
  const names: Record<string, string> = {};
  const fieldValues: Record<string, string | number> = {};
  const assignments = Object.entries(fields).map(([attribute, value]) => {
    fieldValues[`:${attribute}`] = value;
    return `${pathOf(attribute, names)} = :${attribute}`;
  });
  return { update: `SET ${assignments.join(', ')}`, names, fieldValues };
}

/**
 * Returns an attribute as an expression must name it: a reserved name gets a placeholder, which is added to `names`.
 */
function pathOf(attribute: string, names: Record<string, string>): string {
  if (!RESERVED.includes(attribute)) return attribute;
  names[`#${attribute}`] = attribute;
  return `#${attribute}`;
}
