import { LockStoreError } from 'single-execution';
import { withSingleExecution } from 'single-execution/http';
import { cron } from 'single-execution/schedule';
import { faultyStore } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { MINUTE, memoryLocks, NOW } from '../support/memory-locks.js';

const request = () => new Request('https://example.com/api/digest');

function setting() {
  const { store, observer, item, options } = memoryLocks();
  return { store, observer, item, options: { ...options, secret: false, tick: { every: '10m' } } as const };
}

test.each([500, 503, 599])(
  'row 30: a response of status %i has failed: it is passed on, its tick open',
  async (status) => {
    const { options, item, observer } = setting();
    const response = new Response('no', { status });
    const handler = vi.fn(() => response);
    const route = withSingleExecution(handler, options);

    expect(await route(request(), {})).toBe(response);
    expect(await response.text()).toBe('no');
    expect(await item()).toMatchObject({ state: 'released', result: 'failed', error: 'FailedResponse' });
    expect(await item()).not.toHaveProperty('doneTick');
    expect(observer.types().at(-1)).toBe('failed');
    await route(request(), {});
    expect(handler).toHaveBeenCalledTimes(2);
  },
);

test.each([200, 302, 404, 499])('row 30: a response of status %i is an answer, and its tick done', async (status) => {
  const { options, item } = setting();
  await withSingleExecution(() => new Response(null, { status }), options)(request(), {});

  expect(await item()).toMatchObject({ state: 'released', result: 'succeeded', doneTick: NOW });
});

test('row 50: a store that fails is answered with status 503 and only the code', async () => {
  const { options, store } = setting();
  const details = { code: 'ACCESS_DENIED', lockName: 'digest', operation: 'acquire', retryable: false } as const;
  const faulty = faultyStore(store, { acquire: new LockStoreError('hunter2', details) });
  const response = await withSingleExecution(() => new Response(), { ...options, store: faulty })(request(), {});

  expect(response.status).toBe(503);
  expect(await response.text()).toBe('{"status":"error","code":"ACCESS_DENIED"}');
});

test('F164 an error of a store that the schedule of the caller throws is not answered with 503', async () => {
  const { options, store } = setting();
  const details = { code: 'UNAVAILABLE', lockName: 'calendar', operation: 'get', retryable: true } as const;
  const thrown = new LockStoreError('the calendar cannot be read', details);
  let calls = 0;
  const hourly = cron('0 * * * *');
  const unlessAway =
    <A extends unknown[], R>(ask: (...asked: A) => R) =>
    (...asked: A) => {
      if (calls > 1) throw thrown;
      return ask(...asked);
    };
  const schedule = {
    previous: unlessAway(hourly.previous.bind(hourly)),
    next: unlessAway(hourly.next.bind(hourly)),
    between: unlessAway(hourly.between.bind(hourly)),
  };
  const acquire: typeof store.acquire = (...asked) => {
    calls++;
    return store.acquire(...asked);
  };
  const route = withSingleExecution(() => new Response('done'), { ...options, store: { ...store, acquire }, schedule });
  await route(request(), {});
  await options.clock.advance(180 * MINUTE);

  await expect(route(request(), {})).rejects.toBe(thrown);
  expect(calls).toBe(2);
});

test('F164 one error that two calls end with is answered by whose store threw it', async () => {
  const { options, store } = setting();
  const details = { code: 'UNAVAILABLE', lockName: 'digest', operation: 'acquire', retryable: true } as const;
  const shared = new LockStoreError('the store is away', details);
  const faulty = { ...options, store: faultyStore(store, { acquire: shared }) };
  const failing = withSingleExecution(() => new Response('done'), faulty);
  const passingOn = withSingleExecution(() => Promise.reject(shared), options);

  const [ofStore, ofHandler] = await Promise.allSettled([failing(request(), {}), passingOn(request(), {})]);
  expect(ofStore).toMatchObject({ status: 'fulfilled', value: { status: 503 } });
  expect(ofHandler).toEqual({ status: 'rejected', reason: shared });
});

describe('row 89: a tick that is caught up with', () => {
  const HOUR = 60 * MINUTE;
  const iso = (hour: number) => new Date(NOW + hour * HOUR).toISOString();
  const due = (hour: number) =>
    new Request('https://example.com/api/digest', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ scheduledTime: NOW + hour * HOUR }),
    });

  /** A host whose clock stands two hours after the first tick. */
  async function late() {
    const { options, store } = setting();
    await options.clock.advance(2 * HOUR);
    const catchUp = { mode: 'all' } as const;
    return { store, options: { ...options, schedule: cron('0 * * * *'), catchUp, tick: 'event' } as const };
  }

  test("row 89: can read the body, too, and keeps what a framework's own request has", async () => {
    const state: unique symbol = Symbol('state');
    class FrameworkRequest extends Request {
      readonly [state] = { path: '/api/digest' };
      get nextUrl() {
        return this[state].path;
      }
    }
    const seen: unknown[] = [];
    const route = withSingleExecution(
      async (asked: FrameworkRequest) => {
        const { scheduledTime } = (await asked.json()) as { scheduledTime: number };
        seen.push([asked.nextUrl, asked instanceof FrameworkRequest, scheduledTime - NOW]);
        return new Response('done');
      },
      (await late()).options,
    );
    for (const hour of [0, 2]) await route(new FrameworkRequest(due(hour)));

    expect(seen).toEqual([0, 2, 2].map((hour) => ['/api/digest', true, hour * HOUR]));
  });

  test('row 89: its work in the background answers no request', async () => {
    const context = { waitUntil: vi.fn((_work: Promise<unknown>) => {}) };
    const route = withSingleExecution(
      async (_request, { waitUntil }: typeof context, { tick }) => {
        waitUntil(Promise.resolve());
        return Response.json({ tick });
      },
      (await late()).options,
    );
    await route(due(0), context);

    expect(await (await route(due(2), context)).json()).toEqual({ tick: iso(2) });
  });
});
