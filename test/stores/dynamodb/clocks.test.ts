import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Clock, Execution } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { dynamoDBAdminStore } from 'single-execution/dynamodb';
import { describe, expect, test } from 'vitest';
import { grantFields } from '../../../src/core/record/transition.js';
import { acquireRequest } from '../../../src/stores/dynamodb/requests.js';
import { shiftedClock } from '../../support/clocks.js';
import { patientStore } from '../../support/contract-harness.js';
import { putItem } from '../../support/dynamodb-local.js';
import { claim } from '../../support/one-run.js';
import { ownProxiedLocks, runOnce } from '../../support/proxied-locks.js';

/*
 * The server's clock decides: the Date header of the response that showed the record. In these tests, clients' clocks
 * are wrong by up to two minutes.
 */

const TWO_MINUTES = 120_000;

const locks = await ownProxiedLocks();

let jobs = 0;
const newName = () => `job-${jobs++}`;
type Options = Partial<Parameters<typeof runOnce>[0]>;
const run = (name: string, options: Options = {}, task?: Parameters<typeof runOnce>[1]) =>
  runOnce({ name, store: patientStore(locks.store()), ...options }, task);
/** A whole second that is five seconds away. */
const soon = () => Math.ceil(Date.now() / 1_000) * 1_000 + 5_000;

const TAKEN_OVER = ['acquire', 'takeover', 'release'];
const LOCKED = { status: 'skipped', reason: 'locked' };

test.each([30_000, -30_000])('row 17: a Date header %i ms off is reported, and the run goes on', async (shiftMs) => {
  locks.proxy.setDate({ shiftMs });

  const { outcome, events, types, tookMs } = await run(newName(), { lockAtMostFor: '20m' });

  expect(outcome).toMatchObject({ status: 'executed', value: 'done', release: 'released' });
  const seen = outcome?.status === 'executed' ? outcome.clockSkewMs : undefined;
  // The header has whole seconds, and says when within the request it was written.
  expect(Math.abs((seen ?? 0) - shiftMs)).toBeLessThanOrEqual(1_000 + Math.ceil(tookMs));
  const skew = events.find(({ type }) => type === 'clock-skew');
  expect(skew).toMatchObject({ type: 'clock-skew', minMs: expect.any(Number), maxMs: expect.any(Number) });
  expect(types).not.toContain('clock-unverified');
});

test('row 17: a Date header that is off is reported of a skip too', async () => {
  const name = newName();
  await leaveDead(name, Date.now() + 60_000);
  locks.proxy.setDate({ shiftMs: -30_000 });

  const { outcome, types } = await run(name);

  expect(outcome).toMatchObject(LOCKED);
  expect(types).toContain('clock-skew');
});

test.each([
  ['never', 0, 20, {}],
  ['not, though the Date header is a second old', -1_000, 5, { maxClockSkew: 1 }],
])('row 17: a true clock is %s reported', async (_, shiftMs, runs, options) => {
  if (shiftMs !== 0) locks.proxy.setDate({ shiftMs });
  const store = patientStore(locks.store());

  for (let n = 0; n < runs; n++) {
    const { outcome, types } = await run(newName(), { store, ...options });
    expect(outcome).not.toHaveProperty('clockSkewMs');
    expect(types).not.toContain('clock-skew');
  }
});

test.each([
  ['ahead', TWO_MINUTES],
  ['behind', -TWO_MINUTES],
])('F12 a contender whose clock is two minutes %s does not steal a live lock', async (_, shiftMs) => {
  const name = newName();

  const holder = await run(name, {}, async () => {
    const contender = await run(name, { clock: shiftedClock(shiftMs) });
    expect(contender.outcome).toMatchObject(LOCKED);
    expect(contender.executions).toEqual([]);
    return 'undisturbed';
  });

  expect(holder.outcome).toMatchObject({ value: 'undisturbed', release: 'released' });
  expect(locks.verbs()).toEqual(['acquire', 'acquire', 'release']);
});

test('F13 a contender whose clock is two minutes behind takes over a dead lock by the Date header', async () => {
  const name = newName();
  await leaveDead(name, Date.now() - 1_000);

  const { outcome, types } = await run(name, { clock: shiftedClock(-TWO_MINUTES), lockAtMostFor: '10m' });

  expect(outcome).toMatchObject({ status: 'executed', fencingToken: 8, previous: { status: 'crashed' } });
  expect(types).not.toContain('clock-unverified');
  expect(locks.verbs()).toEqual(TAKEN_OVER);
});

