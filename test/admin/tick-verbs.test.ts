import { randomUUID } from 'node:crypto';
import { executeWithLock } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { memoryStore } from 'single-execution/memory';
import { cron, rate } from 'single-execution/schedule';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { thisProcess } from '../../src/core/values/environment.js';
import type { Locks } from '../support/backends/backend.js';
import { type BackendStage, kindsOfRun, startBackends } from '../support/backends/stage.js';
import { pass, shiftedClock } from '../support/clocks.js';
import { call, claim, done, grant } from '../support/one-run.js';

/* Row 93: the operators' verbs for open ticks. */

const HOURLY = cron('0 * * * *');
const NOON = Date.UTC(2026, 2, 1, 12);
const hour = (n: number) => new Date(NOON + n * 3_600_000);
const hours = (...all: readonly number[]) => all.map(hour);

const KINDS = kindsOfRun();
let stage: BackendStage;
beforeAll(async () => {
  stage = await startBackends(...KINDS);
});
afterAll(() => stage.stop());

describe.each(KINDS)('row 93: on %s', (kind) => {
  let stores: Locks;
  beforeAll(() => {
    stores = stage.on(kind);
  });

  /** An operator beside others: `meanwhile` is called after each read of a lock. */
  function hurriedAdmin(meanwhile: (look: number) => unknown) {
    let looks = 0;
    const admin = lockAdmin({
      ...stores.admin,
      async get(...args) {
        const stored = await stores.admin.get(...args);
        await meanwhile(++looks);
        return stored;
      },
    });
    return { admin, looks: () => looks };
  }

  /** A job with its own lock name, and an operator. */
  function job() {
    const name = `job-${randomUUID()}`;
    const admin = lockAdmin(stores.admin);
    const options = { name, store: stores.store, lockAtMostFor: '5m', observers: [] } as const;
    const run = (n?: number, task: () => unknown = () => 'done') =>
      executeWithLock(task, n === undefined ? options : { ...options, tick: hour(n) });
    return {
      name,
      run,
      backfill: (from: number, to: number, schedule = HOURLY) =>
        admin.backfill(name, { from: hour(from), to: hour(to), schedule }),
      forget: (...ticks: readonly number[]) => admin.forget(name, hours(...ticks)),
      open: () => admin.open(name),
      admin,
    };
  }

  /** Makes a grant whose lease is over and that nobody has released. */
  async function die(name: string): Promise<{ readonly fencingToken: number }> {
    const clock = shiftedClock(-60_000);
    const result = await stores.store.acquire(claim({ name, leaseMs: 20 }), { ...call(), clock });
    if (result.status !== 'acquired') throw new Error(`refused: ${result.reason}`);
    await pass(clock, 25);
    return result.lease;
  }

  test('an outage is made up for: each of its ticks runs once, and only once', async () => {
    const { run, backfill, open } = job();
    await run(0);
    await run(6);
    expect(await run(3)).toMatchObject({ status: 'skipped', reason: 'stale-tick' });

    expect(await backfill(0, 7)).toEqual(hours(1, 2, 3, 4, 5));

    expect(await open()).toEqual(hours(1, 2, 3, 4, 5));
    const ran: number[] = [];
    for (const n of [1, 2, 3, 4, 5]) expect(await run(n, () => ran.push(n))).toMatchObject({ status: 'executed' });
    for (const n of [1, 2, 3, 4, 5]) expect(await run(n, () => ran.push(n))).toMatchObject({ reason: 'stale-tick' });
    expect(ran).toEqual([1, 2, 3, 4, 5]);
    expect(await open()).toEqual([]);
    expect(await backfill(0, 7)).toEqual([]);
  });

  test('ticks that came to be due since the last run stay open when a newer one is done', async () => {
    const { run, backfill, open } = job();
    await run(0);

    expect(await backfill(1, 4)).toEqual(hours(1, 2, 3));

    expect(await open()).toEqual(hours(1, 2, 3));
    await run(4);
    for (const n of [3, 1, 2]) expect(await run(n)).toMatchObject({ status: 'executed' });
    for (const n of [3, 1, 2]) expect(await run(n)).toMatchObject({ reason: 'stale-tick' });
  });

  test('ticks that failed are left on the list, and reported', async () => {
    const { run, backfill, open } = job();
    await run(0);
    await run(2, fails).catch(() => undefined);
    await run(4);

    expect(await backfill(2, 4)).toEqual(hours(2, 3));
    expect(await backfill(2, 4)).toEqual(hours(2, 3));
    expect(await open()).toEqual(hours(2, 3));
  });

  test('a tick of the last ten runs that is done is never listed; one that is older is', async () => {
    const { run, backfill } = job();
    for (let n = 0; n <= 11; n++) await run(n);

    expect(await backfill(0, 12)).toEqual(hours(0, 1));
    expect(await run(0)).toMatchObject({ status: 'executed' });
  });

  test('what is given up is skipped as stale, the rest is not', async () => {
    const { run, backfill, forget, open } = job();
    await run(0);
    await run(4);
    await backfill(1, 4);

    expect(await forget(0, 3, 1, 4)).toEqual({ givenUp: hours(1, 3), stillRun: [] });

    expect(await open()).toEqual(hours(2));
    for (const n of [1, 3]) expect(await run(n)).toMatchObject({ reason: 'stale-tick' });
    expect(await run(2)).toMatchObject({ status: 'executed' });
  });

  test('a tick newer than the newest one done leaves the list, but still runs until a newer one is done', async () => {
    const { run, backfill, forget, open } = job();
    await run(0);
    await run(6);
    await backfill(3, 4);
    await run(8, fails).catch(() => undefined);

    expect(await forget(9, 3, 8, 6, 8)).toEqual({ givenUp: hours(3), stillRun: hours(8, 9) });
    expect(await open()).toEqual([]);
    expect(await run(3)).toMatchObject({ reason: 'stale-tick' });
    expect(await run(8)).toMatchObject({ status: 'executed' });
    await run(9, fails).catch(() => undefined);
    expect(await forget(9)).toEqual({ givenUp: [], stillRun: hours(9) });
    await run(10);
    expect(await run(9)).toMatchObject({ reason: 'stale-tick' });
  });

  test('before a first tick is done, gaps are listed, and no tick can be given up', async () => {
    const { run, backfill, forget, open } = job();
    await run(2, fails).catch(() => undefined);

    expect(await forget(2)).toEqual({ givenUp: [], stillRun: hours(2) });
    expect(await open()).toEqual([]);
    expect(await backfill(0, 2)).toEqual(hours(0, 1));
    expect(await run(2)).toMatchObject({ status: 'executed' });
    expect(await open()).toEqual(hours(0, 1));
  });

  test.each([
    ['with a tick done, its schedule lists it again', true, [2, 3]],
    ['without a tick done, it stays out', false, [3]],
  ])('catch-up after a failed tick is forgotten: %s', async (_title, isDone, ran) => {
    const { name, run, forget } = job();
    if (isDone) await run(1);
    await run(2, fails).catch(() => undefined);
    await forget(2);

    const calls: (Date | undefined)[] = [];
    const catchUp = { schedule: HOURLY, catchUp: { mode: 'all' } } as const;
    await executeWithLock(({ tick }) => calls.push(tick), {
      ...{ name, store: stores.store, lockAtMostFor: '5m', observers: [], tick: hour(3) },
      ...catchUp,
    });
    expect(calls).toEqual(hours(...ran));
  });

  test('nothing is changed while a run holds the lock, nor after its holder has died, until it is ended by force', async () => {
    const { name, run, backfill, forget, open, admin } = job();
    await run(0);
    await run(2, fails).catch(() => undefined);
    await run(4);

    const message = expect.stringMatching(
      `of lock "${name}" refused: locked, held by ${thisProcess()} until .*; try again`,
    );
    const skipped = { status: 'skipped', name, reason: 'locked', holder: { lockedBy: thisProcess() } };
    const held = { name: 'LockHeldError', lockName: name, message, skipped };
    await run(5, async () => {
      await expect(backfill(1, 4)).rejects.toMatchObject(held);
      await expect(forget(2)).rejects.toMatchObject(held);
    });
    expect(await open()).toEqual(hours(2));

    const { fencingToken } = await die(name);
    await expect(backfill(1, 4)).rejects.toMatchObject({ name: 'LockHeldError' });
    await admin.forceRelease(name, { fencingToken });
    expect(await backfill(1, 4)).toEqual(hours(1, 2, 3));
  });

  test('a name that has not run has no gaps: a backfill says so, and makes no record', async () => {
    const { name, backfill, forget, admin, run } = job();
    const refused = {
      name: 'RangeError',
      message: expect.stringContaining(`name is '${name}': this lock has not run`),
    };

    await expect(backfill(0, 4)).rejects.toMatchObject(refused);
    expect(await forget(1)).toEqual({ givenUp: [], stillRun: hours(1) });
    expect(await admin.get(name)).toBeUndefined();

    await run(0);
    const { fencingToken = 0 } = (await admin.get(name)) ?? {};
    await admin.delete(name, { fencingToken });
    await expect(backfill(0, 4)).rejects.toMatchObject(refused);
  });

  test('a hundred ticks may be listed, and one more changes nothing', async () => {
    const { name, run, backfill, forget, open } = job();
    await run(200);

    expect(await backfill(0, 99)).toHaveLength(99);
    await expect(backfill(97, 101)).rejects.toThrow(
      `backfill of lock "${name}" refused: it lists at most 100 ticks, and has 99 already; pass a shorter time between from and to`,
    );
    expect(await open()).toHaveLength(99);
    expect(await backfill(98, 100)).toEqual(hours(98, 99));

    expect(await run(0)).toMatchObject({ status: 'executed' });
    await run(201, fails).catch(() => undefined);
    await run(202);
    expect(await open()).toEqual(hours(...Array.from({ length: 99 }, (_n, n) => n + 1), 201));
    await expect(backfill(0, 100_000)).rejects.toThrow('it lists at most 100 ticks');
    await forget(...Array.from({ length: 100 }, (_n, n) => n));
    expect(await open()).toEqual(hours(201));
  });

  test('what another operator writes at the same time is kept', async () => {
    const { name, run, backfill, open } = job();
    await run(0);
    await run(9);
    const { admin, looks } = hurriedAdmin((look) => look === 1 && backfill(1, 3));

    const given = { from: hour(5), to: hour(7), schedule: HOURLY };
    expect(await admin.backfill(name, given)).toEqual(hours(5, 6));
    expect(looks()).toBe(2);
    expect(await open()).toEqual(hours(1, 2, 5, 6));
  });

  test('a run between the look and the write is not written over', async () => {
    const { name, run, backfill, open } = job();
    await run(0);
    await run(9);
    await backfill(1, 4);
    const { admin } = hurriedAdmin((look) => look === 1 && run(2));

    const given = { from: hour(1), to: hour(6), schedule: HOURLY };
    expect(await admin.backfill(name, given)).toEqual(hours(1, 3, 4, 5));
    expect(await open()).toEqual(hours(1, 3, 4, 5));
    expect(await run(2)).toMatchObject({ reason: 'stale-tick' });
  });

  test('a lock that changes again and again is given up', async () => {
    const { name, run } = job();
    await run(0);
    await run(9);
    const { admin, looks } = hurriedAdmin(() => run());

    await expect(admin.backfill(name, { from: hour(1), to: hour(2), schedule: HOURLY })).rejects.toThrow(
      `backfill of lock "${name}" failed: it kept changing; try again`,
    );
    expect(looks()).toBe(5);
  });
});

