import {
  CorruptLockError,
  LockHeldError,
  LockStoreError,
  type LockStoreErrorCode,
  type Skipped,
} from 'single-execution';
import { withSingleExecution } from 'single-execution/http';
import { faultyStore } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { fixture } from '../support/fixture.js';
import { gate } from '../support/gate.js';
import { MINUTE, memoryLocks, NOW } from '../support/memory-locks.js';
import { pass } from '../support/pass.js';
import { scriptedStore } from '../support/scripted-store.js';

const request = (headers: Record<string, string> = {}) => new Request('https://example.com/api/digest', { headers });

function setting() {
  const { clock, store, observer, item } = memoryLocks();
  const options = {
    name: 'digest',
    store,
    lockAtMostFor: '1m',
    clock,
    observers: [observer],
    secret: false,
    tick: 'none',
  } as const;
  return { clock, store, observer, item, options };
}

const storeError = (code: LockStoreErrorCode, retryable = true) =>
  new LockStoreError('acquire of lock "digest" failed: hunter2', {
    code,
    lockName: 'digest',
    operation: 'acquire',
    retryable,
  });

describe('the wrapped route', () => {
  test('row 62: F48 passes this, the request and the context on as they are, and the execution third', async () => {
    const { options } = setting();
    const response = new Response('sent');
    const handler = vi.fn(async function (this: unknown, ..._args: unknown[]) {
      return response;
    });
    const [self, asked, context] = [{}, request(), { params: Promise.resolve({ id: '42' }) }];

    expect(await withSingleExecution(handler, options).call(self, asked, context)).toBe(response);
    expect(handler.mock.contexts[0]).toBe(self);
    const args = handler.mock.calls[0] ?? [];
    expect(args).toHaveLength(3);
    expect(args[0]).toBe(asked);
    expect(args[1]).toBe(context);
    expect(args[2]).toMatchObject({ name: 'digest', fencingToken: NOW + 1, lockedAt: new Date(NOW) });
  });

  test('row 62: a synchronous route is one as well', async () => {
    const response = new Response('sent', { status: 202 });

    expect(await withSingleExecution(() => response, setting().options)(request(), undefined)).toBe(response);
  });

  test.each([500, 503, 599])(
    'row 30: a response of status %i has failed: it is passed on, its tick open',
    async (status) => {
      const { options, item, observer } = setting();
      const response = new Response('no', { status });
      const handler = vi.fn(() => response);
      const route = withSingleExecution(handler, { ...options, tick: { every: '10m' } });

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
    const route = withSingleExecution(() => new Response(null, { status }), { ...options, tick: { every: '10m' } });
    await route(request(), {});

    expect(await item()).toMatchObject({ state: 'released', result: 'succeeded', doneTick: NOW });
  });

  test.each<[string, unknown]>([
    ['an Error', new Error('no database')],
    ['undefined', undefined],
    ['the error of another store', storeError('UNAVAILABLE')],
    ['the error of another record', new CorruptLockError('digest', 'lockUntil', 'NaN')],
  ])('F47 an error of the handler reaches the caller unchanged, and its lock is free: %s', async (_, error) => {
    const { options, item } = setting();
    const route = withSingleExecution(async () => {
      throw error;
    }, options);
    const caught = await route(request(fixture('vercel-cron') as Record<string, string>), {}).catch((e: unknown) => [
      e,
    ]);

    expect((caught as unknown[])[0]).toBe(error);
    expect(await item()).toMatchObject({ state: 'released', result: 'failed' });
  });

  test('row 70: F44 64 requests at once have 64 executions', async () => {
    const { clock, options } = setting();
    const route = withSingleExecution(
      async (_request, tenant: number, execution) => {
        await pass(clock, 64 - tenant);
        return Response.json([tenant, execution.name]);
      },
      { ...options, name: (_request, tenant) => `tenant-${tenant}` },
    );
    const running = Promise.all(Array.from({ length: 64 }, (_, tenant) => route(request(), tenant)));
    await clock.advance(64);
    const answers = await Promise.all((await running).map((response) => response.json()));

    expect(answers).toEqual(Array.from({ length: 64 }, (_, tenant) => [tenant, `tenant-${tenant}`]));
  });
});

