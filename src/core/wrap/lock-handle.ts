import { LockHeldError } from '../public/errors.js';
import type { Execution } from '../public/execution.js';
import type { ReleaseStatus } from '../public/outcome.js';
import { type ExecuteOptions, executeWithLock } from './execute-with-lock.js';

/** A lock held between two points of a program, rather than during one function call. */
export interface LockHandle
  extends Pick<
      Execution,
      'name' | 'fencingToken' | 'signal' | 'lockedAt' | 'lockUntil' | 'previous' | 'extend' | 'assertHeld'
    >,
    Disposal {
  /** Releases the lock. Called again, it returns the result of the first call. */
  release(): Promise<ReleaseStatus>;
}

/** For `await using`, in projects whose compiler supports it. */
type Disposal = typeof Symbol extends { readonly asyncDispose: infer Key extends symbol }
  ? { readonly [K in Key]: () => PromiseLike<void> }
  : object;

const RUN_OPTIONS = ['tick', 'tickMark', 'schedule', 'catchUp', 'onError'] as const;

/** As for `executeWithLock`. A handle has no tick: whether its work succeeded cannot be known. */
export type HandleOptions = Omit<ExecuteOptions, (typeof RUN_OPTIONS)[number]>;

/**
 * Takes a lock until the handle is released or goes out of scope: `await using lock = await acquireLock(…)`. A handle
 * that is forgotten keeps its lock until the lease ends, or with `keepAlive` until `maxHold`; taken inside a run of the
 * same lock, it keeps that run from ending.
 *
 * @throws LockHeldError when the lock is held; give `wait` to keep trying
 * @throws LockStoreError, CorruptLockError when the store failed
 * @throws TypeError, RangeError for options that cannot be
 */
export async function acquireLock(options: HandleOptions): Promise<LockHandle> {
  const stray = RUN_OPTIONS.find((option) => option in Object(options));
  if (stray !== undefined) throw new TypeError(`unknown option '${stray}': a handle knows no verdict of its work`);
  return new Promise((resolve, reject) => {
    const held = executeWithLock(
      (execution) => new Promise<void>((end) => resolve(handleOf(execution, end, () => released))),
      options,
    );
    const released = held.then((outcome): ReleaseStatus => {
      if (outcome.status === 'executed') return outcome.release;
      throw new LockHeldError(outcome);
    });
    released.catch(reject);
  });
}

function handleOf(execution: Execution, end: () => void, released: () => Promise<ReleaseStatus>): LockHandle {
  const release = () => {
    end();
    return released();
  };
  return Object.assign(Object.create(execution), { release, [Symbol.asyncDispose]: release }) as LockHandle;
}
