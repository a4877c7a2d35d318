import { type ExecuteOptions, type Execution, executeWithLock } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { cron } from 'single-execution/schedule';
import { describe, expect, test, vi } from 'vitest';
import { crash, MINUTE, memoryLocks, NOW } from '../../support/memory-locks.js';

/*
 * Row 85: what becomes of a tick that was not done when a newer one was. What a store keeps of it is in the contract,
 * src/testing/contract/open-ticks.ts.
 */

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

test.each(ENDS)(
  'row 85: F74 row 29: a tick whose run %s runs once more, recovering, after a newer one is done, and only once',
  async (_, end) => {
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
  },
);

describe('row 85:', () => {
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
});
