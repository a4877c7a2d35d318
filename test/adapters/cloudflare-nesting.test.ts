import type { Execution } from 'single-execution';
import { withSingleExecution } from 'single-execution/cloudflare';
import { expect, test, vi } from 'vitest';
import { memoryLocks, NOW } from '../support/memory-locks.js';

const env = { LOCKS: 'https://locks.example.com' };
const event = () => ({ scheduledTime: NOW, cron: '*/10 * * * *', noRetry() {} });
const context = () => ({ waitUntil(_promise: Promise<unknown>) {}, passThroughOnException() {} });

/** A handler that calls its own wrapped function once more, and what came of both calls. */
function recursive(eventOfTheSecond: (own: ReturnType<typeof event>) => ReturnType<typeof event>) {
  const { clock, store } = memoryLocks();
  const acquire = vi.spyOn(store, 'acquire');
  const made = vi.fn((_env: typeof env) => ({ ...store }));
  const executions: Execution[] = [];
  const inner: unknown[] = [];
  const scheduled: (due: ReturnType<typeof event>, env: object, ctx: ReturnType<typeof context>) => Promise<void> =
    withSingleExecution(
      async (due: ReturnType<typeof event>, bindings: typeof env, ctx: ReturnType<typeof context>, execution) => {
        executions.push(execution);
        if (executions.length === 1) inner.push(await scheduled(eventOfTheSecond(due), bindings, ctx));
      },
      { name: 'digest', store: made, lockAtMostFor: '1m', clock },
    ) as typeof scheduled;
  return { run: () => scheduled(event(), env, context()), made, acquire, executions, inner };
}

test('row 9: row 68: a handler that calls itself with the same event runs inside its own lock: one store is made', async () => {
  const { run, made, acquire, executions, inner } = recursive((own) => own);
  await run();

  expect(made).toHaveBeenCalledExactlyOnceWith(env);
  expect(acquire).toHaveBeenCalledOnce();
  expect(executions.map(({ fencingToken }) => fencingToken)).toEqual([NOW + 1, NOW + 1]);
  expect(inner).toEqual([undefined]);
});

test('row 68: another event has a store of its own, and so is kept out', async () => {
  const { run, made, acquire, executions, inner } = recursive(event);
  await run();

  expect(made.mock.calls).toEqual([[env], [env]]);
  expect(acquire).toHaveBeenCalledTimes(2);
  expect(executions).toHaveLength(1);
  expect(inner).toMatchObject([{ status: 'skipped', reason: 'locked' }]);
});
