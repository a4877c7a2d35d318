import { type ExecuteOptions, type Execution, executeWithLock, LockLostError, RunEndedError } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { cron, rate } from 'single-execution/schedule';
import { faultyStore } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { gate } from '../../support/gate.js';
import { crash, MINUTE, memoryLocks, NOW } from '../../support/memory-locks.js';

/* Row 89: what becomes of ticks that never came, failed or crashed. */

const HOUR = 60 * MINUTE;
/** Of a run that knows no schedule. */
const plain: object = { schedule: undefined, catchUp: undefined };
const hours = (...at: number[]) => at.map((hour) => new Date(NOW + hour * HOUR));

/** An hourly job that catches up, and the hours that its handler has run for. */
function setting(catchUp: ExecuteOptions['catchUp'] = { mode: 'all' }) {
  const locks = memoryLocks();
  const { options, clock, observer } = locks;
  const store = faultyStore(locks.store);
  const admin = lockAdmin(locks.store, { clock });
  const ran: number[] = [];
  const at = (hour: number, more: Partial<ExecuteOptions> = {}): ExecuteOptions => ({
    ...options,
    store,
    tick: NOW + hour * HOUR,
    schedule: cron('0 * * * *'),
    ...(catchUp && { catchUp }),
    ...more,
  });
  const hourOf = (tick: Date | undefined) => (Number(tick) - NOW) / HOUR;
  const work = (hour: number, meanwhile: (execution: Execution) => unknown = () => {}, more = {}) =>
    executeWithLock(
      async (execution) => {
        await meanwhile(execution);
        ran.push(hourOf(execution.tick));
        return `report of ${hourOf(execution.tick)}`;
      },
      at(hour, more),
    );
  const failed = (hour: number, more: object = {}) => expect(work(hour, fail, more)).rejects.toThrow('no data');
  const failedUntil = async (last: number, more?: object) => {
    for (let hour = 1; hour <= last; hour++) await failed(hour, more);
  };
  const open = async () => (await admin.open('digest')).map(hourOf);
  const told = (type: string) => observer.events.filter((event) => event.type === type);
  return { ...locks, store, admin, ran, at, work, failed, failedUntil, open, told, hourOf };
}

const fail = () => {
  throw new Error('no data');
};
const failAt = (hour: number) => (execution: Execution) => {
  if (Number(execution.tick) === NOW + hour * HOUR) throw new Error(`no data of ${hour}`);
};

describe('row 89: which ticks run, are given up, and stay open', () => {
  const all = (within: string) => ({ mode: 'all', within }) as const;
  const latest = (within: string) => ({ mode: 'latest', within }) as const;

  type Hours = readonly number[];
  /** Hours whose runs succeeded or failed before, in their order. */
  type Before = readonly (number | `failed ${number}`)[];

  test.each<[string, Before, at: number, ExecuteOptions['catchUp'], runs: Hours, givesUp?: Hours, open?: Hours]>([
    ['none for a lock that knows no tick', [], 9, all('1d'), [9]],
    ['one that failed, and those after it, for a lock that knows no other', ['failed 0'], 3, all('1d'), [0, 1, 2, 3]],
    ['those within the time, while older ones are given up', [0, 'failed 1', 2], 7, all('3h'), [4, 5, 6, 7], [1, 3]],
    ['none, while an older one is given up all the same', [0, 'failed 1', 2], 3, all('1h'), [3], [1]],
    ['one at the very instant of within, and no older one', [0, 'failed 1', 'failed 2', 3], 4, all('2h'), [2, 4], [1]],
    [
      'those before an older tick that is redriven, and none after it',
      [0, 'failed 1', 'failed 2', 'failed 3', 4],
      2,
      all('1d'),
      [1, 2],
      [],
      [3],
    ],
    ['the newest that never came with latest, which gives up the others', [0], 5, latest('1d'), [4, 5], [1, 2, 3]],
    ['no tick that failed with latest: it stays open', [0, 'failed 1'], 4, latest('1d'), [3, 4], [2], [1]],
    ['the newest at the very instant of within with latest', [0], 5, latest('1h'), [4, 5], [1, 2, 3]],
    ['none older than within, by latest', [0], 5, latest('30m'), [5], [1, 2, 3, 4]],
  ])('%s', async (_, before, at, catchUp, runs, givesUp = [], left = []) => {
    const { work, failed, ran, told, open } = setting({ mode: 'none' });
    for (const run of before) {
      if (typeof run === 'number') await work(run);
      else await failed(Number(run.slice('failed '.length)));
    }
    ran.length = 0;

    expect(await work(at, undefined, { catchUp })).toMatchObject({ status: 'executed' });
    expect(ran).toEqual(runs);
    expect(told('given-up')).toMatchObject(givesUp.length > 0 ? [{ ticks: hours(...givesUp), others: 0 }] : []);
    expect(await open()).toEqual(left);
  });
});

