import {
  acquireLock,
  currentExecution,
  executeWithLock,
  type HandleOptions,
  LockHeldError,
  LockLostError,
} from 'single-execution';
import { describe, expect, test, vi } from 'vitest';
import { pass } from '../../support/clocks.js';
import { crash, keptLocks, MINUTE, memoryLocks, NOW } from '../../support/memory-locks.js';

describe('acquireLock', () => {
  test('resolves once the lock is held, with the facts of the grant', async () => {
    const { options, item } = memoryLocks();
    await crash({ ...options, name: 'other' });
    const lock = await acquireLock(options);

    expect(await item()).toMatchObject({ state: 'held', fencingToken: NOW + 1 });
    expect({ name: lock.name, fencingToken: lock.fencingToken, previous: lock.previous }).toEqual({
      name: 'digest',
      fencingToken: NOW + 1,
      previous: undefined,
    });
    expect([lock.lockedAt, lock.lockUntil]).toEqual([new Date(NOW), new Date(NOW + MINUTE)]);
    expect(lock.signal.aborted).toBe(false);
    expect(() => lock.assertHeld()).not.toThrow();
  });

  test('row 200: has the newest tick that was done before it', async () => {
    const { options } = memoryLocks();
    await executeWithLock(() => {}, { ...options, tick: NOW });
    const lock = await acquireLock({ ...options, tick: NOW + MINUTE });

    expect(lock.doneTick).toEqual(new Date(NOW));
  });

  test('is released at the end of an `await using`, whether its block returns or throws', async () => {
    const { options, item } = memoryLocks();
    const error = new Error('no database');
    const scope = async (fail: boolean) => {
      await using lock = await acquireLock(options);
      expect(await item()).toMatchObject({ state: 'held', fencingToken: lock.fencingToken });
      if (fail) throw error;
      return 'sent';
    };

    expect(await scope(false)).toBe('sent');
    expect(await item()).toMatchObject({ state: 'released', result: 'succeeded', fencingToken: NOW + 1 });
    await expect(scope(true)).rejects.toBe(error);
    expect(await item()).toMatchObject({ state: 'released', fencingToken: NOW + 2 });
  });

  test('F57 released twice, by hand and by its scope, it is released once and says so each time', async () => {
    const { options, store, observer } = memoryLocks();
    const release = vi.spyOn(store, 'release');
    {
      await using lock = await acquireLock(options);
      expect(await Promise.all([lock.release(), lock.release()])).toEqual(['released', 'released']);
    }

    expect(release).toHaveBeenCalledOnce();
    expect(observer.types()).toEqual(['attempted', 'acquired', 'started', 'released', 'finished']);
  });

  test('code after it is not inside a run: nothing nests in a handle', async () => {
    const { options } = memoryLocks();
    await using _lock = await acquireLock(options);

    expect(currentExecution()).toBeUndefined();
    await expect(acquireLock(options)).rejects.toThrow(LockHeldError);
  });
});

describe('a handle with a tick', () => {
  const ticked = () => {
    const { options, ...locks } = memoryLocks();
    return { ...locks, options: { ...options, tick: NOW } };
  };

  test('row 34: is done when the handle is released, and is not taken again', async () => {
    const { options, item } = ticked();
    const lock = await acquireLock(options);
    expect(lock.tick).toEqual(new Date(NOW));
    expect(await lock.release()).toBe('released');

    expect(await item()).toMatchObject({ state: 'released', result: 'succeeded', doneTick: NOW });
    await expect(acquireLock(options)).rejects.toMatchObject({ skipped: { reason: 'already-executed' } });
  });

  test('row 37: stays open when the work has failed, and the error is recorded by its name', async () => {
    const { options, item } = ticked();
    const lock = await acquireLock(options);
    await lock.fail(new RangeError('password=secret'));

    expect(await item()).toMatchObject({ state: 'released', result: 'failed', error: 'RangeError' });
    expect(await item()).not.toHaveProperty('doneTick');
    expect((await acquireLock(options)).recovering).toBe(true);
  });

  test('row 37: stays open when the handle goes out of scope before it is released', async () => {
    const { options, item } = ticked();
    const scope = async (fail: boolean) => {
      await using lock = await acquireLock(options);
      if (fail) throw new Error('no database');
      return lock.release();
    };

    await expect(scope(true)).rejects.toThrow('no database');
    expect(await item()).toMatchObject({ state: 'released', result: 'failed', error: 'Error' });
    expect(await scope(false)).toBe('released');
    expect(await item()).toMatchObject({ result: 'succeeded', doneTick: NOW });
  });

  test('F57 its first verdict stands', async () => {
    const { options, item } = ticked();
    const first = await acquireLock(options);
    await first.fail();
    expect(await first.release()).toBe('none');
    expect(await item()).toMatchObject({ result: 'failed' });
    const second = await acquireLock(options);
    await second.release();
    await second.fail();

    expect(await item()).toMatchObject({ result: 'succeeded' });
  });
});

