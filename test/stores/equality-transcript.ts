import type { Claim, Lease } from 'single-execution';
import type { ContractHarness } from 'single-execution/testing';
import type { AcquireResult } from '../../src/core/ports/lock-store.js';
import { FORCE_STEP, FOREVER_MS, type LockRecord } from '../../src/core/record/lock-record.js';
import { failedTicksAfterCrash, listOf } from '../../src/core/record/open-ticks.js';
import { runsOf } from '../../src/core/record/run-ring.js';
import { defined } from '../../src/core/values/defined.js';
import { BY_HAND, newAttemptId } from '../../src/core/values/names.js';
import { errorName } from '../../src/core/values/thrown.js';
import { HOLD_MS, LEASE_MS, setScene } from '../../src/testing/contract/stage/scene.js';
import type { Operation } from './equality-operations.js';

/** A line for each operation: the store's answer, and the record after it, without what may differ between stores. */
export async function transcriptOf(harness: ContractHarness, operations: readonly Operation[]): Promise<string[]> {
  const locks = { a: lockUnderTest(harness), b: lockUnderTest(harness) };
  const lines: string[] = [];
  for (const operation of operations) {
    const lock = locks[operation.on];
    const answer = await lock.answerTo(operation);
    lines.push(`${JSON.stringify(operation)}: ${JSON.stringify(answer)}, then ${JSON.stringify(await lock.state())}`);
  }
  return lines;
}

interface Grant {
  readonly claim: Claim;
  readonly lease: Lease;
  readonly fate: 'lives' | 'died' | 'released' | 'forced';
}