describe("row 89: catchUp 'all'", () => {
  test('row 200: runs once for each tick that never came, oldest first, and then for its own', async () => {
    const { work, hourOf } = setting();
    await work(0);
    const seen: unknown[] = [];

    const outcome = await work(3, ({ tick, isCatchUp, missedTicks, doneTick }) =>
      seen.push([hourOf(tick), isCatchUp, missedTicks, hourOf(doneTick)]),
    );

    expect(seen).toEqual([
      [1, true, [], 0],
      [2, true, [], 0],
      [3, false, [], 0],
    ]);
    expect(outcome).toMatchObject({ status: 'executed', value: 'report of 3', tick: hours(3)[0], missedTicks: [] });
    expect(outcome).toMatchObject({ caughtUp: hours(1, 2).map((tick) => ({ tick, durationMs: 0 })) });
  });

  test('runs for a tick that failed, crashed or was opened, each once', async () => {
    const { work, failed, ran, at, clock, open } = setting({ mode: 'none' });
    await work(0);
    await failed(1);
    await work(2);
    await crash(at(3));
    await clock.advance(MINUTE);
    ran.length = 0;

    await work(5, undefined, { catchUp: { mode: 'all' } });

    expect(ran).toEqual([1, 3, 4, 5]);
    expect(await open()).toEqual([]);
    for (const hour of [1, 3, 4]) expect(await work(hour)).toMatchObject({ reason: 'stale-tick' });
  });

  test('a tick that fails ends the call with its own error: earlier ones are done, it and later ones stay open', async () => {
    const { work, ran, told } = setting();
    await work(0);

    await expect(work(4, failAt(2))).rejects.toThrow('no data of 2');
    expect(ran).toEqual([0, 1]);
    expect(told('caught-up')).toMatchObject([
      { tick: hours(1)[0], status: 'succeeded' },
      { tick: hours(2)[0], status: 'failed' },
    ]);
    expect(told('failed')).toMatchObject([{ tick: hours(4)[0] }]);

    await work(5);
    expect(ran).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('a tick that fails stays open for runs that know no schedule, too', async () => {
    const { work, open } = setting();
    await work(0);
    await expect(work(4, failAt(2))).rejects.toThrow('no data of 2');

    await work(5, undefined, plain);

    expect(await open()).toEqual([2, 4]);
  });

  test('leaves what is over max to the next run', async () => {
    const { work, ran, open } = setting({ mode: 'all', max: 2 });
    await work(0);

    const outcome = await work(6);

    expect(ran).toEqual([0, 1, 2, 6]);
    expect(await open()).toEqual([3, 4, 5]);
    expect(outcome).toMatchObject({ missedTicks: hours(3, 4, 5) });
    await work(7);
    await work(8);
    expect(ran).toEqual([0, 1, 2, 6, 3, 4, 7, 5, 8]);
    expect(await open()).toEqual([]);
  });

  test('keeps a hundred ticks open, and no run without catchUp cuts them off', async () => {
    const { work, ran, open, clock } = setting({ mode: 'all', max: 1, within: '30d' });
    await work(0);
    await clock.advance(104 * HOUR);
    await work(102);
    expect(await open()).toHaveLength(100);

    await work(103, undefined, { catchUp: { mode: 'none' } });
    expect(await open()).toHaveLength(100);
    await work(104, undefined, { catchUp: { mode: 'all', max: 100, within: '30d' } });

    expect(await open()).toEqual([]);
    expect(ran.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 105 }, (_, hour) => hour));
  });

  test('no long gap that a run without catchUp passes pushes out what an operator has listed', async () => {
    const { work, open, clock, admin } = setting({ mode: 'none' });
    await work(0);
    await clock.advance(200 * HOUR);
    await work(50, undefined, { schedule: undefined });
    await admin.backfill('digest', { from: NOW + HOUR, to: NOW + 13 * HOUR, schedule: cron('0 * * * *') });

    await work(151);

    const listed = Array.from({ length: 12 }, (_, i) => i + 1);
    expect(await open()).toEqual([...listed, 143, 144, 145, 146, 147, 148, 149, 150]);
  });

  test('runs its own tick only once all that waits fits in the record', async () => {
    const { work, ran, open, clock } = setting({ mode: 'all', max: 2, within: '30d' });
    await work(0);
    await clock.advance(104 * HOUR);

    const tooLong = work(104);

    await expect(tooLong).rejects.toThrow(RunEndedError);
    await expect(tooLong).rejects.toMatchObject({ code: 'CATCH_UP' });
    expect(ran).toEqual([0, 1, 2]);
    expect(await open()).toEqual([104]);
    await work(104);
    expect(ran).toEqual([0, 1, 2, 3, 4, 104]);
    expect(await open()).toEqual(Array.from({ length: 99 }, (_, i) => i + 5));
  });

  test('stops when the time of the run is up, and the retry goes on', async () => {
    const { work, ran, clock } = setting();
    await work(0);

    const outOfTime = work(4, () => clock.advance(40_000), { maxHold: '1m', lockAtMostFor: '1h' });

    await expect(outOfTime).rejects.toMatchObject({ name: 'RunEndedError', code: 'MAX_HOLD' });
    expect(ran).toEqual([0, 1, 2]);
    await work(4);
    expect(ran).toEqual([0, 1, 2, 3, 4]);
  });

  test('does not begin its own tick when the time is up after the last one before it', async () => {
    const { work, ran, clock, open } = setting();
    await work(0);

    const outOfTime = work(2, () => clock.advance(61_000), { maxHold: '1m', lockAtMostFor: '1h' });

    await expect(outOfTime).rejects.toMatchObject({ name: 'RunEndedError', code: 'MAX_HOLD' });
    expect(ran).toEqual([0, 1]);
    expect(await open()).toEqual([2]);
  });

  test('a mark holds the lock no longer than maxHold', async () => {
    const { work, clock, item } = setting();
    await work(0);
    const ends: number[] = [];

    await work(
      3,
      async () => {
        await clock.advance(20_000);
        ends.push(Number((await item()).lockUntil) - NOW);
      },
      { maxHold: '1m', lockAtMostFor: '50s' },
    );

    expect(ends).toEqual([50_000, 60_000, 60_000]);
  });

  test('takes off with its first mark what is given up, and keeps all that waits', async () => {
    const { work, open } = setting({ mode: 'all', max: 1 });
    await work(0);
    await work(13);
    const seen: number[][] = [];

    await work(14, async () => seen.push(await open()), { catchUp: { mode: 'all', within: '11h' } });

    expect(seen.slice(0, 2)).toEqual([
      [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
      [4, 5, 6, 7, 8, 9, 10, 11, 12],
    ]);
  });

  test('marks each tick with one write, which holds the lock for as long again', async () => {
    const { work, store, clock } = setting();
    await work(0);
    const before = store.calls.length;

    const outcome = await work(3, () => clock.advance(50_000));

    expect(store.calls.slice(before).map(({ verb }) => verb)).toEqual(['acquire', 'mark', 'mark', 'release']);
    expect(outcome).toMatchObject({ release: 'released', durationMs: 150_000 });
    expect(outcome).toMatchObject({ caughtUp: [{ durationMs: 50_000 }, { durationMs: 50_000 }] });
  });

  test('a mark near maxHold leaves a record that others can read, whatever fraction the clock is at', async () => {
    const { work, clock } = setting();
    await work(0);
    await clock.advance(0.25);
    const others: unknown[] = [];

    await work(
      2,
      async ({ isCatchUp }) => {
        if (isCatchUp) await clock.advance(30_000.5);
        else others.push(await work(3));
      },
      { lockAtMostFor: '50s', maxHold: '1m' },
    );

    expect(others).toMatchObject([{ status: 'skipped', reason: 'locked' }]);
  });

  test('a mark that stays unanswered ends the call, and at worst its tick runs again', async () => {
    const { work, ran, store } = setting();
    await work(0);
    store.next('mark', 'none', 'lose-response');

    await expect(work(4)).rejects.toMatchObject({ name: 'LockStoreError', code: 'UNAVAILABLE', operation: 'mark' });
    expect(ran).toEqual([0, 1, 2]);
    await work(5);
    expect(ran).toEqual([0, 1, 2, 3, 4, 5]);

    store.next('mark', 'none', 'lose-request');
    await expect(work(8)).rejects.toMatchObject({ operation: 'mark' });
    await work(9);
    expect(ran.slice(6)).toEqual([6, 7, 7, 8, 9]);
  });

  test('a lock that is lost meanwhile ends the call, and its tick is not reported as caught up', async () => {
    const { work, ran, admin, told } = setting();
    await work(0);

    const lost = work(3, async ({ fencingToken }) => void (await admin.forceRelease('digest', { fencingToken })));

    await expect(lost).rejects.toThrow(LockLostError);
    expect(ran).toEqual([0, 1]);
    expect(told('caught-up')).toEqual([]);
  });

  test('the history shows how many ticks a run has caught up with', async () => {
    const { work, admin } = setting();
    await work(0);
    await work(4);

    const [newest, first] = (await admin.runs('digest')) ?? [];
    expect(newest).toMatchObject({ status: 'succeeded', tick: hours(4)[0], caughtUp: 3 });
    expect(first).not.toHaveProperty('caughtUp');
  });

  test.each([
    ['too early', -2, 0],
    ['too late', 0, 2],
  ])('a schedule whose ticks come %s: each tick runs once, and none that is done or not due', async (_, from, to) => {
    const { work, ran } = setting();
    const hourly = cron('0 * * * *');
    const by = (at: Date, more: number) => new Date(at.getTime() + more * HOUR);
    const schedule = { ...hourly, between: (a: Date, b: Date) => hourly.between(by(a, from), by(b, to)) };
    await work(0);
    await work(1);

    await work(4, undefined, { schedule });

    expect(ran).toEqual([0, 1, 2, 3, 4]);
  });

  test('a call that a done tick has left behind does not run inside the next one', async () => {
    const { work, at } = setting();
    await work(0);
    const left = gate();
    let late: Promise<unknown> | undefined;

    await work(2, async ({ isCatchUp }) => {
      if (isCatchUp) {
        late = left.opened.then(() => executeWithLock(() => 'again', at(1)));
        return;
      }
      left.open();
      expect(await late).toMatchObject({ status: 'skipped', reason: 'already-executed' });
    });

    expect.assertions(1);
  });

  test('a run without a tick catches up with nothing', async () => {
    const { work, ran, at } = setting();
    await work(0);
    const { tick: _, ...untimed } = at(3);

    expect(await executeWithLock(() => {}, untimed)).toMatchObject({ caughtUp: [] });
    expect(ran).toEqual([0]);
  });
});

describe('row 89: a schedule of the caller', () => {
  const hourly = cron('0 * * * *');
  const failing = () => {
    throw new Error('no calendar');
  };
  /** Asked once before the lock is taken, whether the tick is one of the schedule. */
  const previousOnce = vi.fn(failing).mockImplementationOnce(() => hours(3)[0] as never);

  test.each<[string, object]>([
    ['previous throws', { ...hourly, previous: previousOnce }],
    ['between throws', { ...hourly, between: failing }],
    ['between returns nothing', { ...hourly, between: () => undefined }],
  ])('whose %s leaves no lock held', async (_, schedule) => {
    const { work, ran, item, clock } = setting();
    await work(0);

    await expect(work(3, undefined, { schedule, keepAlive: true })).rejects.toThrow();
    expect(await item()).toMatchObject({ state: 'released', result: 'failed' });
    expect(clock.pendingTimers()).toBe(0);
    await work(3);
    expect(ran).toEqual([0, 1, 2, 3]);
  });

  test('whose previous returns the same instant again and again does not run its tick twice', async () => {
    const { work, ran } = setting({ mode: 'latest' });
    await work(0);
    const stuck = { ...cron('0 * * * *'), previous: () => hours(3)[0] };

    await work(3, undefined, { schedule: stuck });

    expect(ran).toEqual([0, 3]);
  });
});

test('row 89: a tick that failed while it was caught up with shows that it is tried again', async () => {
  const { work, hourOf } = setting();
  await work(0);
  await expect(work(3, failAt(1))).rejects.toThrow('no data of 1');
  const recovering: unknown[] = [];

  await work(4, (execution) => recovering.push([hourOf(execution.tick), execution.recovering]));

  expect(recovering).toEqual([
    [1, true],
    [2, false],
    [3, true],
    [4, false],
  ]);
});

describe('row 89: a job that has never succeeded', () => {
  const crashedUntil = async ({ at, clock }: ReturnType<typeof setting>, last: number) => {
    for (let hour = 1; hour <= last; hour++) {
      await crash(at(hour));
      await clock.advance(MINUTE);
    }
  };

  test.each<[string, (job: ReturnType<typeof setting>) => Promise<void>]>([
    ['failed', ({ failedUntil }) => failedUntil(12)],
    ['crashed', (job) => crashedUntil(job, 12)],
  ])('catches up with its very first tick once it works, where its runs %s', async (_, end) => {
    const job = setting();
    await end(job);

    await job.work(13);

    expect(job.ran).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    expect([await job.open(), job.told('given-up')]).toEqual([[], []]);
  });

  test.each(['all', 'latest', 'none'] as const)(
    'is told at once of each tick over a hundred, whether its run failed or crashed, with mode %s',
    async (mode) => {
      const { failedUntil, failed, told, at, clock, open } = setting({ mode });
      await clock.advance(100 * HOUR);
      await failedUntil(100);
      expect(told('given-up')).toEqual([]);

      await failed(101);
      expect(told('given-up')).toMatchObject([{ tick: hours(101)[0], ticks: hours(1), others: 0 }]);

      await crash(at(102, { observers: [] }));
      await clock.advance(MINUTE);
      await failed(103);
      expect(told('given-up').slice(1)).toMatchObject([{ ticks: hours(2) }, { ticks: hours(3) }]);
      expect((await open())[0]).toBe(4);
    },
  );

  test('goes on without a schedule, and leaves all those ticks open', async () => {
    const { work, failedUntil, open, told } = setting({ mode: 'none' });
    await failedUntil(12, plain);

    await work(13, undefined, plain);

    expect(await open()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(told('given-up')).toEqual([]);
  });
});

describe('row 89: a tick for which the record has no room', () => {
  test('is reported as given up where no schedule can find it again', async () => {
    const { work, failedUntil, failed, told, at, clock } = setting();
    await work(0, undefined, plain);
    await failedUntil(8, plain);
    expect(told('given-up')).toEqual([]);

    await failed(9, plain);
    expect(told('given-up')).toMatchObject([{ ticks: hours(1), others: 0 }]);
    await crash(at(10, { ...plain, observers: [] }));
    await clock.advance(MINUTE);
    await work(11, undefined, plain);
    expect(told('given-up').slice(1)).toMatchObject([{ ticks: hours(2) }]);
  });

  test('is not reported where the schedule finds it again, and runs', async () => {
    const { work, failedUntil, told, ran } = setting();
    await work(0);
    await failedUntil(12, { catchUp: undefined });

    await work(13);

    expect(ran).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    expect(told('given-up')).toEqual([]);
  });

  test.each([
    ['is told as given up by the grant of a run that marks its tick at the start', undefined, hours(1)],
    ['is not told by such a run if it has a schedule', cron('0 * * * *'), undefined],
  ] as const)('%s', async (_, schedule, givenUp) => {
    const { work, failedUntil, told, at, clock } = setting();
    await work(0, undefined, plain);
    await failedUntil(8, plain);
    await crash(at(9, { ...plain, observers: [] }));
    await clock.advance(MINUTE);

    await work(10, undefined, { schedule, catchUp: undefined, tickMark: 'start' });

    expect(told('given-up')).toMatchObject(givenUp ? [{ ticks: givenUp, others: 0 }] : []);
  });

  test('is reported when a success passes more than eight without catchUp', async () => {
    const { work, told, open } = setting({ mode: 'none' });
    await work(0);

    await work(12);

    expect(await open()).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
    expect(told('given-up')).toMatchObject([{ ticks: hours(1, 2, 3), others: 0 }]);
  });

  test('reports the newest hundred by name, and the number of the others', async () => {
    const { work, told, open, clock } = setting({ mode: 'none' });
    await work(0);
    await clock.advance(192 * HOUR);

    await work(193);

    expect(told('missed')).toMatchObject([{ others: 92 }]);
    const [missed, givenUp] = [told('missed')[0], told('given-up')[0]] as unknown as {
      ticks: Date[];
      others: number;
    }[];
    expect([missed?.ticks.length, missed?.ticks[0]]).toEqual([100, ...hours(93)]);
    expect([givenUp?.ticks.length, givenUp?.ticks.at(-1), givenUp?.others]).toEqual([92, ...hours(184), 92]);
    expect((await open())[0]).toBe(185);
  });

  test('is reported when a mark opens more than eight', async () => {
    const { work, failed, told, open } = setting({ mode: 'latest' });
    await work(0);
    for (const hour of [1, 2, 3, 4]) await failed(hour, plain);
    await work(5, undefined, plain);
    for (const hour of [6, 7, 8, 9, 10, 11, 12, 13]) await failed(hour, plain);

    await work(15);

    expect(told('given-up')).toMatchObject([{ ticks: hours(1, 2, 3, 4), others: 0 }]);
    expect(await open()).toEqual([6, 7, 8, 9, 10, 11, 12, 13]);
  });

  test('counts a tick once that failed, and is too old to be named', async () => {
    const { work, failed, told, clock } = setting({ mode: 'latest' });
    await work(0);
    await failed(1, { catchUp: undefined });
    await clock.advance(200 * HOUR);

    await work(202);

    // 1 is still open. 201 is caught up with, and what is named begins at 102.
    expect(told('given-up')).toMatchObject([{ others: 100 }]);
  });
});

describe('row 89: given-up is reported even if the answer was lost', () => {
  test.each([
    ['release', 'lose-request', '30m', { release: 'unknown' }, [1, 2, 3, 4]],
    ['release', 'lose-response', '30m', { release: 'unknown' }, [1, 2, 3, 4]],
    ['mark', 'lose-request', '1d', { name: 'LockStoreError' }, [1, 2, 3]],
    ['mark', 'lose-response', '1d', { name: 'LockStoreError' }, [1, 2, 3]],
  ] as const)('to the first %s: %s, and once only', async (verb, fault, within, settled, givenUp) => {
    const { work, store, told } = setting({ mode: 'latest', within });
    await work(0);
    store.next(verb, fault);

    expect(await work(5).catch((error) => error)).toMatchObject(settled);
    expect(told('given-up')).toMatchObject([{ ticks: hours(...givenUp), others: 0 }]);
  });

  test('to the release of a run that failed', async () => {
    const { work, failedUntil, failed, store, told } = setting();
    await work(0, undefined, plain);
    await failedUntil(8, plain);
    store.next('release', 'lose-response');

    await failed(9, plain);
    expect(told('given-up')).toMatchObject([{ ticks: hours(1) }]);
  });

  test.each([
    ['release', '30m', { release: 'lost' }],
    ['first mark', '1d', { name: 'LockLostError' }],
  ])('but not to a %s that finds the lock lost, because nothing was written', async (_, within, settled) => {
    const { work, told, admin } = setting({ mode: 'latest', within });
    await work(0);
    const forced = async () => {
      const { fencingToken = 0 } = (await admin.get('digest')) ?? {};
      await admin.forceRelease('digest', { fencingToken });
    };

    expect(await work(5, forced).catch((error) => error)).toMatchObject(settled);
    expect(told('given-up')).toEqual([]);
  });
});

describe('row 89: an invalid catchUp', () => {
  const refused: readonly [string, Partial<ExecuteOptions>, string][] = [
    ['no schedule', { schedule: undefined as never }, "catchUp.mode is 'all', but no schedule"],
    ['a duration as schedule', { schedule: '1h' }, "catchUp.mode is 'all', but no schedule"],
    ['a rate without a phase', { schedule: rate('1h') }, "catchUp.mode is 'all', but no schedule"],
    ["tickMark 'start'", { tickMark: 'start' }, "but tickMark is 'start'"],
    ['another mode', { catchUp: { mode: 'some' as 'all' } }, "catchUp.mode is 'some'"],
    ['no object', { catchUp: 'all' as never }, "catchUp is 'all'"],
    ['an unknown option', { catchUp: { mode: 'all', limit: 3 } as never }, "unknown option 'limit' of catchUp"],
    ['within of 0', { catchUp: { mode: 'all', within: 0 } }, 'catchUp.within is 0'],
    ['within over 30 days', { catchUp: { mode: 'all', within: '31d' } }, 'catchUp.within is 31d'],
    ['max of 0', { catchUp: { mode: 'all', max: 0 } }, 'catchUp.max is 0'],
    ['max over 1,000', { catchUp: { mode: 'all', max: 1_001 } }, 'catchUp.max is 1001'],
    ['a store that cannot mark', { store: { ...memoryLocks().store, mark: undefined as never } }, "no function 'mark'"],
  ];

  test.each(refused)('is refused: %s', async (_, more, message) => {
    const { work, ran } = setting();

    await expect(work(1, undefined, more)).rejects.toThrow(message);
    expect(ran).toEqual([]);
  });
});
