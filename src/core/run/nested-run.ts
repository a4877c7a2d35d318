import type { LockStore } from '../ports/lock-store.js';
import { type Frame, findFrame, runNestedInFrame } from '../public/current-execution.js';
import type { Executed } from '../public/outcome.js';
import type { Clock } from '../values/clock.js';
import { defined } from '../values/defined.js';
import type { Order, Task } from './invocation.js';

/**
 * The run that called this code, if it holds the same lock of the same store. A run records only its own tick, so
 * another tick needs its own run.
 */
export function outerRun({ name, tickMs }: Order, store: LockStore): Frame | undefined {
  const isCovered = (tick: number | undefined) => tickMs === undefined || tickMs === tick;
  return findFrame(
    (frame) => frame.execution.name === name && frame.store === store && isCovered(frame.tickMs) && frame.isHeld(),
  );
}

/** Runs a task inside a run that holds the same lock: under the outer lock, without a write and without a release. */
export async function runNested<T>(task: Task<T>, outer: Frame, clock: Clock): Promise<Executed<T>> {
  const { execution } = outer;
  const startedMono = clock.monotonic();
  const value = await runNestedInFrame(outer, () => task(execution));
  return {
    status: 'executed',
    name: execution.name,
    ...defined({ tick: execution.tick, previous: execution.previous }),
    fencingToken: execution.fencingToken,
    lockedAt: execution.lockedAt,
    missedTicks: execution.missedTicks,
    caughtUp: [],
    value,
    release: 'none',
    durationMs: Math.round(clock.monotonic() - startedMono),
  };
}
