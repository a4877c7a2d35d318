import { type Execution, executeWithLock, LockLostError, LockStoreError } from 'single-execution';
import { describe, expect, test } from 'vitest';
import { pass } from '../../support/clocks.js';
import { storeCall } from '../../support/contract-harness.js';
import { keptLocks, MINUTE, NOW } from '../../support/memory-locks.js';

const leaseOver = new LockLostError('digest', 'its lease is over');
const hasEnded = new LockLostError('digest', 'the run has ended');

/** Locks of a minute, without `keepAlive`. */
function byHand(...plan: Parameters<typeof keptLocks>) {
  const locks = keptLocks(...plan);
  return { ...locks, options: { ...locks.options, keepAlive: false } };
}

describe('row 24: extend', () => {
  test('row 24: holds the lock until now and so much longer, in the record and for the run', async () => {
    const { clock, store, options, item, observer } = byHand();
    const running = executeWithLock(async (execution) => {
      await pass(clock, 50_000);
      await execution.extend('5m');
      const { lockUntil } = execution;
      await pass(clock, 4 * MINUTE);
      execution.assertHeld();
      return [lockUntil, execution.signal.aborted];
    }, options);
    await clock.advance(50_000);
    expect(await item()).toMatchObject({ state: 'held', lockUntil: NOW + 350_000 });
    await clock.advance(3 * MINUTE);
    expect(await executeWithLock(() => {}, { ...options, store, observers: [] })).toMatchObject({ reason: 'locked' });
    await clock.advance(MINUTE);

    expect(await running).toMatchObject({ value: [new Date('2026-01-01T00:05:50Z'), false], release: 'released' });
    expect(observer.events.filter(({ type }) => type === 'extended')).toMatchObject([
      { fencingToken: NOW + 1, lockUntil: new Date('2026-01-01T00:05:50Z') },
    ]);
  });

  test.each([0, 1, '30s', '60s'])('row 24: by %o, which is no longer than it is held, changes nothing', async (by) => {
    const { clock, options, item } = byHand();
    const running = executeWithLock(async (execution) => {
      await execution.extend(by);
      const { lockUntil } = execution;
      await pass(clock, 59_399);
      execution.assertHeld();
      return lockUntil;
    }, options);
    await clock.advance(0);
    expect(await item()).toMatchObject({ lockUntil: NOW + MINUTE });
    await clock.advance(MINUTE);

    expect(await running).toMatchObject({ value: new Date(NOW + MINUTE) });
  });

  test('row 24: an invalid duration is refused before anything is sent', async () => {
    const { options, extendedAt } = byHand();
    await executeWithLock(async ({ extend }) => {
      await expect(extend('10')).rejects.toThrow(
        new TypeError("duration is '10', which has no unit: write '10ms', '10s' or '10m'"),
      );
      await expect(extend(-1)).rejects.toThrow(RangeError);
    }, options);

    expect(extendedAt).toEqual([]);
    expect.assertions(3);
  });

  test.each<[string, object, string, string]>([
    ['maxHold', { maxHold: '10m' }, '9m59s', '10m'],
    ['a day, where no maxHold is given', {}, '23h59m59s', '24h'],
    ['the deadline of the platform, where no maxHold is given', { deadline: NOW + 5 * MINUTE }, '4m59s', '5m'],
  ])('row 23: past %s it is refused, and both are named', async (_, over, left, more) => {
    const { clock, options, extendedAt } = byHand();
    const running = executeWithLock(
      async ({ extend, assertHeld }) => {
        await pass(clock, 1_000);
        await expect(extend('2d')).rejects.toThrow(
          new RangeError(`duration is 2d, past maxHold, which ends in ${left}: extend by less, or raise maxHold`),
        );
        await expect(extend(more)).rejects.toThrow(RangeError);
        assertHeld();
        await extend(left);
      },
      { ...options, ...over },
    );
    await clock.advance(1_000);

    expect(await running).toMatchObject({ status: 'executed' });
    expect(extendedAt).toEqual([1_000]);
  });
});

describe('row 24: LockLostError', () => {
  const forcedAway = new LockLostError('digest', 'somebody else holds it, or an operator has freed it');

  test('row 24: when the lock was taken away, as the answer of the store says', async () => {
    const { clock, store, options, extendedAt, observer } = byHand();
    const force = { name: 'digest', adminId: 'f1', fencingToken: NOW + 1, lockedAtMs: NOW, nowMs: NOW };
    const outcome = await executeWithLock(async ({ extend, signal }) => {
      await store.forceRelease(force, storeCall(clock));
      await expect(extend('5m')).rejects.toThrow(LockLostError);
      await expect(extend('5m')).rejects.toThrow(LockLostError);
      return signal.reason;
    }, options);

    expect(outcome).toMatchObject({ value: forcedAway, release: 'lost' });
    expect(extendedAt).toHaveLength(1);
    expect(observer.types()).toEqual(['attempted', 'acquired', 'started', 'lost', 'finished']);
  });

  test('row 24: a lost lock is reported as lost, also past maxHold', async () => {
    const { clock, options } = byHand();
    const running = executeWithLock(
      async ({ extend }) => {
        await pass(clock, 2 * MINUTE);
        await extend('5m');
      },
      { ...options, maxHold: '90s' },
    );
    const lost = expect(running).rejects.toThrow(leaseOver);
    await clock.advance(2 * MINUTE);
    await lost;
  });

  test('row 24: F36 after the run has ended, as assertHeld throws it too, and nothing is sent', async () => {
    const { options, extendedAt } = byHand();
    let execution: Execution | undefined;
    await executeWithLock((given) => {
      execution = given;
    }, options);

    await expect(execution?.extend('5m')).rejects.toThrow(hasEnded);
    expect(() => execution?.assertHeld()).toThrow(hasEnded);
    expect(extendedAt).toEqual([]);
  });

  test('row 24: row 51: in an unguarded run', async () => {
    const { options, extendedAt } = byHand({ acquire: 'lose-request' });
    await executeWithLock(
      async ({ extend }) => {
        await expect(extend('5m')).rejects.toThrow(new LockLostError('digest', 'it runs unguarded'));
      },
      { ...options, onStoreError: 'run' },
    );

    expect(extendedAt).toEqual([]);
    expect.assertions(2);
  });
});

test('row 24: when the store fails it is a LockStoreError, and the lock is held as long as before', async () => {
  const { clock, options, observer } = byHand({ extend: ['lose-request'] });
  const running = executeWithLock(async (execution) => {
    const before = execution.lockUntil;
    await expect(execution.extend('5m')).rejects.toThrow(LockStoreError);
    execution.assertHeld();
    expect(execution.lockUntil).toEqual(before);
    await execution.extend('2m');
    await pass(clock, 118_000);
    execution.assertHeld();
  }, options);
  await clock.advance(2 * MINUTE);

  expect(await running).toMatchObject({ release: 'released' });
  expect(observer.types()).toEqual([
    ...['attempted', 'acquired', 'started', 'extend-failed', 'extended', 'released', 'finished'],
  ]);
});
