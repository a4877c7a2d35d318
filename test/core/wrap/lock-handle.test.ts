import {
  acquireLock,
  currentExecution,
  executeWithLock,
  type HandleOptions,
  LockHeldError,
  LockLostError,
} from 'single-execution';
import { describe, expect, test, vi } from 'vitest';
import { keptLocks } from '../../support/kept-locks.js';
import { crash, MINUTE, memoryLocks, NOW } from '../../support/memory-locks.js';

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

  test('row 1: while a handle is held others are skipped, and run after its release', async () => {
    const { options } = memoryLocks();
    const lock = await acquireLock(options);
    expect(await executeWithLock(() => {}, options)).toMatchObject({ reason: 'locked' });
    await lock.release();

    expect(await executeWithLock(({ previous }) => previous?.status, options)).toMatchObject({ value: 'succeeded' });
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
    expect(await item()).toMatchObject({ state: 'released', fencingToken: NOW + 1 });
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

  test('row 5: a late second release leaves a successor alone', async () => {
    const { options, item } = memoryLocks();
    const first = await acquireLock(options);
    await first.release();
    await acquireLock(options);

    expect(await first.release()).toBe('released');
    expect(await item()).toMatchObject({ state: 'held', fencingToken: NOW + 2 });
  });

  test('F27 leaves no timer once it is released', async () => {
    const { clock, options } = memoryLocks();
    const lock = await acquireLock({ ...options, keepAlive: true });
    await clock.advance(25_000);
    await lock.release();

    expect(clock.pendingTimers()).toBe(0);
  });

  test('code after it is not inside a run: nothing nests in a handle', async () => {
    const { options } = memoryLocks();
    await using _lock = await acquireLock(options);

    expect(currentExecution()).toBeUndefined();
    await expect(acquireLock(options)).rejects.toThrow(LockHeldError);
  });
});

describe('a lock that cannot be had', () => {
  test('row 44: rejects with a LockHeldError that tells who holds it', async () => {
    const { options } = memoryLocks();
    await crash(options);

    await expect(acquireLock(options)).rejects.toMatchObject({
      name: 'LockHeldError',
      code: 'LOCK_HELD',
      lockName: 'digest',
      skipped: { status: 'skipped', reason: 'locked', holder: { fencingToken: NOW + 1 } },
    });
  });

  test('row 10: with wait it is taken when its holder lets go', async () => {
    const { clock, options } = memoryLocks();
    const first = await acquireLock(options);
    const second = acquireLock({ ...options, wait: '10s' });
    await clock.advance(3_000);
    await first.release();
    await clock.advance(500);

    expect((await second).fencingToken).toBe(NOW + 2);
  });

  test("row 51: with onStoreError 'run' the handle holds nothing, and says so", async () => {
    const { options } = keptLocks({ acquire: 'lose-request' });
    const lock = await acquireLock({ ...options, onStoreError: 'run' });

    expect(lock.fencingToken).toBe(0);
    expect(() => lock.assertHeld()).toThrow(LockLostError);
    expect(await lock.release()).toBe('none');
  });
});

describe('row 14: options that cannot be', () => {
  test.each(['tick', 'tickMark', 'schedule', 'catchUp', 'onError'])(
    'row 14: %s, of which a handle knows nothing, even where it is undefined',
    async (option) => {
      const { store, options } = memoryLocks();
      const acquire = vi.spyOn(store, 'acquire');

      await expect(acquireLock({ ...options, [option]: undefined } as HandleOptions)).rejects.toThrow(
        new TypeError(`unknown option '${option}': a handle knows no verdict of its work`),
      );
      expect(acquire).not.toHaveBeenCalled();
    },
  );

  test.each<[unknown, Error]>([
    [{}, new TypeError('store is undefined: give a store, such as dynamoDBStore({ tableName })')],
    [undefined, new TypeError('options is undefined: give an object of options')],
    [null, new TypeError('options is null: give an object of options')],
    ['digest', new TypeError('options is a string: give an object of options')],
  ])('row 14: %o', async (options, error) => {
    await expect(acquireLock(options as HandleOptions)).rejects.toThrow(error);
  });
});