/** Runs once on a host with this clock, and then without Date headers on another. */
async function runOnTwoHosts([first, second]: readonly [number, number], ofFirst: Options, ofSecond: Options) {
  const name = newName();
  const { executions } = await run(name, { lockAtMostFor: '10m', clock: shiftedClock(first), ...ofFirst });
  const before = await locks.record(name);
  locks.proxy.reset();
  locks.proxy.setDate('none');

  const last = await run(name, { lockAtMostFor: '10m', clock: shiftedClock(second), ...ofSecond });

  expect(last.outcome).toMatchObject({ status: 'executed', previous: { status: 'succeeded' } });
  expect(last.executions[0]?.fencingToken).toBe(Number(executions[0]?.fencingToken) + 1);
  expect(locks.verbs()).toEqual(TAKEN_OVER);
  expect(last.types).not.toContain('clock-unverified');
  return { before, after: await locks.record(name) };
}

describe('row 80: F97 a lock that was given back is free for the next caller, whatever the clocks say', () => {
  test.each([
    ['two minutes ahead, to one whose clock is true', TWO_MINUTES, 0],
    ['true, to one whose clock is two minutes behind', 0, -TWO_MINUTES],
    ['two minutes ahead, to one two minutes behind', TWO_MINUTES, -TWO_MINUTES],
  ])('F13 by a host whose clock is %s', async (_, first, second) => {
    await runOnTwoHosts([first, second], {}, {});
  });

  test('F5 and keeps out what a host whose clock is ahead had sent before, after runs of others too', async () => {
    const name = newName();
    const ahead = await run(name, { clock: shiftedClock(TWO_MINUTES) });
    const fence = Number((await locks.record(name))?.['lockUntil']);
    for (let runs = 0; runs < 2; runs++) await run(name);

    expect(ahead.outcome?.status).toBe('executed');
    expect(fence).toBeGreaterThan(Date.now() + 100_000);
    expect(await locks.record(name)).toMatchObject({ state: 'released', lockUntil: fence, releasedAt: fence });
  });

  test('F61 by an operator’s force, whose clock is ahead', async () => {
    const name = newName();
    await leaveDead(name, Date.now() + TWO_MINUTES);
    const store = dynamoDBAdminStore({ tableName: locks.tableName, client: locks.direct });
    await lockAdmin(store, { clock: shiftedClock(TWO_MINUTES) }).forceRelease(name, { fencingToken: 7 });

    const { outcome } = await run(name);

    expect(outcome).toMatchObject({ status: 'executed', previous: { status: 'forced' }, fencingToken: 18 });
    expect(locks.verbs()).toEqual(TAKEN_OVER);
  });
});

describe('a tick that is owed passes the lockAtLeastFor of a run that succeeded', () => {
  const FIRST = Date.UTC(2026, 0, 1);
  const [SECOND, THIRD] = [FIRST + 60_000, FIRST + 120_000];
  const holding = { lockAtLeastFor: '1m', lockAtMostFor: '10m' };

  test('row 162: with no request more', async () => {
    const name = newName();
    for (const tick of [FIRST, SECOND, THIRD]) {
      const { outcome } = await run(name, { tick, ...holding });
      expect(outcome).toMatchObject({ status: 'executed', release: 'released' });
    }

    expect(locks.verbs()).toEqual(['acquire', 'release', 'acquire', 'release', 'acquire', 'release']);
    const { lockUntil, lockedAt } = (await locks.record(name)) ?? {};
    expect(Number(lockUntil) - Number(lockedAt)).toBe(60_000);
  });

  test.each([
    ['two minutes ahead, to one whose clock is true', TWO_MINUTES, 0],
    ['true, to one whose clock is two minutes behind', 0, -TWO_MINUTES],
  ])('row 162: whatever the clocks say, after a run on a host whose clock is %s', async (_, first, second) => {
    const { before, after } = await runOnTwoHosts([first, second], { tick: FIRST, ...holding }, { tick: SECOND });

    // The fence is that of the release, not the end of the hold.
    expect(after).toMatchObject({ releasedAt: before?.['releasedAt'], lockUntil: before?.['releasedAt'] });
  });

  test.each([
    ['after a run with a tick', { tick: FIRST }],
    ['after a run without a tick', {}],
  ])('F162 row 165: but no request that was sent before the release: %s', async (_, first) => {
    const name = newName();
    await run(name, { ...first, ...holding });
    const { releasedAt } = (await locks.record(name)) ?? {};
    const client = DynamoDBDocumentClient.from(locks.direct);
    const ask = (sentAtMs: number) => {
      const second = claim({ name, tickMs: SECOND });
      const request = acquireRequest(second, sentAtMs, grantFields(second, sentAtMs, sentAtMs + second.leaseMs));
      return client.send(new UpdateCommand({ TableName: locks.tableName, Key: { lockName: name }, ...request }));
    };

    await expect(ask(Number(releasedAt) - 1)).rejects.toThrow('conditional request failed');
    await ask(Number(releasedAt));

    expect(await locks.record(name)).toMatchObject({ state: 'held', tick: SECOND });
  });
});

