import middy, { type MiddlewareObj } from '@middy/core';
import { acquireLock } from 'single-execution';
import { singleExecution } from 'single-execution/middy';
import { lambdaContext, scheduledEvent } from 'single-execution/testing';
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest';
import { memoryLocks } from '../support/memory-locks.js';
import { idempotency, powertools } from './powertools.js';

/* Middlewares of Powertools around a skip, by the real packages. */

type Name = 'tracer' | 'metrics' | 'logger';
const NAMES: readonly Name[] = ['tracer', 'metrics', 'logger'];
const ORDERS: readonly (readonly Name[])[] = NAMES.flatMap((first) =>
  NAMES.filter((name) => name !== first).flatMap((second) => {
    const third = NAMES.find((name) => name !== first && name !== second) as Name;
    return [[first, second, third]];
  }),
);

let written: MockInstance<(...texts: string[]) => void>;
beforeEach(() => {
  vi.stubEnv('AWS_EXECUTION_ENV', 'AWS_Lambda_nodejs24.x');
  vi.stubEnv('_HANDLER', 'index.handler');
  // Let Powertools write to the global console, and metrics too.
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
  for (const method of ['info', 'warn'] as const) vi.spyOn(console, method).mockReturnValue();
  written = vi.spyOn(console, 'log').mockReturnValue();
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** A handler with these middlewares of Powertools and then singleExecution, and what it publishes. */
function setting(order: readonly Name[], options: object = {}, tools = powertools()) {
  const { clock, store } = memoryLocks();
  const wrapped = middy(async () => 'sent');
  for (const name of order) wrapped.use(tools.middlewares[name] as MiddlewareObj);
  wrapped.use({
    before() {
      tools.metrics.addMetric('asked', 'Count', 1);
      tools.logger.appendKeys({ call: 'this one alone' });
    },
  });
  wrapped.use(singleExecution({ name: 'digest', store, clock, observers: [], ...options }) as MiddlewareObj);
  const replies: unknown[] = [];
  const invoke = (time: string) =>
    tools.invoke(async () => {
      const context = lambdaContext({ clock }) as Parameters<typeof wrapped>[1];
      replies.push(await wrapped(scheduledEvent({ time }), context).catch((error: unknown) => error));
    });
  const published = () => lines().flatMap(({ asked }) => (asked === undefined ? [] : [asked]));
  return { ...tools, invoke, replies, published };
}

const lines = () => written.mock.calls.map(([line = '{}']) => JSON.parse(line) as Readonly<Record<string, unknown>>);

const [TICK, NEXT] = ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'];

describe.each(ORDERS.map((order) => [order.join(', '), order] as const))(
  'row 101: behind Powertools’ %s',
  (_, order) => {
    test('row 101: a skip closes the segment, publishes its own metrics and resets the keys of the logger', async () => {
      const { invoke, replies, published, logger } = setting(order);
      for (const [call, time] of [TICK, TICK, TICK, NEXT].entries()) {
        const { subsegments = [] } = await invoke(time);

        expect(subsegments.map(({ name }) => name)).toEqual(['## index.handler']);
        for (const subsegment of subsegments) expect(subsegment.isClosed()).toBe(true);
        expect(published()).toEqual(Array.from({ length: call + 1 }, () => 1));
        expect(logger.getPersistentLogAttributes()).not.toHaveProperty('call');
      }

      const skipped = expect.objectContaining({ status: 'skipped', reason: 'already-executed' });
      expect(replies).toEqual(['sent', skipped, skipped, 'sent']);
    });
  },
);

test('row 101: what onSkipped reports to Powertools belongs to the skip', async () => {
  const tools = powertools();
  const onSkipped = () => {
    tools.metrics.addMetric('skipped', 'Count', 1);
    tools.tracer.putAnnotation('skipped', true);
    return 'skipped';
  };
  const { invoke, replies } = setting(NAMES, { onSkipped }, tools);
  await invoke(TICK);
  const { subsegments: [subsegment] = [] } = await invoke(TICK);

  expect(replies).toEqual(['sent', 'skipped']);
  expect(subsegment).toMatchObject({ annotations: { skipped: true } });
  expect(lines().at(-1)).toMatchObject({ asked: 1, skipped: 1 });
});

test("row 101: with onSkipped: 'throw' Powertools ends by its own onError, once", async () => {
  const { invoke, replies, published } = setting(NAMES, { onSkipped: 'throw' });
  await invoke(TICK);
  const { subsegments: [subsegment] = [] } = await invoke(TICK);

  expect(replies).toEqual(['sent', expect.objectContaining({ code: 'LOCK_HELD' })]);
  expect(subsegment?.isClosed()).toBe(true);
  expect(published()).toEqual([1, 1]);
});

/** Calls a handler for one tick, with these middlewares before singleExecution and after it. */
function calling(handler: () => Promise<unknown>, before: readonly object[], after: readonly object[] = []) {
  const { clock, store } = memoryLocks();
  const options = { name: 'digest', store, clock, observers: [] };
  const wrapped = middy(handler);
  for (const one of [...before, singleExecution(options), ...after]) wrapped.use(one as MiddlewareObj);
  const event = scheduledEvent({ time: TICK });
  return { options, call: () => wrapped(event, lambdaContext({ clock }) as Parameters<typeof wrapped>[1]) };
}

test('row 101: metrics that must not be empty do not make a failure of a skip', async () => {
  const { metrics, middlewares } = powertools({ throwOnEmptyMetrics: true });
  const { call } = calling(async () => void metrics.addMetric('sent', 'Count', 1), [middlewares.metrics]);
  await call();

  expect(await call()).toMatchObject({ status: 'skipped' });
});

test('row 101: a skip removes the record of idempotency that is in progress, so that the retry of the event runs', async () => {
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'send-digest');
  const { middleware, statuses } = idempotency();
  const { options, call } = calling(async () => 'sent', [middleware]);
  const other = await acquireLock({ ...options, lockAtMostFor: '1m' });

  expect(await call()).toMatchObject({ status: 'skipped', reason: 'locked' });
  expect(statuses()).toEqual([]);
  await other.release();
  expect([await call(), await call()]).toEqual(['sent', 'sent']);
  expect(statuses()).toEqual(['COMPLETED']);
});

test.each(['metrics', 'tracer'] as const)(
  'row 101: %s that come after singleExecution have nothing open at a skip',
  async (last) => {
    const tools = powertools();
    const handler = async () => void tools.metrics.addMetric('sent', 'Count', 1);
    const { call } = calling(handler, [], [tools.middlewares[last]]);
    await tools.invoke(call);
    const { subsegments = [] } = await tools.invoke(call);

    expect(subsegments).toEqual([]);
  },
);
