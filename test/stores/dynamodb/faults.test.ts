import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim, Clock, LockStoreError } from 'single-execution';
import { describe, expect, test } from 'vitest';
import { shiftedClock } from '../../support/clocks.js';
import { callOfTries, patientCall, patientStore } from '../../support/contract-harness.js';
import type { Fault, SeenRequest } from '../../support/fault-proxy.js';
import { attemptOf, type LockVerb, verbOf } from '../../support/lock-verb.js';
import { claim } from '../../support/one-run.js';
import { ownProxiedLocks, runOnce } from '../../support/proxied-locks.js';

const locks = await ownProxiedLocks();

const is =
  (...verbs: LockVerb[]) =>
  ({ body }: SeenRequest) =>
    verbs.includes(verbOf(body));
const uniqueName = () => `job-${randomUUID()}`;
/** A store that sends nothing again while an answer is awaited. */
const patientLocks = (client: { maxAttempts: number }) => patientStore(locks.store(client));
const TICK = Date.parse('2026-03-01T20:00:00Z');
const LOST: Fault = { kind: 'reset', at: 'after' };

describe.each([
  ['retries left to the library', { maxAttempts: 1 }],
  ['a client that retries by itself', { maxAttempts: 4 }],
])('%s', (_, client) => {
  test('F6 given up with every request on its way: the barrier refuses them all when they arrive', async () => {
    const name = uniqueName();
    locks.proxy.inject({ kind: 'late' }, { when: is('acquire'), times: Number.POSITIVE_INFINITY });

    const store = locks.store(client);
    const acquire = (asked: Claim) => store.acquire(asked, callOfTries(3));
    const run = await runOnce({ name, store: { ...store, acquire } });
    const arrived = await locks.proxy.deliverLate();

    expect(run.error).toMatchObject({ name: 'LockStoreError', code: 'UNAVAILABLE' });
    expect(run.executions).toEqual([]);
    expect(arrived.length).toBeGreaterThan(0);
    expect(new Set(arrived.map(({ status }) => status))).toEqual(new Set([400]));
    const attempt = attemptOf(locks.proxy.requests()[0]?.body ?? {});
    expect(await locks.record(name)).toEqual({ lockName: name, barredAttempt: attempt });

    locks.proxy.reset();
    expect((await runOnce({ name, store: patientLocks(client) })).outcome?.status).toBe('executed');
  });

  test('F5 an acquire that arrives after its caller was refused and the holder released creates no lock', async () => {
    const name = uniqueName();
    const refused = await whileHeld(name, client, async () => {
      locks.proxy.reset();
      locks.proxy.inject({ kind: 'late' }, { when: is('acquire') });
      return runOnce({ name, store: patientLocks(client) });
    });
    const verbs = locks.verbs();
    const before = await locks.record(name);

    const [zombie] = await locks.proxy.deliverLate();

    expect(refused.outcome).toMatchObject({ status: 'skipped', reason: 'locked' });
    expect(verbs).toEqual(['acquire', 'acquire', 'cancel', 'release']);
    expect(zombie?.status).toBe(400);
    expect(await locks.record(name)).toEqual(before);
    expect(before).toMatchObject({ state: 'released', barredAttempt: expect.stringMatching(/^a/) });
  });

  test('F5 the instant of the release alone keeps a late acquire out when its bar was overwritten', async () => {
    const name = uniqueName();
    await whileHeld(name, client, async () => {
      locks.proxy.reset();
      locks.proxy.inject({ kind: 'late' }, { when: is('acquire') });
      await runOnce({ name, store: patientLocks(client) });
      locks.proxy.inject(LOST, { when: is('acquire') });
      await runOnce({ name, store: patientLocks(client) });
    });
    const before = await locks.record(name);
    const late = attemptOf(locks.proxy.requests()[0]?.body ?? {});
    expect(before?.['barredAttempt']).not.toBe(late);

    const [zombie] = await locks.proxy.deliverLate();

    expect(zombie?.status).toBe(400);
    expect(await locks.record(name)).toEqual(before);
  });

  test('F5 the bar alone keeps out a late acquire from a host whose clock is two minutes ahead', async () => {
    const name = uniqueName();
    await whileHeld(name, client, async () => {
      locks.proxy.reset();
      locks.proxy.inject({ kind: 'late' }, { when: is('acquire') });
      await runOnce({ name, store: patientLocks(client), clock: shiftedClock(120_000) });
    });
    const before = await locks.record(name);

    const [zombie] = await locks.proxy.deliverLate();

    expect(zombie?.status).toBe(400);
    expect(await locks.record(name)).toEqual(before);
  });

  test('F8 a run, a skip and a takeover send UpdateItem only, and never decide by a read', async () => {
    const name = uniqueName();
    await whileHeld(name, client, () => runOnce({ name, store: patientLocks(client) }));
    const dead = uniqueName();
    await holdAndDie(dead, client);
    await runOnce({ name: dead, store: patientLocks(client) });

    expect(locks.verbs()).toEqual(['acquire', 'acquire', 'release', 'acquire', 'acquire', 'takeover', 'release']);
    expect(new Set(locks.proxy.requests().map(({ operation }) => operation))).toEqual(new Set(['UpdateItem']));
  });
});

