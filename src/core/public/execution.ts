import type { LockStore } from '../ports/lock-store.js';
import type { Signal } from '../values/clock.js';
import type { Duration } from '../values/duration.js';
import type { Previous } from './outcome.js';

/**
 * The last argument of a handler: facts of the lock that the run holds, and the means to find out whether the lock is
 * lost.
 */
export interface Execution {
  /** The lock. */
  readonly name: string;
  /** The scheduled time that this run is for; absent if the trigger carries none. */
  readonly tick?: Date;
  /** Whether `tick` is an older tick that `catchUp` runs. */
  readonly isCatchUp: boolean;
  /** Whether this run was started by hand. Such a run has no tick, and changes nothing for the ticks of the schedule. */
  readonly isManual: boolean;
  /**
   * The fencing token: greater than every earlier token of this name. Resources that you write to must refuse smaller
   * tokens. 0 if the run is unguarded: it runs without a lock (`onStoreError: 'run'`, or locking is switched off).
   */
  readonly fencingToken: number;
  /**
   * Aborts with a `LockLostError` when this run has lost the lock, or with a `RunEndedError` shortly before the
   * platform ends the run, at `maxHold`, or when the process, or the caller of `executeWithLock`, asks it to end.
   * Reading `aborted`, `reason` or `throwIfAborted` looks at the clocks. The `abort` event comes from a timer, which is
   * late in a process that was suspended. A handler that stops early must throw `signal.reason`: if it returns, its
   * tick counts as done.
   */
  readonly signal: Signal;
  /** When the lease began, from the record. */
  readonly lockedAt: Date;
  /** When the lease ends. Each extension moves this instant. */
  readonly lockUntil: Date;
  /** The run before this one, if the store knows it. */
  readonly previous?: Previous;
  /**
   * The newest tick that was done when this run got its lock. The same in each call that `catchUp` makes; later than
   * `tick` in a run for an older tick. With `tickMark: 'start'` it is the newest tick that had begun before this run.
   * Absent if no tick was done, if the run is unguarded and, with `tickMark: 'start'`, if the answer to the grant was
   * lost.
   */
  readonly doneTick?: Date;
  /**
   * Whether the previous run crashed, or this tick failed before: look for unfinished work. Also true for each open
   * tick that is older than the newest tick done; such a tick may have failed, crashed or never come.
   */
  readonly recovering: boolean;
  /**
   * With `schedule`: the newest 100 of the ticks that should have come since the last tick and did not, without the
   * ticks that this run catches up with.
   */
  readonly missedTicks: Date[];
  /** The platform's count of deliveries of this event, if it passes one. */
  readonly attempt?: number;
  /**
   * Holds the lock until now + `duration`. Never shortens the lease.
   *
   * @throws LockLostError when the lock is lost, when the run has ended, or when the run is unguarded
   * @throws LockStoreError, CorruptLockError when the store failed; the lock is held at least as long as before
   * @throws TypeError, RangeError for an invalid duration, or one that goes past `maxHold`
   */
  extend(duration: Duration): Promise<void>;
  /** Throws a `LockLostError` unless this run still holds the lock, judged by this host's clocks without a request. */
  assertHeld(): void;
}

/** A run in progress. Code that the run calls, at any depth, can find its frame. */
export interface Frame {
  readonly execution: Execution;
  readonly store: LockStore;
  /** The tick that the run records, if it has one. */
  readonly tickMs?: number | undefined;
  /** Whether the run is in progress and holds a lock. */
  isHeld(): boolean;
}

/** A frame, and the frame of the run that started its run. */
interface LinkedFrame extends Frame {
  parent: LinkedFrame | undefined;
  hasEnded: boolean;
  /** Nested runs, under the lock of this run, that have not settled. */
  readonly nested: Set<Promise<unknown>>;
}

/** The part of `AsyncLocalStorage` used here. The platform provides it, so nothing has to be imported. */
interface AsyncStorage<T> {
  run<R>(value: T, callback: () => R): R;
  getStore(): T | undefined;
  disable(): void;
}

/** State that all copies of this library in one process share. */
interface Frames {
  readonly storage: AsyncStorage<LinkedFrame>;
  /** Whether a storage in use slows down every promise of the process, as in Node 22 and earlier. */
  readonly isCostly: boolean;
  /** How many frames have a task that has not ended. */
  open: number;
}

/**
 * The key by which copies of this library in one process, such as an ES module and a CommonJS one, find each other's
 * frames. Raise the number in it when the shape of `Frames` changes.
 */
const FRAMES: unique symbol = Symbol.for('single-execution.frames.2');

interface Platform {
  [FRAMES]?: Frames;
  readonly AsyncLocalStorage?: new <T>() => AsyncStorage<T>;
  readonly process?: {
    getBuiltinModule?(id: string): { readonly AsyncLocalStorage: new <T>() => AsyncStorage<T> } | undefined;
  };
}

let opened: Frames | undefined;