describe('row 93: the ticks of a backfill', () => {
  /** An operator whose clock stands at hour `n`, and a job whose newest tick done is hour 99. */
  async function operatorAt(n: number) {
    const store = memoryStore();
    const lease = await grant(store, claim({ tickMs: hour(99).getTime() }));
    await store.release(lease, done, call());
    const clock = { ...shiftedClock(0), now: () => hour(n).getTime() };
    return lockAdmin(store, { clock });
  }
  const range = { from: hour(1), to: hour(4), schedule: HOURLY };

  test.each<[string, object, readonly Date[]]>([
    ['begin with from, and end before to', {}, hours(1, 2, 3)],
    ['are given by numbers as by Dates', { from: hour(1).getTime(), to: hour(3).getTime() }, hours(1, 2)],
    ['end with the present', { to: hour(200), from: hour(48) }, hours(48, 49, 50)],
    ['are none in the future', { from: hour(51), to: hour(52) }, []],
    ['of a rate without a start count from from', { from: hour(1.5), schedule: rate('1 hour') }, hours(1.5, 2.5, 3.5)],
    ['of a duration count from from', { from: hour(1.5), schedule: '2h' }, hours(1.5, 3.5)],
    ['of a rate with a start count from there', { schedule: rate('2h', { start: hour(0) }) }, hours(2)],
    [
      'are those of its schedule within the range, whatever it tells',
      { schedule: { ...HOURLY, between: () => [hour(0), hour(2), hour(4), new Date(Number.NaN)] } },
      hours(2),
    ],
  ])('%s', async (_, given, expected) => {
    const admin = await operatorAt(50);

    expect(await admin.backfill('digest', { ...range, ...given })).toEqual(expected);
    expect(await admin.open('digest')).toEqual(expected);
  });

  test.each<[string, unknown, string]>([
    ['no range', undefined, 'options is undefined: pass an object of options'],
    ['an unknown option', { ...range, until: hour(5) }, "unknown option 'until' of backfill: the options are from, to"],
    ['no from', { ...range, from: undefined }, 'from is undefined: pass a Date, or epoch milliseconds'],
    ['a text', { ...range, to: '2026-03-01' }, "to is '2026-03-01': pass a Date, or epoch milliseconds"],
    ['an invalid Date', { ...range, to: new Date(Number.NaN) }, 'to is an invalid Date: pass a Date'],
    ['seconds', { ...range, from: NOON / 1_000 }, 'from is 1970-01-21T12:19:26.400Z, before 2015: pass a later one; a'],
    ['an end before its beginning', { ...range, to: hour(0) }, ', and to is 2026-03-01T12:00:00.000Z: pass a later to'],
    ['no time at all', { ...range, to: hour(1) }, 'from is 2026-03-01T13:00:00.000Z, and to is 2026-03-01T13:00:00'],
    ['no schedule', { ...range, schedule: undefined }, "schedule is undefined: pass the job's, such as cron("],
    ['a crontab', { ...range, schedule: '0 * * * *' }, "schedule is '0 * * * *': pass a duration such as '15m', or a"],
    ['a schedule that is none', { ...range, schedule: {} }, "schedule has no function 'previous': pass a duration"],
    ['no time between two ticks', { ...range, schedule: 0 }, 'schedule is 0: pass the time between two ticks'],
  ])('are refused for %s', async (_, given, message) => {
    const admin = await operatorAt(50);

    const error: unknown = await admin.backfill('digest', given as never).catch((thrown: unknown) => thrown);
    expect(error instanceof TypeError || error instanceof RangeError).toBe(true);
    expect((error as Error).message).toContain(message);
    expect(await admin.open('digest')).toEqual([]);
  });

  test.each<[string, unknown, string]>([
    ['no array', hour(1), 'ticks is 2026-03-01T13:00:00.000Z: pass an array of Dates, as open returns'],
    ['a text among them', [hour(1), '2026-03-01'], "ticks[1] is '2026-03-01': pass a Date, or epoch milliseconds"],
  ])('to give up are refused for %s', async (_, given, message) => {
    const admin = await operatorAt(50);
    await admin.backfill('digest', range);

    await expect(admin.forget('digest', given as never)).rejects.toThrow(message);
    expect(await admin.open('digest')).toEqual(hours(1, 2, 3));
    expect(await admin.forget('digest', [hour(1).getTime(), hour(2)])).toEqual({ givenUp: hours(1, 2), stillRun: [] });
  });
});

const fails = () => Promise.reject(new Error('no database'));