test('F4 a requestTimeout of the client, which only warns, is not relied on', async () => {
  const name = uniqueName();
  locks.proxy.inject({ kind: 'hang', at: 'before' }, { when: is('acquire') });
  const store = locks.store({ maxAttempts: 1, requestHandler: { requestTimeout: 200 } });

  const run = await runOnce({ name, store });

  expect(run.outcome).toMatchObject({ status: 'executed' });
  expect(run.tookMs).toBeGreaterThan(900);
  // On a busy machine a later try can be silent for as long.
  expect(locks.verbs().join(' ')).toMatch(/^acquire( acquire)+( release)+$/);
});

test('F11 an answer that takes most of a short lease is LATE at worst, and no fault of a clock that is right', async () => {
  // The Date header is the second in which the server answers, after the delay.
  locks.proxy.inject({ kind: 'delay', ms: 600 }, { when: is('acquire'), times: Number.POSITIVE_INFINITY });
  locks.proxy.setDate('answered');
  const store = locks.store();
  await runOnce({ name: uniqueName(), store });
  const spread = Array.from({ length: 6 }, async (_, nth) => {
    await sleep(nth * 170);
    return runOnce({ name: uniqueName(), store, lockAtMostFor: '1s' });
  });

  const codes = (await Promise.all(spread)).map(({ error }) => (error as LockStoreError | undefined)?.code ?? 'none');
  expect(codes).not.toContain('CLOCK_SKEW');
});

test('F11 a grant whose answer comes after its lease is given back as failed; nothing ran', async () => {
  const name = uniqueName();
  locks.proxy.inject({ kind: 'delay', ms: 850 }, { when: is('acquire') });

  const run = await runOnce({ name, store: locks.store(), lockAtMostFor: '1s', tick: TICK });

  expect(run).toMatchObject({ error: { name: 'LockStoreError', code: 'LATE', retryable: true }, executions: [] });
  // On a busy machine an answer can come after the timeout of its try: then there is another.
  expect(locks.verbs().join(' ')).toMatch(/^acquire( acquire)*( release)+$/);
  const record = await locks.record(name);
  expect(record).toMatchObject({ state: 'released', result: 'failed', error: 'LATE' });
  expect(record).not.toHaveProperty('doneTick');
});

test('row 50: an endpoint that does not listen is reported within five seconds', async () => {
  const store = locks.store({ endpoint: 'http://127.0.0.1:1', maxAttempts: 1 });

  /** When the timers that were set are due, however late they fire. */
  const dueMono: number[] = [];
  const clock: Clock = {
    ...shiftedClock(0),
    setTimer(callback, ms) {
      dueMono.push(clock.monotonic() + ms);
      return shiftedClock(0).setTimer(callback, ms);
    },
  };
  const startedMono = clock.monotonic();

  const run = await runOnce({ name: uniqueName(), store, clock });

  expect(run.error).toMatchObject({ code: 'UNAVAILABLE', retryable: true, cause: { code: 'ECONNREFUSED' } });
  expect(Math.max(...dueMono) - startedMono).toBeLessThan(8_000);
});

const claimOf = (name: string, attemptId: string) => claim({ name, attemptId, leaseMs: 20_000, lockedBy: attemptId });

/** Calls `act` while a run holds the lock, and lets that run end. */
async function whileHeld<T>(name: string, client: { maxAttempts: number }, act: () => Promise<T>): Promise<T> {
  let acted: Promise<T> | undefined;
  await runOnce({ name, store: patientLocks(client) }, async () => {
    acted = act();
    await acted;
    return 'held';
  });
  return acted as Promise<T>;
}

/** Leaves a lock whose holder has died and whose lease is over. */
async function holdAndDie(name: string, client: { maxAttempts: number }) {
  const result = await patientLocks(client).acquire(claimOf(name, 'a-dead'), patientCall(shiftedClock(-60_000)));
  expect(result.status).toBe('acquired');
}
