import type { Execution } from './execution.js';
import type { LockStore } from './lock-store.js';

/** A run in progress, as code deeper in the call stack finds it. */
export interface Frame {
  readonly execution: Execution;
  readonly store: LockStore;
  /** The run inside which this one was started. */
  readonly parent: Frame | undefined;
  /** Whether the run is unsettled, guarded and not lost. */
  isHeld(): boolean;
}

/** The part of `AsyncLocalStorage` that is used here; taken from the platform, so that nothing has to be imported. */
interface AsyncStorage<T> {
  run<R>(value: T, callback: () => R): R;
  getStore(): T | undefined;
}

interface Platform {
  readonly AsyncLocalStorage?: new <T>() => AsyncStorage<T>;
  readonly process?: {
    getBuiltinModule?(id: string): { readonly AsyncLocalStorage: new <T>() => AsyncStorage<T> } | undefined;
  };
}

const frames = openStorage();

function openStorage(): AsyncStorage<Frame> | undefined {
  const platform = globalThis as Platform;
  const Storage =
    platform.AsyncLocalStorage ?? platform.process?.getBuiltinModule?.('node:async_hooks')?.AsyncLocalStorage;
  return Storage && new Storage<Frame>();
}

/** Calls a function such that it and all it calls find the frame. Without async storage it is merely called. */
export function runInFrame<R>(frame: Frame, callback: () => R): R {
  return frames ? frames.run(frame, callback) : callback();
}

export function currentFrame(): Frame | undefined {
  return frames?.getStore();
}

/** The innermost frame, going outwards, that fits. */
export function findFrame(fits: (frame: Frame) => boolean): Frame | undefined {
  let frame = currentFrame();
  while (frame && !fits(frame)) frame = frame.parent;
  return frame;
}

/**
 * The execution of the wrapped function that this code was called from; undefined outside of one.
 *
 * @throws Error on a platform without AsyncLocalStorage
 */
export function currentExecution(): Execution | undefined {
  needStorage('currentExecution');
  return currentFrame()?.execution;
}

/**
 * Throws unless this code runs under a lock that is still held: a guard for functions that must never run bare.
 *
 * @param name the lock that must be held. @default any
 * @throws LockLostError when the lock was held and is lost, or when the run is unguarded
 * @throws Error outside a wrapped function, or on a platform without AsyncLocalStorage
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
  if (frames) return;
  throw new Error(
    `${caller}: this platform has no AsyncLocalStorage; enable it (on Cloudflare: compatibility flag nodejs_als), or pass the execution on by hand`,
  );
}
