import { setImmediate } from 'node:timers/promises';
import middy from '@middy/core';
import { currentExecution, executeWithLock } from 'single-execution';
import { singleExecution } from 'single-execution/middy';
import { lambdaContext, scheduledEvent } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { storeCall } from '../support/contract-harness.js';
import { memoryLocks, NOW } from '../support/memory-locks.js';

/** What a hook of another middleware does: return a value, or throw. */
type Hook = () => unknown;

const TICK = '2026-01-01T00:00:00.000Z';
const answer = { statusCode: 418 };
const failure = new Error('no database');
const throwing: Hook = () => {
  throw failure;
};

function setting() {
  const { clock, store, observer, item } = memoryLocks();
  const options = { name: 'digest', store, clock, observers: [observer] };
  const call = (handler: (event: never, context: never) => unknown, event: object = scheduledEvent()) =>
    handler(event as never, lambdaContext({ clock }) as never);
  return { clock, store, observer, options, item, call };
}

/** A handler with singleExecution between two other middlewares, and the order of all calls. */
function chain(
  options: ReturnType<typeof setting>['options'],
  hooks: Readonly<Record<string, Hook>> = {},
  handler: Hook = () => 'sent',
) {
  const called: string[] = [];
  const hook = (name: string) => async () => {
    called.push(name);
    return hooks[name]?.();
  };
  const middleware = (name: string) => ({
    before: hook(`${name} before`),
    after: hook(`${name} after`),
    onError: hook(`${name} onError`),
  });
  const wrapped = middy(async () => {
    called.push('handler');
    return handler();
  })
    .use(middleware('outer'))
    .use(singleExecution(options))
    .use(middleware('inner'));
  return { wrapped, called };
}

const done = { state: 'released', result: 'succeeded', doneTick: Date.parse(TICK) };
const open = { state: 'released', result: 'failed', failedTicks: expect.any(String) };

describe('row 101: singleExecution of Middy', () => {
  test('row 101: a second delivery of a tick is answered with the skip, and nothing after it is called', async () => {
    const { options, call, item } = setting();
    const { wrapped, called } = chain(options);

    expect(await call(wrapped)).toBe('sent');
    expect(await item()).toMatchObject(done);
    expect(called).toEqual(['outer before', 'inner before', 'handler', 'inner after', 'outer after']);
    called.length = 0;
    expect(await call(wrapped)).toMatchObject({ status: 'skipped', reason: 'already-executed', tick: TICK });
    expect(called).toEqual(['outer before']);
  });

  test('row 101: the lock is held from its place on, until the middlewares after it are done', async () => {
    const { options, call, item } = setting();
    const states: unknown[] = [];
    const look = async () => void states.push((await item())?.state);
    const names = ['outer before', 'inner before', 'inner after', 'outer after'];
    const { wrapped } = chain(options, Object.fromEntries(names.map((name) => [name, look])), look);
    await call(wrapped);

    expect(states).toEqual([undefined, 'held', 'held', 'held', 'released']);
  });

  test('the execution is in the context and in the request, and is none of currentExecution', async () => {
    const { options, call } = setting();
    const seen: unknown[] = [];
    const wrapped = middy<object, string>()
      .use(singleExecution(options))
      .before((request) => void seen.push(request.internal.execution))
      .handler(async (_event, context) => {
        seen.push(context.execution, currentExecution());
        await context.execution.extend('1m');
        return 'sent';
      });

    expect(await call(wrapped)).toBe('sent');
    const execution = expect.objectContaining({ name: 'digest', tick: new Date(TICK), fencingToken: NOW + 1 });
    expect(seen).toEqual([execution, execution, undefined]);
  });
});

