import { LockHeldError } from '../public/errors.js';
import type { Execution } from '../public/execution.js';
import type { Outcome, ReleaseStatus, Skipped } from '../public/outcome.js';
import type { Task } from '../run/invocation.js';
import { type ExecuteOptions, executeWithLock } from './execute-with-lock.js';

/** The members of an execution that a handle has. */
type Held =
  | 'name'
  | 'tick'
  | 'isManual'
  | 'fencingToken'
  | 'signal'
  | 'lockedAt'
  | 'lockUntil'
  | 'previous'
  | 'doneTick'
  | 'recovering'
  | 'missedTicks'
  | 'extend'
  | 'assertHeld';

/** A lock held between two points of a program, rather than during one function call. */
export interface LockHandle extends Pick<Execution, Held>, Disposal {
  /**
   * Releases the lock and marks its tick, if there is one, as done. A second call returns the result of the first, or
   * `'none'` after `fail`.
   */
  release(): Promise<ReleaseStatus>;
  /**
   * Releases the lock after work that failed. Records the name of the error. The tick stays open, unless `tickMark` is
   * `'start'`. Never rejects. Does nothing after `release`.
   */
  fail(error?: unknown): Promise<void>;
}

/** For `await using`, in projects whose compiler supports it. */
type Disposal = typeof Symbol extends { readonly asyncDispose: infer Key extends symbol }
  ? { readonly [K in Key]: () => PromiseLike<void> }
  : object;

/** The options of `executeWithLock`, except `catchUp`: a handle is one run. */
export type HandleOptions = Omit<ExecuteOptions, 'catchUp'>;

/**
 * Takes a lock until the handle is released or goes out of scope: `await using lock = await acquireLock(…)`. With a
 * `tick`, release the handle when the work is done: if it goes out of scope first, its run has failed. A forgotten
 * handle keeps its lock until the lease ends, or with `keepAlive` until `maxHold`. A handle inside a run of the same
 * lock keeps that run from ending.
 *
 * @example
 * ```ts
 * import { acquireLock } from 'single-execution';
 * import { memoryStore } from 'single-execution/memory';
 *
 * const lock = await acquireLock({ name: 'migrate', store: memoryStore(), keepAlive: true, wait: '10s' });
 * try {
 *   console.log('migrating under', lock.fencingToken);
 *   await lock.release();
 * } catch (error) {
 *   await lock.fail(error);
 * }
 * ```
 *
 * @throws LockHeldError when the run is skipped: the lock is held or paused, or the tick is done; pass `wait` to keep
 *   trying while the lock is held
 * @throws LockStoreError, CorruptLockError when the store failed
 * @throws RunEndedError when `signal` aborts before the handle is returned, or when the deadline comes while the call
 *   waits for its turn to ask the store
 * @throws TypeError, RangeError for invalid options
 */
export async function acquireLock(options: HandleOptions): Promise<LockHandle> {
  if ('catchUp' in Object(options)) throw new TypeError("unknown option 'catchUp': a handle is one run, of one tick");
  const run = await openRun((task) => executeWithLock(task, options));
  if (run.status === 'skipped') throw new LockHeldError(run);
  return handleOf(run, options);
}

function handleOf({ execution, end }: OpenRun, { tick }: HandleOptions): LockHandle {
  const release = async () => (await end()) ?? 'none';
  const fail = async (error: unknown = new Error('its handle was not released')) => {
    await end({ error });
  };
  const dispose = tick === undefined ? release : () => fail();
  return Object.assign(Object.create(execution), { release, fail, [Symbol.asyncDispose]: dispose }) as LockHandle;
}

/**
 * A run that begins at one point of a program and ends at another. The code between the two points does the work of the
 * run.
 */
export interface OpenRun {
  readonly status: 'open';
  readonly execution: Execution;
  /**
   * Ends the run, as failed if an error is given. Resolves once nothing more is sent for it, and never rejects. A
   * second call changes nothing.
   *
   * @returns the result of the release; undefined if the run has failed
   */
  end(failure?: { readonly error: unknown }): Promise<ReleaseStatus | undefined>;
}

/**
 * Starts a run that lasts until it is ended.
 *
 * @param start runs a task under the lock
 */
export function openRun(start: (task: Task<void>) => Promise<Outcome<void>>): Promise<OpenRun | Skipped> {
  return new Promise((resolve, reject) => {
    const outcome = start((execution) => {
      return new Promise<void>((succeed, fail) => {
        const end: OpenRun['end'] = async (failure) => {
          if (failure) fail(failure.error);
          else succeed();
          const ended = await outcome.catch(() => undefined);
          return ended?.status === 'executed' ? ended.release : undefined;
        };
        resolve({ status: 'open', execution, end });
      });
    });
    outcome.then((ended) => ended.status === 'skipped' && resolve(ended), reject);
  });
}
