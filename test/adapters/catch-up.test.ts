import { type Execution, withSingleExecution } from 'single-execution';
import { withSingleExecution as onCloudflare, type ScheduledController } from 'single-execution/cloudflare';
import { withSingleExecution as onHttp } from 'single-execution/http';
import { withSingleExecution as inProcess } from 'single-execution/process';
import { cron } from 'single-execution/schedule';
import { faultyStore, lambdaContext, scheduledEvent, schedulerEvent } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { MINUTE, memoryLocks, NOW } from '../support/memory-locks.js';

/* Row 89: a handler that reads the time from its event must not do the same tick twice. */

const HOUR = 60 * MINUTE;
const iso = (hour: number) => new Date(NOW + hour * HOUR).toISOString();

function setting() {
  const { store, clock, observer } = memoryLocks();
  const options = { name: 'digest', store, lockAtMostFor: '1m', clock, observers: [observer] } as const;
  return { ...options, schedule: cron('0 * * * *'), catchUp: { mode: 'all' } } as const;
}

describe('row 89: a tick that is caught up with on Lambda', () => {
  const short = (hour: number) => iso(hour).replace('.000Z', 'Z');

  test.each<[string, (time: string) => object]>([
    ["an EventBridge rule's event", (time) => scheduledEvent({ time, id: '1' })],
    ["Scheduler's event", (scheduledTime) => schedulerEvent({ scheduledTime })],
    ['context attributes', (scheduledTime) => ({ scheduledTime, tenant: 'a' })],
    ['a time beside an empty scheduledTime', (time) => ({ time, scheduledTime: null })],
    ['a time of its own', (time) => ({ time, tenant: 'a' })],
  ])('gets a copy of %s with its own time', async (_, eventAt) => {
    const given: object[] = [];
    const handler = withSingleExecution(async (event: object) => void given.push(event), setting());
    const newest = Object.freeze(eventAt(short(2)));
    for (const event of [eventAt(short(0)), newest]) await handler(event, lambdaContext());

    const field = (newest as { scheduledTime?: unknown }).scheduledTime ? 'scheduledTime' : 'time';
    expect(given[1]).toEqual({ ...newest, [field]: short(1) });
    expect(given[2]).toBe(newest);
  });

  test('gets an event that has no scheduled time as it is', async () => {
    const given: unknown[] = [];
    const options = { ...setting(), tick: ({ day }: { day: number }) => NOW + day * HOUR };
    const handler = withSingleExecution(async (event: { day: number }) => void given.push(event), options);
    const events = [{ day: 0 }, { day: 2 }] as const;
    for (const event of events) await handler(event, lambdaContext());

    expect(given).toHaveLength(3);
    expect(given[1]).toBe(events[1]);
    expect(given[2]).toBe(events[1]);
  });
});

/** As the platform makes it: a class whose methods work on its own objects alone. */
class Controller {
  #tries = 1;
  readonly cron = '0 * * * *';
  readonly #at: number;
  constructor(at: number) {
    this.#at = at;
  }
  get scheduledTime(): number {
    return this.#at;
  }
  noRetry(): void {
    this.#tries = 0;
  }
  get tries(): number {
    return this.#tries;
  }
}

test('row 89: a tick that is caught up with on Cloudflare gets a controller with its own time', async () => {
  const seen: unknown[] = [];
  const handler = async (controller: ScheduledController, _env: unknown, _ctx: unknown, { isCatchUp }: Execution) => {
    if (isCatchUp) controller.noRetry();
    seen.push([new Date(controller.scheduledTime).toISOString(), controller.cron]);
  };
  const scheduled = onCloudflare(handler, setting());
  const [first, third] = [new Controller(NOW), Object.freeze(new Controller(NOW + 2 * HOUR))];
  const ctx = { waitUntil: vi.fn(), passThroughOnException: vi.fn() };
  await scheduled(first, {}, ctx);
  await scheduled(third, {}, ctx);

  expect(seen).toEqual([0, 1, 2].map((hour) => [iso(hour), '0 * * * *']));
  expect(third.tries).toBe(0);
});

describe('row 89: a tick that is caught up with by a route', () => {
  const due = (hour: number) =>
    new Request('https://example.com/api/digest', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ scheduledTime: NOW + hour * HOUR }),
    });

  test('reads the body too; the response is that of the own tick', async () => {
    const options = { ...setting(), tick: 'event', secret: false } as const;
    const route = onHttp(async (request, _context, { tick, isCatchUp }) => {
      await request.json();
      return Response.json({ tick, isCatchUp });
    }, options);
    await options.clock.advance(2 * HOUR);
    await route(due(0));

    const response = await route(due(2));

    expect(await response.json()).toEqual({ tick: iso(2), isCatchUp: false });
  });

  test("keeps what a framework's own request has", async () => {
    const state: unique symbol = Symbol('state');
    class FrameworkRequest extends Request {
      readonly [state] = { path: '/api/digest' };
      get nextUrl() {
        return this[state].path;
      }
    }
    const options = { ...setting(), tick: 'event', secret: false } as const;
    const seen: unknown[] = [];
    const route = onHttp(async (request: FrameworkRequest) => {
      const { scheduledTime } = (await request.json()) as { scheduledTime: number };
      seen.push([request.nextUrl, request instanceof FrameworkRequest, scheduledTime - NOW]);
      return new Response('done');
    }, options);
    await options.clock.advance(2 * HOUR);
    for (const hour of [0, 2]) await route(new FrameworkRequest(due(hour)));

    expect(seen).toEqual([0, 2, 2].map((hour) => ['/api/digest', true, hour * HOUR]));
  });

  test('answers 503 when its mark stays unanswered: the handler ran for the older tick, and not for its own', async () => {
    const { store, ...rest } = setting();
    const faulty = faultyStore(store, { mark: 'lose-request' });
    const options = { ...rest, store: faulty, tick: 'event', secret: false } as const;
    const seen: unknown[] = [];
    const route = onHttp(async (_request, _context, { tick }) => {
      seen.push(tick?.toISOString());
      return new Response('done');
    }, options);
    await options.clock.advance(2 * HOUR);
    await route(due(0));

    const response = await route(due(2));

    expect(response.status).toBe(503);
    expect(seen).toEqual([iso(0), iso(1)]);
    expect(await response.json()).toEqual({ status: 'error', code: 'UNAVAILABLE' });
  });

  test('its work in the background answers no request', async () => {
    const options = { ...setting(), tick: 'event', secret: false } as const;
    const context = { waitUntil: vi.fn((_work: Promise<unknown>) => {}) };
    const route = onHttp(async (_request, { waitUntil }: typeof context, { tick }) => {
      waitUntil(Promise.resolve());
      return Response.json({ tick });
    }, options);
    await options.clock.advance(2 * HOUR);
    await route(due(0), context);

    expect(await (await route(due(2), context)).json()).toEqual({ tick: iso(2) });
  });
});

test('row 89: a tick that is caught up with in a process gets the same arguments', async () => {
  const seen: unknown[] = [];
  const options = { ...setting(), tick: (hour: number) => NOW + hour * HOUR };
  const job = inProcess(
    async (hour: number, { tick }: Execution) => void seen.push([hour, tick?.toISOString()]),
    options,
  );
  await job(0);
  await job(2);

  expect(seen).toEqual([
    [0, iso(0)],
    [2, iso(1)],
    [2, iso(2)],
  ]);
});

test("row 89: catchUp without ticks is refused: tick 'none'", () => {
  expect(() => withSingleExecution(async () => {}, { ...setting(), tick: 'none' })).toThrow(
    "tick is 'none', but catchUp",
  );
});
