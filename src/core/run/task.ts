import { type Frame, runInFrame } from '../public/current-execution.js';
import type { Tell } from '../public/events.js';
import type { Execution } from '../public/execution.js';
import type { Executed } from '../public/outcome.js';

/** A function that runs under a lock. */
export type Task<T> = (execution: Execution) => T | PromiseLike<T>;

/** How a task ended: what it returned, or what it threw, whatever kind of value that is. */
export type Settled<T> = { readonly value: T } | { readonly error: unknown };

export async function settle<T>(task: Task<T>, frame: Frame): Promise<Settled<T>> {
  try {
    return { value: await runInFrame(frame, () => task(frame.execution)) };
  } catch (error) {
    return { error };
  }
}

/** Tells how the task ended, and returns its value or throws its error, by identity. */
export function conclude<T>(settled: Settled<T>, end: Pick<Executed<T>, 'durationMs' | 'release'>, tell: Tell): T {
  if ('error' in settled) {
    tell({ type: 'failed', ...end, error: settled.error });
    throw settled.error;
  }
  tell({ type: 'finished', ...end });
  return settled.value;
}
