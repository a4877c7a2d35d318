import type { Clock } from './clock.js';
import { defined } from './defined.js';
import type { Execution } from './execution.js';
import type { Executed } from './outcome.js';
import type { Task } from './settle.js';

/** Runs a task inside a run that holds the same lock: under the outer lock, without a write and without a release. */
export async function runNested<T>(task: Task<T>, execution: Execution, clock: Clock): Promise<Executed<T>> {
  const startedMono = clock.monotonic();
  const value = await task(execution);
  return {
    status: 'executed',
    name: execution.name,
    ...defined({ tick: execution.tick, previous: execution.previous }),
    fencingToken: execution.fencingToken,
    lockedAt: execution.lockedAt,
    missedTicks: execution.missedTicks,
    value,
    release: 'none',
    durationMs: Math.round(clock.monotonic() - startedMono),
  };
}