function frames(): Frames | undefined {
  opened ??= openFrames();
  return opened;
}

function openFrames(): Frames | undefined {
  const platform = globalThis as Platform;
  const Storage =
    platform.AsyncLocalStorage ?? platform.process?.getBuiltinModule?.('node:async_hooks')?.AsyncLocalStorage;
  if (!Storage) return undefined;
  const storage = new Storage<LinkedFrame>();
  // A storage with `_enable` is built on async hooks, and is disabled while no task runs. Bun's storage has `_enable`
  // too, but is not built on async hooks and must not be disabled: in Bun 1.3 a run after `disable` leaves its frame
  // behind, and later calls then count as nested in that run. On Workers a storage cannot be disabled.
  platform[FRAMES] ??= { storage, isCostly: '_enable' in storage && !('Bun' in platform), open: 0 };
  return platform[FRAMES];
}

/** Finds the innermost frame around this code. */
function innermost(): LinkedFrame | undefined {
  const shared = frames();
  return shared && (shared.open > 0 || !shared.isCostly) ? shared.storage.getStore() : undefined;
}

/**
 * Calls a task so that the task, and all code that it calls, find the frame. Waits for the task and for every run
 * nested in it, even if the task does not await that run. Without async storage the task is only called, and no code
 * finds the frame. A costly storage is disabled when the tasks of all frames have ended: code that outlives its task
 * need not find the frame.
 */
export async function runInFrame<R>(frame: Frame, task: () => R | PromiseLike<R>): Promise<R> {
  const shared = frames();
  const linked: LinkedFrame = {
    ...frame,
    parent: unended(innermost()),
    hasEnded: false,
    nested: new Set<Promise<unknown>>(),
    // A run that catches up has one frame for each tick, and holds its lock longer than each frame lasts.
    isHeld: () => !linked.hasEnded && frame.isHeld(),
  };
  if (shared) shared.open++;
  try {
    return await (shared ? shared.storage.run(linked, task) : task());
  } finally {
    while (linked.nested.size > 0) await Promise.allSettled(linked.nested);
    linked.hasEnded = true;
    // Forget runs that have ended: runs that start one another can form a chain of any length.
    linked.parent = unended(linked.parent);
    if (shared && --shared.open === 0 && shared.isCostly) shared.storage.disable();
  }
}

/** Like `runInFrame`, for a run nested in a run that holds the lock. The outer run ends after the nested one. */
export async function runNestedInFrame<R>(outer: Frame, task: () => R | PromiseLike<R>): Promise<R> {
  const { nested } = outer as LinkedFrame;
  const running = runInFrame(outer, task);
  nested.add(running);
  try {
    return await running;
  } finally {
    nested.delete(running);
  }
}

function unended(frame: LinkedFrame | undefined): LinkedFrame | undefined {
  let found = frame;
  while (found?.hasEnded) found = found.parent;
  return found;
}

/** Finds the innermost frame that fits; undefined if no frame does. */
export function findFrame(fits: (frame: Frame) => boolean): Frame | undefined {
  let frame = innermost();
  while (frame && !fits(frame)) frame = frame.parent;
  return frame;
}

/**
 * Returns the execution of the wrapped function that has called this code; undefined outside of such a function. In
 * code that outlives its run, the result is undefined or the execution of that run.
 *
 * @example
 * ```ts
 * import { currentExecution } from 'single-execution';
 *
 * export function log(message: string) {
 *   console.log(currentExecution()?.fencingToken ?? 'no lock', message);
 * }
 * ```
 *
 * @throws Error on a platform without AsyncLocalStorage
 */
export function currentExecution(): Execution | undefined {
  needStorage('currentExecution');
  return innermost()?.execution;
}

/**
 * Throws unless this code runs under a lock that is still held: a guard for functions that must never run without a
 * lock.
 *
 * @example
 * ```ts
 * import { assertLocked } from 'single-execution';
 *
 * export async function writePrices(prices: readonly number[]) {
 *   assertLocked('import-prices');
 *   console.log('writing', prices.length);
 * }
 * ```
 *
 * @param name the lock that must be held. @default any lock
 * @throws LockLostError when the lock was held and is lost, or when the run is unguarded
 * @throws Error outside a wrapped function, or on a platform without AsyncLocalStorage
 * @throws LockLostError or Error in code that outlives its run
 */
export function assertLocked(name?: string): void {
  needStorage('assertLocked');
  const frame = findFrame((candidate) => name === undefined || candidate.execution.name === name);
  if (!frame) {
    throw new Error(
      `assertLocked: called outside a run under ${name === undefined ? 'any lock' : `lock "${name}"`}; wrap the caller with withSingleExecution or executeWithLock`,
    );
  }
  frame.execution.assertHeld();
}

function needStorage(caller: string): void {
  if (frames()) return;
  throw new Error(
    `${caller}: this platform has no AsyncLocalStorage; enable it (on Cloudflare: compatibility flag nodejs_compat), or pass the execution on by hand`,
  );
}
