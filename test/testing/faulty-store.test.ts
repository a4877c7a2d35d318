import type { LockStore } from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import {
  type Fault,
  type FaultyStore,
  faultyStore,
  type ManualClock,
  manualClock,
  type Verb,
} from 'single-execution/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { newAttemptId } from '../../src/core/values/names.js';
import { storeCall } from '../support/contract-harness.js';
import { grantOf } from '../support/scripted-store.js';

const CLAIM = { name: 'digest', leaseMs: 60_000, lockedBy: 'a test', markTickAtStart: false };
const DONE = { result: 'succeeded', lockAtLeastForMs: 0, markTickDone: false, durationMs: 5 } as const;
const UNAVAILABLE = { name: 'LockStoreError', code: 'UNAVAILABLE', retryable: true, lockName: 'digest' };

let clock: ManualClock;
let reached: Verb[];
let faulty: FaultyStore;

beforeEach(() => {
  clock = manualClock();
  reached = [];
  faulty = faultyStore(noting(memoryStore()));
});

function noting(store: LockStore): LockStore {
  const note =
    <A extends unknown[], R>(verb: Verb, go: (...args: A) => R) =>
    (...args: A) => {
      reached.push(verb);
      return go(...args);
    };
  return {
    acquire: note('acquire', store.acquire),
    extend: note('extend', store.extend),
    mark: note('mark', store.mark),
    release: note('release', store.release),
  };
}

const call = () => storeCall(clock);
const acquire = (attemptId = newAttemptId()) => faulty.acquire({ ...CLAIM, attemptId }, call());
const lease = () => grantOf({ ...CLAIM, attemptId: 'a1' }, call()).lease;
const verbs: readonly (readonly [Verb, () => Promise<unknown>])[] = [
  ['acquire', acquire],
  ['extend', () => faulty.extend(lease(), { leaseMs: 1_000 }, call())],
  ['mark', () => faulty.mark(lease(), { tickMs: clock.now(), leaseMs: 1_000 }, call())],
  ['release', () => faulty.release(lease(), DONE, call())],
];

describe.each(verbs)('%s of a faultyStore', (verb, go) => {
  const planned = new RangeError('planned');
  const unavailable = { ...UNAVAILABLE, operation: verb };
  test.each<[string, Fault, object | undefined, boolean]>([
    ['for which nothing is planned reaches the store', 'none', undefined, true],
    ['whose request is lost never reaches the store', 'lose-request', unavailable, false],
    ['whose response is lost has reached the store', 'lose-response', unavailable, true],
    ['for which an error is planned throws it', planned, planned, false],
  ])('%s', async (_, fault, error, isReached) => {
    faulty.next(verb, fault);

    if (error === undefined) await go();
    else await expect(go()).rejects.toMatchObject(error);
    expect(reached).toEqual(isReached ? [verb] : []);
  });

  test('that hangs fails when its budget is spent, by the clock of the call', async () => {
    faulty.next(verb, 'hang');
    const hung = expect(go()).rejects.toMatchObject({ ...UNAVAILABLE, operation: verb });
    await clock.advance(4_999);
    expect(clock.pendingTimers()).toBe(1);
    await clock.advance(1);
    await hung;

    expect([reached, clock.pendingTimers()]).toEqual([[], 0]);
  });

  test('that is delayed reaches the store later', async () => {
    faulty.next(verb, { delayMs: 700 });
    const answered = go();
    await clock.advance(699);
    expect(reached).toEqual([]);
    await clock.advance(1);
    await answered;

    expect(reached).toEqual([verb]);
  });

  test('that is delayed beyond its budget fails when that is spent', async () => {
    faulty.next(verb, { delayMs: 5_001 });
    const late = expect(go()).rejects.toThrow('this test planned a delay of 5001 ms');
    await clock.advance(5_000);
    await late;

    expect(reached).toEqual([]);
  });
});

describe('faultyStore', () => {
  test('a grant whose response was lost stands', async () => {
    faulty.next('acquire', 'lose-response');
    await expect(acquire('a1')).rejects.toThrow('acquire of lock "digest" failed');

    expect(await acquire('a2')).toMatchObject({ status: 'refused', reason: 'locked' });
    expect(await acquire('a1')).toMatchObject({ status: 'acquired' });
  });

  test('a call that waits ends at once when it is aborted, and so does one made after', async () => {
    const controller = new AbortController();
    const aborted = { ...call(), signal: controller.signal };
    faulty.next('acquire', 'hang', 'hang', { delayMs: 10 });
    const hung = faulty.acquire({ ...CLAIM, attemptId: 'a1' }, aborted);
    controller.abort();
    await expect(hung).rejects.toMatchObject(UNAVAILABLE);
    await expect(faulty.acquire({ ...CLAIM, attemptId: 'a1' }, aborted)).rejects.toMatchObject(UNAVAILABLE);
    await expect(faulty.acquire({ ...CLAIM, attemptId: 'a1' }, aborted)).rejects.toMatchObject(UNAVAILABLE);

    expect(clock.pendingTimers()).toBe(0);
  });

  test('faults come one a call, in order, each verb for itself', async () => {
    faulty.next('acquire', 'lose-request', 'none');
    faulty.next('acquire', 'lose-request');
    const results: string[] = [];
    for (let n = 0; n < 4; n++)
      results.push(
        await acquire(`a${n}`).then(
          ({ status }) => status,
          () => 'failed',
        ),
      );

    expect(results).toEqual(['failed', 'acquired', 'failed', 'refused']);
  });

  test('a plan can be a list for the first calls or one fault for all', async () => {
    faulty = faultyStore(memoryStore(), { acquire: ['lose-request'], release: 'lose-request' });
    await expect(acquire()).rejects.toMatchObject(UNAVAILABLE);
    expect(await acquire()).toMatchObject({ status: 'acquired' });
    for (let n = 0; n < 3; n++) {
      await expect(faulty.release(lease(), DONE, call())).rejects.toMatchObject(UNAVAILABLE);
    }
    faulty.next('release', 'none');

    expect(await faulty.release(lease(), DONE, call())).toBe('lost');
  });

  test('records every call with what it was given and what went wrong', async () => {
    const planned: Fault = { delayMs: 0 };
    faulty.next('acquire', 'lose-request');
    faulty.next('release', planned);
    await acquire('a1').catch(() => {});
    await faulty.extend(lease(), { leaseMs: 9_000 }, call());
    const released = faulty.release(lease(), DONE, call());
    await clock.advance(0);
    await released;

    expect(faulty.calls).toEqual([
      { verb: 'acquire', claim: { ...CLAIM, attemptId: 'a1' }, fault: 'lose-request' },
      { verb: 'extend', lease: lease(), leaseMs: 9_000, fault: 'none' },
      { verb: 'release', lease: lease(), completion: DONE, fault: planned },
    ]);
  });
});