describe('a handle over time', () => {
  test('row 21: F27 F36 with keepAlive it is renewed until it is released, and leaves no timer', async () => {
    const { clock, options, extendedAt, item } = keptLocks();
    const lock = await acquireLock(options);
    await clock.advance(5 * MINUTE);
    expect(() => lock.assertHeld()).not.toThrow();
    expect(await item()).toMatchObject({ state: 'held' });
    const renewals = extendedAt.length;

    expect(await lock.release()).toBe('released');
    expect(clock.pendingTimers()).toBe(0);
    await expect(lock.extend('5m')).rejects.toThrow(new LockLostError('digest', 'the run has ended'));
    expect([renewals, extendedAt.length]).toEqual([15, 15]);
  });

  test('row 25: forgotten, without keepAlive it loses its lock at the end of the lease', async () => {
    const { clock, options } = memoryLocks();
    const lock = await acquireLock(options);
    await clock.advance(MINUTE);

    expect(lock.signal.reason).toEqual(new LockLostError('digest', 'its lease is over'));
    expect(() => lock.assertHeld()).toThrow(LockLostError);
    expect(await executeWithLock(() => 'next', options)).toMatchObject({ value: 'next' });
    expect(await lock.release()).toBe('lost');
  });

  test('row 32: a release that fails is reported as unknown, and does not reject', async () => {
    const { options } = keptLocks({ release: 'lose-request' });
    const lock = await acquireLock(options);

    expect(await lock.release()).toBe('unknown');
  });

  test('row 9: taken inside a run that holds the same lock it is nested: it releases nothing, and the run ends after it', async () => {
    const { clock, options, item } = memoryLocks();
    const running = executeWithLock(async () => {
      const lock = await acquireLock(options);
      void pass(clock, 5_000).then(() => lock.release().then((status) => expect(status).toBe('none')));
    }, options);
    await clock.advance(4_999);
    expect(await item()).toMatchObject({ state: 'held' });
    await clock.advance(1);

    expect(await running).toMatchObject({ release: 'released', durationMs: 5_000 });
  });
});

test("row 51: with onStoreError 'run' the handle holds nothing, and says so", async () => {
  const { options } = keptLocks({ acquire: 'lose-request' });
  const lock = await acquireLock({ ...options, onStoreError: 'run' });

  expect(lock.fencingToken).toBe(0);
  expect(() => lock.assertHeld()).toThrow(LockLostError);
  expect(await lock.release()).toBe('none');
});

describe('row 14: invalid options', () => {
  test('row 14: catchUp, of which a handle knows nothing, even where it is undefined', async () => {
    const { store, options } = memoryLocks();
    const acquire = vi.spyOn(store, 'acquire');

    await expect(acquireLock({ ...options, catchUp: undefined } as HandleOptions)).rejects.toThrow(
      new TypeError("unknown option 'catchUp': a handle is one run, of one tick"),
    );
    expect(acquire).not.toHaveBeenCalled();
  });

  test.each<[unknown, Error]>([
    [{}, new TypeError('store is undefined: pass a store, such as dynamoDBStore({ tableName })')],
    [undefined, new TypeError('options is undefined: pass an object of options')],
  ])('row 14: %o', async (options, error) => {
    await expect(acquireLock(options as HandleOptions)).rejects.toThrow(error);
  });
});
