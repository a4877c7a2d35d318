import { randomUUID } from 'node:crypto';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { lockAdmin } from 'single-execution/admin';
import { dynamoDBAdminStore } from 'single-execution/dynamodb';
import { describe, expect, test } from 'vitest';
import { grantFields } from '../../../src/core/record/transition.js';
import { acquireRequest } from '../../../src/stores/dynamodb/requests.js';
import { shiftedClock } from '../../support/clocks.js';
import { putItem } from '../../support/dynamodb-local.js';
import { claim } from '../../support/one-run.js';
import { ownProxiedLocks, runOnce } from '../../support/proxied-locks.js';

/*
 * The server's clock decides: the Date header of the response that showed the record. In these tests, clients' clocks
 * are wrong by up to two minutes.
 */

const TWO_MINUTES = 120_000;

const locks = await ownProxiedLocks();

const uniqueName = () => `job-${randomUUID()}`;
const untilOf = (record: Record<string, unknown> | undefined) => Number(record?.['lockUntil']);

test.each([30_000, -30_000])('row 17: a Date header %i ms off is reported, and the run goes on', async (shiftMs) => {
  locks.proxy.setDate({ shiftMs });

  const run = await runOnce({ name: uniqueName(), store: locks.store(), lockAtMostFor: '20m' });

  expect(run.outcome).toMatchObject({ status: 'executed', value: 'done', release: 'released' });
  const seen = run.outcome?.status === 'executed' ? run.outcome.clockSkewMs : undefined;
  expect(Math.abs((seen ?? 0) - shiftMs)).toBeLessThanOrEqual(2_000);
  const skew = run.events.find(({ type }) => type === 'clock-skew');
  expect(skew).toMatchObject({ type: 'clock-skew', minMs: expect.any(Number), maxMs: expect.any(Number) });
  expect(run.events.map(({ type }) => type)).not.toContain('clock-unverified');
});

test('row 17: a Date header that is off is reported of a skip too', async () => {
  const name = uniqueName();
  await leaveDead(name, Date.now() + 60_000);
  locks.proxy.setDate({ shiftMs: -30_000 });

  const run = await runOnce({ name, store: locks.store() });

  expect(run.outcome).toMatchObject({ status: 'skipped', reason: 'locked' });
  expect(run.events.map(({ type }) => type)).toContain('clock-skew');
});

test('row 17: a true clock is never reported', async () => {
  const store = locks.store();

  for (let i = 0; i < 20; i++) {
    const run = await runOnce({ name: uniqueName(), store });
    expect(run.outcome).not.toHaveProperty('clockSkewMs');
    expect(run.events.map(({ type }) => type)).not.toContain('clock-skew');
  }
});

test('row 17: a true clock is not reported, though the Date header is a second old', async () => {
  locks.proxy.setDate({ shiftMs: -1_000 });

  for (let i = 0; i < 5; i++) {
    const run = await runOnce({ name: uniqueName(), store: locks.store(), maxClockSkew: 1 });
    expect(run.outcome).not.toHaveProperty('clockSkewMs');
  }
});

test.each([
  ['ahead', TWO_MINUTES],
  ['behind', -TWO_MINUTES],
])('F12 a contender whose clock is two minutes %s does not steal a live lock', async (_, shiftMs) => {
  const name = uniqueName();

  const holder = await runOnce({ name, store: locks.store() }, async () => {
    const contender = await runOnce({ name, store: locks.store(), clock: shiftedClock(shiftMs) });
    expect(contender.outcome).toMatchObject({ status: 'skipped', reason: 'locked' });
    expect(contender.executions).toEqual([]);
    return 'undisturbed';
  });

  expect(holder.outcome).toMatchObject({ value: 'undisturbed', release: 'released' });
  expect(locks.verbs()).toEqual(['acquire', 'acquire', 'release']);
});

test('F13 a contender whose clock is two minutes behind takes over a dead lock by the Date header', async () => {
  const name = uniqueName();
  await leaveDead(name, Date.now() - 1_000);

  const run = await runOnce({ name, store: locks.store(), clock: shiftedClock(-TWO_MINUTES), lockAtMostFor: '10m' });

  expect(run.outcome).toMatchObject({ status: 'executed', fencingToken: 8, previous: { status: 'crashed' } });
  expect(run.events.map(({ type }) => type)).not.toContain('clock-unverified');
  expect(locks.verbs()).toEqual(['acquire', 'takeover', 'release']);
});