describe('row 45: row 66: the answer to a skip', () => {
  async function skipping(over: object) {
    const { options, clock } = setting();
    const finish = gate<Response>();
    void withSingleExecution(() => finish.opened, options)(request({ 'ce-id': '01J:1' }), {});
    await clock.advance(1_000);
    const handler = vi.fn(async () => new Response('sent'));
    return { answer: withSingleExecution(handler, { ...options, ...over })(request(), {}), handler };
  }
  const skipped = {
    status: 'skipped',
    name: 'digest',
    reason: 'locked',
    holder: {
      lockedBy: 'request 01J:1',
      lockedAt: '2026-01-01T00:00:00.000Z',
      lockUntil: '2026-01-01T00:01:00.000Z',
      fencingToken: NOW + 1,
    },
  };

  test.each<[string, object]>([
    ['by default', {}],
    ["with 'return'", { onSkipped: 'return' }],
  ])('row 45: F50 %s status 200 with the Skipped as JSON, so that no scheduler tries again', async (_, over) => {
    const { answer, handler } = await skipping(over);
    const response = await answer;

    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.json()).toEqual(skipped);
    expect(handler).not.toHaveBeenCalled();
  });

  test("row 45: with 'throw' the route rejects with a LockHeldError", async () => {
    const { answer } = await skipping({ onSkipped: 'throw' });
    const error: unknown = await answer.catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(LockHeldError);
    expect(error).toMatchObject({ skipped });
  });

  test.each<[string, (response: Response) => Response | Promise<Response>]>([
    ['a response', (response) => response],
    ['a promise of one', async (response) => response],
  ])('row 45: with a function, the response that it returns, unchanged: %s', async (_, wrap) => {
    const own = new Response(null, { status: 204 });
    const onSkipped = vi.fn((_skipped: Skipped) => wrap(own));
    const { answer } = await skipping({ onSkipped });

    expect(await answer).toBe(own);
    expect(onSkipped).toHaveBeenCalledExactlyOnceWith(skipped);
  });
});

describe('row 50: a store that fails', () => {
  test.each<[string, Error, string]>([
    ['is out of reach', storeError('UNAVAILABLE'), 'UNAVAILABLE'],
    ['denies access', storeError('ACCESS_DENIED', false), 'ACCESS_DENIED'],
    ['has no table', storeError('TABLE_NOT_FOUND', false), 'TABLE_NOT_FOUND'],
    ['throws what it should not', new Error('hunter2'), 'UNAVAILABLE'],
    ['keeps a corrupt record', new CorruptLockError('digest', 'lockUntil', 'NaN'), 'CORRUPT_LOCK'],
  ])('row 50: and %s is answered with status 503 and only the code; nothing runs', async (_, error, code) => {
    const { options, store, observer } = setting();
    const handler = vi.fn(async () => new Response('sent'));
    const route = withSingleExecution(handler, { ...options, store: faultyStore(store, { acquire: error }) });
    const response = await route(request(), {});

    expect(response.status).toBe(503);
    expect(await response.text()).toBe(JSON.stringify({ status: 'error', code }));
    expect(handler).not.toHaveBeenCalled();
    expect(observer.types()).toEqual(['attempted', 'acquire-failed']);
  });

  test('row 50: a grant that came too late is answered with 503 as well', async () => {
    const { clock, options, store } = setting();
    const slow = scriptedStore({
      ...store,
      acquire: async (claim, call) => {
        const granted = await store.acquire(claim, call);
        await pass(clock, MINUTE);
        return granted;
      },
    });
    const answer = withSingleExecution(() => new Response('sent'), { ...options, store: slow })(request(), {});
    await clock.advance(MINUTE);

    expect(await (await answer).json()).toEqual({ status: 'error', code: 'LATE' });
  });

  test.each<['skip' | 'run', string]>([
    ['skip', '{"status":"skipped","name":"digest","reason":"store-unavailable"}'],
    ['run', 'sent'],
  ])("row 51: with onStoreError '%s' the answer is of status 200: %s", async (onStoreError, body) => {
    const { options, store } = setting();
    const down = faultyStore(store, { acquire: storeError('UNAVAILABLE') });
    const route = withSingleExecution(() => new Response('sent'), { ...options, store: down, onStoreError });
    const response = await route(request(), {});

    expect([response.status, await response.text()]).toEqual([200, body]);
  });
});

describe('row 14: invalid options are refused when wrapping', () => {
  test.each<[object, string]>([
    [{ lockAtMostFor: undefined }, 'lockAtMostFor is undefined: say how long the lock outlives a holder that dies'],
    [{ store: () => scriptedStore() }, 'store is a function: give a store'],
    [{ onSkipped: 'ignore' }, "onSkipped is 'ignore'"],
    [
      { waitUntil: true },
      "unknown option 'waitUntil': the options are name, tick, onSkipped, secret, maxDuration, store,",
    ],
  ])('%o', (over, message) => {
    const { options } = setting();

    expect(() => withSingleExecution(() => new Response(), { ...options, ...over })).toThrow(message);
  });
});
