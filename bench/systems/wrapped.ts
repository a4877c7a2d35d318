import { type LockStore, withSingleExecution } from 'single-execution';
import { lambdaContext } from 'single-execution/testing';
import type { Deliver, Task } from './host.js';

interface Event {
  readonly name: string;
  readonly tickMs: number;
  readonly task: Task;
}

/** Makes a wrapped handler that is called as Lambda would call it. */
export function wrapped(store: LockStore, leaseMs: number): Deliver {
  const handler = withSingleExecution(
    async ({ task }: Event, _context: unknown, { signal }) => {
      await task(signal);
      return 'ran' as const;
    },
    {
      name: ({ name }: Event) => name,
      tick: ({ tickMs }: Event) => tickMs,
      store,
      lockAtMostFor: leaseMs,
      observers: [],
      onSkipped: () => 'skipped' as const,
    },
  );
  return (name, tickMs, task) => handler({ name, tickMs, task }, lambdaContext({ remainingMs: 60_000 }));
}