describe('row 80: F97 a lock that was given back is free for the next caller, whatever the clocks say', () => {
  test.each([
    ['two minutes ahead, to one whose clock is true', TWO_MINUTES, 0],
    ['true, to one whose clock is two minutes behind', 0, -TWO_MINUTES],
    ['two minutes ahead, to one two minutes behind', TWO_MINUTES, -TWO_MINUTES],
  ])('F13 by a host whose clock is %s', async (_, first, second) => {
    const name = uniqueName();
    const lockAtMostFor = '10m';
    const { executions } = await runOnce({ name, store: locks.store(), clock: shiftedClock(first), lockAtMostFor });
    locks.proxy.reset();
    locks.proxy.setDate('none');

    const run = await runOnce({ name, store: locks.store(), clock: shiftedClock(second), lockAtMostFor });

    expect(run.outcome).toMatchObject({ status: 'executed', previous: { status: 'succeeded' } });
    expect(run.executions[0]?.fencingToken).toBe(Number(executions[0]?.fencingToken) + 1);
    expect(locks.verbs()).toEqual(['acquire', 'takeover', 'release']);
    expect(run.events.map(({ type }) => type)).not.toContain('clock-unverified');
  });

  test('F5 and keeps out what a host whose clock is ahead had sent before, after runs of others too', async () => {
    const name = uniqueName();
    const ahead = await runOnce({ name, store: locks.store(), clock: shiftedClock(TWO_MINUTES) });
    const fence = untilOf(await locks.record(name));
    for (let runs = 0; runs < 2; runs++) await runOnce({ name, store: locks.store() });

    expect(ahead.outcome?.status).toBe('executed');
    expect(fence).toBeGreaterThan(Date.now() + 100_000);
    expect(await locks.record(name)).toMatchObject({ state: 'released', lockUntil: fence, releasedAt: fence });
  });

  test('F61 by an operator’s force, whose clock is ahead', async () => {
    const name = uniqueName();
    await leaveDead(name, Date.now() + TWO_MINUTES);
    const admin = lockAdmin(dynamoDBAdminStore({ tableName: locks.tableName, client: locks.direct }), {
      clock: shiftedClock(TWO_MINUTES),
    });
    await admin.forceRelease(name, { fencingToken: 7 });

    const run = await runOnce({ name, store: locks.store() });

    expect(run.outcome).toMatchObject({ status: 'executed', previous: { status: 'forced' }, fencingToken: 18 });
    expect(locks.verbs()).toEqual(['acquire', 'takeover', 'release']);
  });
});

