import { type ExecuteOptions, type Execution, executeWithLock } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { cron } from 'single-execution/schedule';
import { describe, expect, test, vi } from 'vitest';
import { crash, MINUTE, memoryLocks, NOW } from '../../support/memory-locks.js';

/* Row 85: what becomes of a tick that was not done when a newer one was. */

const HOUR = 60 * MINUTE;

function setting() {
  const locks = memoryLocks();
  const { options, store, clock } = locks;
  const admin = lockAdmin(store, { clock });
  return {
    ...locks,
    admin,
    at: (hour: number, more: Partial<ExecuteOptions> = {}) => ({ ...options, tick: NOW + hour * HOUR, ...more }),
    hoursOpen: async () => (await admin.open('digest')).map((tick) => (tick.getTime() - NOW) / HOUR),
  };
}

type Setting = ReturnType<typeof setting>;

const work = (options: ExecuteOptions) => executeWithLock(() => {}, options);
const fail = async (options: ExecuteOptions) => {
  const failing = executeWithLock(() => Promise.reject(new Error('no database')), options);
  await expect(failing).rejects.toThrow('no database');
};

const ENDS: readonly [string, (setting: Setting, options: ExecuteOptions) => Promise<unknown>][] = [
  ['failed', (_, options) => fail(options)],
  [
    'crashed',
    async ({ clock }, options) => {
      await crash(options);
      await clock.advance(MINUTE);
    },
  ],
  [
    'was ended by force',
    async ({ admin }, options) => {
      await crash(options);
      const { fencingToken = 0 } = (await admin.get('digest')) ?? {};
      await admin.forceRelease('digest', { fencingToken });
    },
  ],
];

describe('row 85: F74 a tick whose run', () => {
  test.each(ENDS)('row 29: %s runs once more, recovering, after a newer one is done, and only once', async (_, end) => {
    const locks = setting();
    const { at } = locks;
    await end(locks, at(1));
    await work(at(2));
    const redriven = vi.fn(({ recovering }: Execution) => recovering);

    expect(await executeWithLock(redriven, at(1))).toMatchObject({ status: 'executed', value: true });
    expect(await executeWithLock(redriven, at(1))).toMatchObject({ status: 'skipped', reason: 'stale-tick' });
    expect(await executeWithLock(redriven, at(2))).toMatchObject({ reason: 'already-executed' });
    expect(redriven).toHaveBeenCalledOnce();
    expect(await executeWithLock(redriven, at(3))).toMatchObject({ value: false });
  });

  test.each(ENDS)('%s stays open when its redrive fails too', async (_, end) => {
    const locks = setting();
    const { at, hoursOpen } = locks;
    await end(locks, at(1));
    await work(at(2));
    await end(locks, at(1));

    expect(await hoursOpen()).toEqual([1]);
    expect(await work(at(3))).toMatchObject({ status: 'executed' });
    expect(await work(at(1))).toMatchObject({ status: 'executed' });
    expect(await hoursOpen()).toEqual([]);
  });

  test.each(ENDS)("%s is not open with tickMark 'start'", async (_, end) => {
    const locks = setting();
    const { at, hoursOpen } = locks;
    const start = { tickMark: 'start' } as const;
    await end(locks, at(1, start));
    await work(at(2, start));

    expect(await hoursOpen()).toEqual([]);
    expect(await work(at(1))).toMatchObject({ reason: 'stale-tick' });
  });
});

describe('row 85:', () => {
  test('two crashes in a row leave both ticks open', async () => {
    const { at, clock, hoursOpen } = setting();
    for (const hour of [1, 2]) {
      await crash(at(hour));
      await clock.advance(MINUTE);
    }
    await work(at(3));

    expect(await hoursOpen()).toEqual([1, 2]);
  });

  test('a newer tick that failed stays open while an older one is done', async () => {
    const { at, hoursOpen } = setting();
    await fail(at(2));
    await work(at(1));
    expect(await hoursOpen()).toEqual([2]);
    await work(at(2));

    expect(await hoursOpen()).toEqual([]);
    expect(await work(at(1))).toMatchObject({ reason: 'stale-tick' });
  });

  test('a tick done late does not open newer ones that are done', async () => {
    const { at } = setting();
    await fail(at(1));
    await work(at(2));
    await work(at(3));
    await work(at(1));

    expect(await work(at(2))).toMatchObject({ reason: 'stale-tick' });
    expect(await work(at(3))).toMatchObject({ reason: 'already-executed' });
  });

  test('ticks that never came are open once a newer one is done', async () => {
    const { at, hoursOpen } = setting();
    const hourly = { schedule: cron('0 * * * *') };
    await work(at(1, hourly));
    await fail(at(4, hourly));
    expect(await hoursOpen()).toEqual([4]);
    await work(at(6, hourly));

    expect(await hoursOpen()).toEqual([2, 3, 4, 5]);
    expect(await work(at(3, hourly))).toMatchObject({ status: 'executed', missedTicks: [] });
    expect(await hoursOpen()).toEqual([2, 4, 5]);
  });

  test('a duration does not show which ticks never came: none of them is open', async () => {
    const { at, hoursOpen } = setting();
    await work(at(1, { schedule: '1h' }));
    await work(at(4, { schedule: '1h' }));

    expect(await hoursOpen()).toEqual([]);
  });

  test('the newest eight are remembered', async () => {
    const { at, hoursOpen } = setting();
    await work(at(0));
    for (let hour = 1; hour <= 10; hour++) await fail(at(hour));
    await work(at(11));

    expect(await hoursOpen()).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await work(at(2))).toMatchObject({ reason: 'stale-tick' });
    expect(await work(at(3))).toMatchObject({ status: 'executed' });
  });

  test("a wrapper that marks ticks at their start does not run another wrapper's open ticks", async () => {
    const { at, hoursOpen } = setting();
    await fail(at(1));
    await work(at(2));

    expect(await work(at(1, { tickMark: 'start' }))).toMatchObject({ reason: 'stale-tick' });
    expect(await hoursOpen()).toEqual([1]);
  });

  test('a deleted lock has forgotten its open ticks, and an unused one has none', async () => {
    const { at, admin, hoursOpen } = setting();
    expect(await hoursOpen()).toEqual([]);
    await fail(at(1));
    await work(at(2));
    const { fencingToken = 0 } = (await admin.get('digest')) ?? {};
    await admin.delete('digest', { fencingToken });
    await work(at(3));

    expect(await hoursOpen()).toEqual([]);
  });
});