/** One of the locks of a sequence, and its grants, so that operations can name a lease by its place. */
function lockUnderTest(harness: ContractHarness) {
  const scene = setScene(harness);
  const claims: Claim[] = [];
  /** Newest first. */
  const grants: Grant[] = [];
  const tokens = new Set<number>();

  /** A token's rank among the tokens so far: stores count tokens in different ways, and promise only that they rise. */
  const rank = (token: number | undefined): number | string | undefined => {
    if (token === undefined) return undefined;
    return tokens.has(token) ? [...tokens].filter((other) => other <= token).length : 'never granted';
  };

  const told = (result: AcquireResult) => {
    if (result.status === 'refused') {
      const { reason, holder } = result;
      return { reason, holder: holder && { by: holder.lockedBy, token: rank(holder.fencingToken) } };
    }
    const { fencingToken, tickMs, doneTickMs, openTicksMs, failedTicksMs, previous } = result.lease;
    return {
      status: result.status,
      token: rank(fencingToken),
      tickMs,
      doneTickMs,
      openTicksMs,
      failedTicksMs,
      previous: previous && {
        status: previous.status,
        tickMs: previous.tickMs,
        isManual: previous.isManual,
        by: previous.lockedBy,
        token: rank(previous.fencingToken),
      },
    };
  };

  const acquire = async ({ tickMs, markTickAtStart, dies }: Operation & { verb: 'acquire' }) => {
    const leaseMs = dies ? harness.shortLeaseMs : LEASE_MS;
    const asked = tickMs === 'now' ? { attemptId: newAttemptId(BY_HAND) } : defined({ tickMs });
    const claim = scene.claim({ leaseMs, markTickAtStart, ...asked });
    claims.push(claim);
    const result = await scene.acquire(claim);
    if (result.status === 'acquired') {
      const { lease } = result;
      tokens.add(lease.fencingToken);
      // End a short lease before the next step: DynamoDB on a clock that is behind would see it end at once.
      if (dies) await harness.expire(lease);
      grants.unshift({ claim, lease, fate: dies ? 'died' : 'lives' });
    }
    return told(result);
  };

  const replay = async (place: number, newest: Grant) => {
    const grant = grants[place] ?? newest;
    // Skip a replay if stores may answer it differently. Once an attempt has ended, each store refuses late copies of
    // it in its own way: Redis by a list of attempts, DynamoDB by the instant at which the copy was sent.
    const isToldAlike = grant === newest ? newest.fate !== 'forced' : newest.fate === 'lives';
    if (!isToldAlike) return 'not asked';
    const result = await scene.acquire(grant.claim);
    if (result.status === 'acquired') grants[place] = { ...grant, lease: result.lease };
    return told(result);
  };

  const mark = async (operation: Operation & { verb: 'mark' }, place: number, grant: Grant, newest: Grant) => {
    const { tickMs, givenUpTicksMs, keepTicks } = operation;
    // Skip a mark after the lease. If the mark was applied before, DynamoDB answers with the old end of the lease, and
    // other stores renew the lease. The answers are the same only while the lease lasts.
    if (grant === newest && grant.fate === 'died') return 'not asked';
    const result = await scene.mark(grant.lease, { tickMs, givenUpTicksMs, keepTicks });
    if (result.status === 'lost') return result.status;
    grants[place] = { ...grant, lease: result.lease };
    const { doneTickMs, openTicksMs, failedTicksMs } = result.lease;
    return { status: result.status, doneTickMs, openTicksMs, failedTicksMs };
  };

  const release = (operation: Operation & { verb: 'release' }, lease: Lease) => {
    const { result, holds, markTickDone, markTickFailed, missedTicksMs, givenUpTicksMs, failedTickMs } = operation;
    const lockAtLeastForMs = holds ? HOLD_MS : 0;
    const marks =
      result === 'succeeded'
        ? { markTickDone, missedTicksMs, givenUpTicksMs }
        : { markTickDone: false, markTickFailed, error: 'TypeError', ...defined({ failedTickMs }) };
    return scene.release(lease, { result, lockAtLeastForMs, ...marks });
  };

  const force = async ({ wrongToken }: Operation & { verb: 'force' }, lease: Lease, newest: Lease) => {
    // The wrong token is the newest plus 1, because an older token plus 1 is the token of another grant in some stores.
    const token = wrongToken ? { fencingToken: newest.fencingToken + 1 } : {};
    // Compute the failed ticks as lockAdmin does.
    const failedTicks = failedTicksAfterCrash((await scene.record()) ?? {});
    const answer = await scene.force(lease, { ...token, ...(failedTicks !== undefined && { failedTicks }) });
    if (answer === 'forced') tokens.add(lease.fencingToken + FORCE_STEP);
    return answer;
  };

  const remove = async ({ wrongToken }: Operation & { verb: 'delete' }) => {
    const { fencingToken = 0 } = (await scene.record()) ?? {};
    const answer = await scene.remove({ name: scene.name, fencingToken: wrongToken ? fencingToken + 1 : fencingToken });
    // After a delete, stores may answer replays of earlier attempts differently.
    if (answer === 'deleted')
      for (const [place, grant] of grants.entries()) grants[place] = { ...grant, fate: 'forced' };
    return answer;
  };

  const list = async ({ openTicksMs, failedTicksMs, seen }: Operation & { verb: 'list' }) => {
    const record = (await scene.record()) ?? {};
    const ways = {
      'as it is': record,
      'with another token': { ...record, fencingToken: 1 },
      'with other lists': { ...record, openTicks: listOf([1e12]) },
    };
    return scene.list({ openTicks: listOf(openTicksMs), failedTicks: listOf(failedTicksMs) }, ways[seen]);
  };

  const asked = async (operation: Operation): Promise<unknown> => {
    if (operation.verb === 'acquire') return acquire(operation);
    if (operation.verb === 'pause') {
      const { item } = await scene.pause(operation.over ? harness.call().clock.now() - 60_000 : FOREVER_MS);
      return plainState(item as LockRecord);
    }
    if (operation.verb === 'resume') return scene.resume();
    if (operation.verb === 'delete') return remove(operation);
    if (operation.verb === 'list') return list(operation);

    const [newest] = grants;
    if (!newest) return 'not asked';
    const place = Math.min(operation.back, grants.length - 1);
    const grant = grants[place] ?? newest;
    const become = (fate: Grant['fate']) => {
      grants[place] = { ...grant, fate };
    };

    if (operation.verb === 'replay') return replay(place, newest);
    if (operation.verb === 'mark') return mark(operation, place, grant, newest);
    if (operation.verb === 'extend') {
      const extended = await scene.extend(grant.lease, operation.leaseMs);
      // Keep the new end of the lease, so that a later mark does not shorten the lease.
      if (extended.status === 'extended') {
        grants[place] = { ...grant, lease: { ...grant.lease, lockUntilMs: extended.lockUntilMs }, fate: 'lives' };
      }
      return extended.status;
    }
    if (operation.verb === 'release') {
      const answer = await release(operation, grant.lease);
      if (answer === 'released') become('released');
      return answer;
    }
    const answer = await force(operation, grant.lease, newest.lease);
    if (answer === 'forced') become('forced');
    return answer;
  };

  return {
    answerTo: (operation: Operation) => asked(operation).catch((error) => `${errorName(error)} ${error.code}`),

    async state() {
      const record = await scene.record();
      if (!record) return undefined;
      return { ...plainState(record), token: rank(record.fencingToken), ...peopleOf(record), runs: runs(record) };
    },
  };

  function peopleOf({ attemptId, leaseMs }: LockRecord) {
    const attempt = claims.findIndex((claim) => claim.attemptId === attemptId);
    // The length of a short lease differs between stores, because in Redis real time must pass.
    return { attempt, lease: leaseMs === harness.shortLeaseMs ? 'short' : leaseMs };
  }

  function runs(record: LockRecord) {
    return runsOf(record).map(({ status, tickMs, isManual, durationMs, fencingToken }) => {
      // The time from the grant to a force release differs between stores.
      const lengthMs = status === 'forced' ? typeof durationMs : durationMs;
      return { status, tickMs, isManual, durationMs: lengthMs, token: rank(fencingToken) };
    });
  }
}

/** Attributes that differ between stores: the slots of rows, and what refuses late attempts. */
const OWN_WAYS = /^(r\d|runSeq|v|barredAttempts?)$/;
const HOUR_MS = 3_600_000;

function plainState(record: LockRecord) {
  const { state, tick, doneTick, openTicks, failedTicks, result, error, lockedBy, pausedUntil, pausedBy } = record;
  const { lockedAt = 0, lockUntil = 0, releasedAt } = record;
  const attributes = Object.keys(record).filter((name) => !OWN_WAYS.test(name));
  // Leave out `lockUntil` of a deleted lock: Redis has none, because it refuses late acquires in another way.
  if (state === 'deleted')
    return {
      state,
      attributes: attributes
        .filter((name) => name !== 'lockUntil')
        .sort()
        .join(' '),
    };
  return {
    attributes: attributes.sort().join(' '),
    state,
    tick,
    doneTick,
    openTicks,
    failedTicks,
    result,
    error,
    lockedBy,
    paused: pausedUntil === FOREVER_MS ? 'forever' : pausedUntil && 'over',
    pausedBy,
    // Round to hours: short leases, the lease pad and passing time make differences of minutes, extensions of hours.
    hours: Math.round((lockUntil - lockedAt) / HOUR_MS),
    free: state === 'held' ? undefined : lockUntil === releasedAt,
  };
}