describe('row 101: whatever other middlewares do, a run gives back what it took, and nothing else', () => {
  test.each<[string, Record<string, Hook>]>([
    ['answers early', { 'outer before': () => answer }],
    ['rejects', { 'outer before': throwing }],
  ])('row 101: one before it that %s keeps it from asking for the lock', async (_, hooks) => {
    const { options, call, observer } = setting();
    const { wrapped } = chain(options, hooks);
    await Promise.resolve(call(wrapped)).catch(() => {});

    expect(observer.events).toEqual([]);
  });

  // The last two columns: what the caller gets, and what the record says.
  test.each<[string, Record<string, Hook>, Hook, unknown, object]>([
    ['before rejects', { 'inner before': throwing }, () => 'sent', failure, open],
    ['before answers early', { 'inner before': () => answer }, () => 'sent', answer, open],
    ['after answers early', { 'inner after': () => answer }, () => 'sent', answer, done],
    ['after rejects', { 'inner after': throwing }, () => 'sent', failure, open],
    ['onError answers early', { 'inner onError': () => answer }, throwing, answer, open],
    ['onError rejects', { 'inner onError': throwing }, throwing, failure, open],
    ['after rejects, when the lock is free again', { 'outer after': throwing }, () => 'sent', failure, done],
    ['after answers early, when the lock is free again', { 'outer after': () => answer }, () => 'sent', answer, done],
    ['onError answers, when the lock is free again', { 'outer onError': () => answer }, throwing, answer, open],
  ])('row 101: another one whose %s', async (_, hooks, handler, reply, record) => {
    const { options, call, item, observer } = setting();
    const { wrapped } = chain(options, hooks, handler);
    const given = await Promise.resolve(call(wrapped)).catch((error: unknown) => error);

    expect(given).toBe(reply);
    await vi.waitFor(async () => expect(await item()).toMatchObject(record), 60_000);
    expect(observer.types().filter((type) => type === 'released')).toHaveLength(1);
    const next = executeWithLock(() => 'next', { ...options, lockAtMostFor: '1m' });
    await expect(next).resolves.toMatchObject({ value: 'next' });
  });

  test('row 101: a middleware that turns an error into a response leaves the tick open', async () => {
    const { options, call, item } = setting();
    const wrapped = middy(throwing as () => Promise<never>)
      .use(singleExecution(options))
      .onError((request) => {
        request.response = answer as never;
      });

    expect(await call(wrapped)).toBe(answer);
    expect(await item()).toMatchObject(open);
  });

  test('row 101: both locks of a handler are given back if a middleware answers early', async () => {
    const { options, call, store, clock } = setting();
    const wrapped = middy(() => 'sent')
      .use([singleExecution(options), singleExecution({ ...options, name: 'other' })])
      .before(() => answer);

    expect(await call(wrapped)).toBe(answer);
    for (const name of ['digest', 'other']) expect((await store.get(name, storeCall(clock)))?.item).toMatchObject(open);
  });

  type OnError = (request: { error: unknown; response: unknown }) => unknown;

  test.each<[string, OnError]>([
    ['', () => {}],
    [', also where another middleware throws of it', throwing],
    [', also where another middleware throws a text', () => Promise.reject('no database')],
    [', also where another middleware throws it again', ({ error }) => Promise.reject(error)],
    [
      ', also where another middleware puts its own error in the place',
      (request) => Object.assign(request, { error: failure }) && undefined,
    ],
    [', also where another middleware answers it', () => answer],
  ])(
    'row 101: Middy’s early timeout releases nothing, because the handler may be running still%s',
    async (_, other) => {
      const { options, clock, item, observer } = setting();
      const wrapped = middy(() => new Promise(() => {}))
        .use(singleExecution(options))
        .onError(other as () => void);
      const ended = wrapped(scheduledEvent(), lambdaContext({ clock, remainingMs: 20 }) as never);
      await Promise.resolve(ended).catch(() => {});
      await clock.advance(1);

      expect(await item()).toMatchObject({ state: 'held' });
      expect(observer.types()).not.toContain('released');
    },
  );

  test('row 101: the lock is held while a middleware cleans up whose neighbour has put another error in the place', async () => {
    const { options, call, item } = setting();
    const states: unknown[] = [];
    const wrapped = middy(throwing as () => Promise<never>)
      .use(singleExecution(options))
      .onError(async () => {
        await setImmediate();
        states.push((await item())?.state);
      })
      .onError((request) => {
        request.error = new Error('not found');
      });

    await expect(call(wrapped)).rejects.toThrow('not found');
    expect(states).toEqual(['held']);
    expect(await item()).toMatchObject(open);
  });

  test('row 101: an early answer that is undefined waits for the release, too', async () => {
    const { options, call, item } = setting();
    const wrapped = middy(() => 'sent')
      .use(singleExecution(options))
      .before((request) => {
        request.earlyResponse = undefined;
      });

    expect(await call(wrapped)).toBeUndefined();
    expect(await item()).toMatchObject(open);
  });
});

test('row 101: catchUp is refused, because Middy calls the handler once', () => {
  const options = { ...setting().options, catchUp: { mode: 'all' } };
  expect(() => singleExecution(options)).toThrow("unknown option 'catchUp': Middy calls the handler once");
});