describe('row 18: the bound at which a lock counts as over', () => {
  test('one second before its end by the Date header it is locked, at its end it is taken over', async () => {
    const [name, until] = [newName(), soon()];
    await leaveDead(name, until);

    locks.proxy.setDate({ atMs: until - 1_000 });
    expect((await run(name)).outcome).toMatchObject(LOCKED);
    locks.proxy.setDate({ atMs: until });
    expect((await run(name)).outcome).toMatchObject({ status: 'executed', fencingToken: 8 });
    expect(locks.verbs()).toEqual(['acquire', ...TAKEN_OVER]);
  });

  test('a lock that ends within the second of the Date header is not over', async () => {
    const [name, until] = [newName(), soon()];
    await leaveDead(name, until + 1);
    locks.proxy.setDate({ atMs: until });

    expect((await run(name)).outcome).toMatchObject(LOCKED);
    expect(await locks.record(name)).toMatchObject({ state: 'held', attemptId: 'a-dead', fencingToken: 7 });
  });

  test('without a Date header it is maxClockSkew later by the own clock, and an event says so', async () => {
    const [name, until] = [newName(), Date.now()];
    await leaveDead(name, until);
    locks.proxy.setDate('none');
    const at = (ms: number) => ({ clock: { ...shiftedClock(0), now: () => ms }, maxClockSkew: '2.5s' });

    const early = await run(name, at(until + 2_499));
    const onTime = await run(name, at(until + 2_500));

    expect(early.outcome).toMatchObject(LOCKED);
    expect(early.types).not.toContain('clock-unverified');
    expect(onTime.outcome).toMatchObject({ status: 'executed', fencingToken: 8 });
    expect(onTime.types).toContain('clock-unverified');
  });
});

/** The clocks of a host whose wall clock is wrong by `shiftMs`, and whose timers fire when the test says so. */
function clockOfTimers(shiftMs: number) {
  const timers = new Set<{ readonly dueMono: number; fire(): void }>();
  let stoppedMono: number | undefined;
  let passedMs = 0;
  const monotonic = () => (stoppedMono ?? performance.now()) + passedMs;
  const begun = { wall: Date.now() + shiftMs, mono: monotonic() };
  const clock: Clock = {
    monotonic,
    now: () => begun.wall + monotonic() - begun.mono,
    setTimer(callback, ms) {
      const cancel = () => void timers.delete(timer);
      const fire = () => {
        cancel();
        callback();
      };
      const timer = { dueMono: monotonic() + ms, fire };
      timers.add(timer);
      return { cancel };
    },
  };
  return {
    clock,
    /** From now on no time passes, except by `next`. */
    stop() {
      stoppedMono = performance.now();
    },
    /** Lets the time pass until the next timer is due, which fires. */
    next() {
      const [first] = [...timers].toSorted((a, b) => a.dueMono - b.dueMono);
      if (!first) throw new Error('no timer is set');
      passedMs += Math.max(0, first.dueMono - monotonic());
      first.fire();
    },
  };
}

describe('the holder stops by the same clock', () => {
  test('CLOCK_SKEW when the server says that the lease is over at the grant; the lock is given back', async () => {
    const name = newName();

    const { error, executions } = await run(name, { clock: shiftedClock(-TWO_MINUTES), tick: new Date() });

    expect(error).toMatchObject({ name: 'LockStoreError', code: 'CLOCK_SKEW', retryable: true, lockName: name });
    expect(executions).toEqual([]);
    expect(locks.verbs()).toEqual(['acquire', 'release']);
    const record = await locks.record(name);
    expect(record).toMatchObject({ state: 'released', result: 'failed', error: 'CLOCK_SKEW' });
    expect(record).not.toHaveProperty('doneTick');
    expect((await run(name)).outcome?.status).toBe('executed');
  });

  test.each([
    ['stale by one second more', -1_000],
    ['true', 0],
  ])(
    'a run on a clock that is behind is aborted before its record lets others in, the Date header %s',
    async (_, shiftMs) => {
      const name = newName();
      locks.proxy.setDate({ shiftMs });
      const { clock, stop, next } = clockOfTimers(-3_000);
      const task = async ({ signal }: Execution): Promise<never> => {
        stop();
        while (!signal.aborted) next();
        throw signal.reason;
      };

      const { error, executions, types } = await run(name, { clock, lockAtMostFor: '1m' }, task);

      expect(error).toMatchObject({ name: 'LockLostError', lockName: name });
      expect(clock.now() + 3_000).toBeLessThan(Number(executions[0]?.lockUntil));
      expect(types).toContain('lost');
    },
  );
});

/** Writes a lock whose holder has died, with `lockUntil` as the holder stored it. */
function leaveDead(name: string, lockUntil: number): Promise<void> {
  return putItem(locks.direct, locks.tableName, {
    ...{ lockName: name, attemptId: 'a-dead', fencingToken: 7, state: 'held', lockedBy: 'dead', v: 1 },
    ...{ lockedAt: lockUntil - 3_000, lockUntil, leaseMs: 1_000 },
  });
}