describe('a tick that is owed passes the lockAtLeastFor of a run that succeeded', () => {
  const FIRST = Date.UTC(2026, 0, 1);
  const [SECOND, THIRD] = [FIRST + 60_000, FIRST + 120_000];
  const holding = { lockAtLeastFor: '1m', lockAtMostFor: '10m' };

  test('row 162: with no request more', async () => {
    const name = uniqueName();
    for (const tick of [FIRST, SECOND, THIRD]) {
      const run = await runOnce({ name, tick, store: locks.store(), ...holding });
      expect(run.outcome).toMatchObject({ status: 'executed', release: 'released' });
    }

    expect(locks.verbs()).toEqual(['acquire', 'release', 'acquire', 'release', 'acquire', 'release']);
    const { lockUntil, lockedAt } = (await locks.record(name)) ?? {};
    expect(Number(lockUntil) - Number(lockedAt)).toBe(60_000);
  });

  test.each([
    ['two minutes ahead, to one whose clock is true', TWO_MINUTES, 0],
    ['true, to one whose clock is two minutes behind', 0, -TWO_MINUTES],
  ])('row 162: whatever the clocks say, after a run on a host whose clock is %s', async (_, first, second) => {
    const name = uniqueName();
    await runOnce({ name, tick: FIRST, store: locks.store(), clock: shiftedClock(first), ...holding });
    const { releasedAt } = (await locks.record(name)) ?? {};
    locks.proxy.reset();
    locks.proxy.setDate('none');

    const run = await runOnce({
      name,
      tick: SECOND,
      store: locks.store(),
      clock: shiftedClock(second),
      lockAtMostFor: '10m',
    });

    expect(run.outcome).toMatchObject({ status: 'executed', previous: { status: 'succeeded' } });
    expect(locks.verbs()).toEqual(['acquire', 'takeover', 'release']);
    expect(run.events.map(({ type }) => type)).not.toContain('clock-unverified');
    // The fence is that of the release, not the end of the hold.
    expect(await locks.record(name)).toMatchObject({ releasedAt, lockUntil: releasedAt });
  });

  test.each([
    ['after a run with a tick', { tick: FIRST }],
    ['after a run without a tick', {}],
  ])('F162 row 165: but no request that was sent before the release: %s', async (_, first) => {
    const name = uniqueName();
    await runOnce({ name, store: locks.store(), ...first, ...holding });
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
    const name = uniqueName();
    const until = Math.ceil(Date.now() / 1_000) * 1_000 + 5_000;
    await leaveDead(name, until);

    locks.proxy.setDate({ atMs: until - 1_000 });
    const early = await runOnce({ name, store: locks.store() });
    locks.proxy.setDate({ atMs: until });
    const onTime = await runOnce({ name, store: locks.store() });

    expect(early.outcome).toMatchObject({ status: 'skipped', reason: 'locked' });
    expect(onTime.outcome).toMatchObject({ status: 'executed', fencingToken: 8 });
    expect(locks.verbs()).toEqual(['acquire', 'acquire', 'takeover', 'release']);
  });

  test('a lock that ends within the second of the Date header is not over', async () => {
    const name = uniqueName();
    const until = Math.ceil(Date.now() / 1_000) * 1_000 + 5_000;
    await leaveDead(name, until + 1);
    locks.proxy.setDate({ atMs: until });

    const run = await runOnce({ name, store: locks.store() });

    expect(run.outcome).toMatchObject({ status: 'skipped', reason: 'locked' });
    expect(await locks.record(name)).toMatchObject({ state: 'held', attemptId: 'a-dead', fencingToken: 7 });
  });

  test('without a Date header it is maxClockSkew later by the own clock, and an event says so', async () => {
    const name = uniqueName();
    const until = Date.now();
    await leaveDead(name, until);
    locks.proxy.setDate('none');
    const at = (ms: number) => ({ ...shiftedClock(0), now: () => ms });

    const early = await runOnce({ name, store: locks.store(), clock: at(until + 2_499), maxClockSkew: '2.5s' });
    const onTime = await runOnce({ name, store: locks.store(), clock: at(until + 2_500), maxClockSkew: '2.5s' });

    expect(early.outcome).toMatchObject({ status: 'skipped', reason: 'locked' });
    expect(early.events.map(({ type }) => type)).not.toContain('clock-unverified');
    expect(onTime.outcome).toMatchObject({ status: 'executed', fencingToken: 8 });
    expect(onTime.events.map(({ type }) => type)).toContain('clock-unverified');
  });
});

describe('the holder stops by the same clock', () => {
  test('CLOCK_SKEW when the server says that the lease is over at the grant; the lock is given back', async () => {
    const name = uniqueName();

    const run = await runOnce({ name, store: locks.store(), clock: shiftedClock(-TWO_MINUTES), tick: new Date() });

    expect(run.error).toMatchObject({ name: 'LockStoreError', code: 'CLOCK_SKEW', retryable: true, lockName: name });
    expect(run.executions).toEqual([]);
    expect(locks.verbs()).toEqual(['acquire', 'release']);
    const record = await locks.record(name);
    expect(record).toMatchObject({ state: 'released', result: 'failed', error: 'CLOCK_SKEW' });
    expect(record).not.toHaveProperty('doneTick');
    expect((await runOnce({ name, store: locks.store() })).outcome?.status).toBe('executed');
  });

  test.each([
    ['stale by one second more', -1_000],
    ['true', 0],
  ])(
    'a run on a clock that is behind is aborted before its record lets others in, the Date header %s',
    async (_, shiftMs) => {
      const name = uniqueName();
      locks.proxy.setDate({ shiftMs });
      let abortedAt = Number.NaN;

      const run = await runOnce(
        { name, store: locks.store(), clock: shiftedClock(-3_000), lockAtMostFor: '4s' },
        ({ signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              abortedAt = Date.now();
              reject(signal.reason);
            });
          }),
      );

      const until = run.executions[0]?.lockUntil.getTime();
      expect(run.error).toMatchObject({ name: 'LockLostError', lockName: name });
      expect(abortedAt).toBeLessThan(Number(until));
      expect(run.events.map(({ type }) => type)).toContain('lost');
    },
  );
});

/** Writes a lock whose holder has died, with `lockUntil` as the holder stored it. */
function leaveDead(name: string, lockUntil: number): Promise<void> {
  return putItem(locks.direct, locks.tableName, {
    lockName: name,
    attemptId: 'a-dead',
    fencingToken: 7,
    state: 'held',
    lockedAt: lockUntil - 3_000,
    lockUntil,
    leaseMs: 1_000,
    lockedBy: 'dead',
    v: 1,
  });
}
