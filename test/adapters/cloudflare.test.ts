import type { Execution } from 'single-execution';
import { type ScheduledController, type WithNow, withSingleExecution } from 'single-execution/cloudflare';
import { cron } from 'single-execution/schedule';
import { describe, expect, test, vi } from 'vitest';
import { MINUTE, memoryLocks, NOW } from '../support/memory-locks.js';

const env = { LOCKS: 'https://locks.example.com' };
type Env = typeof env;

/** A controller like the platform's: an instance of a class, whose methods fail on any other object. */
class Controller {
  #canRetry = true;
  readonly #at: unknown;
  readonly cron = '*/10 * * * *';
  constructor(at: unknown = NOW) {
    this.#at = at;
  }
  get scheduledTime(): number {
    return this.#at as number;
  }
  noRetry(): void {
    this.#canRetry = false;
  }
  get canRetry(): boolean {
    return this.#canRetry;
  }
}

const context = () => ({ waitUntil: (_promise: Promise<unknown>) => {}, passThroughOnException() {} });

function setting() {
  const locks = memoryLocks();
  const acquire = vi.spyOn(locks.store, 'acquire');
  const made = vi.fn((_env: Env) => ({ ...locks.store }));
  return { ...locks, acquire, made };
}

test('row 66: only the handler calls noRetry: it gets the controller of the platform', async () => {
  const { options } = setting();
  const [left, asked] = [new Controller(), new Controller(NOW + MINUTE)];
  await withSingleExecution(async () => {}, options)(left, env, context());
  await withSingleExecution(async (given: Controller) => given.noRetry(), options)(asked, env, context());

  expect([left.canRetry, asked.canRetry]).toEqual([true, false]);
});

test('the holder of an event without a cron, as a local tool sends it, is the Worker', async () => {
  const { options, acquire } = setting();
  await withSingleExecution(async () => {}, options)({ scheduledTime: NOW, cron: '', noRetry() {} }, env, context());

  expect(acquire.mock.calls[0]?.[0]).toMatchObject({ lockedBy: 'worker' });
});

test('row 89: a tick that is caught up with gets a controller with its own time, whose methods work', async () => {
  const seen: unknown[] = [];
  const handler = async (given: ScheduledController, _env: unknown, _ctx: unknown, { isCatchUp }: Execution) => {
    if (isCatchUp) given.noRetry();
    seen.push([given.scheduledTime - NOW, given.cron]);
  };
  const catchUp = { mode: 'all' } as const;
  const scheduled = withSingleExecution(handler, { ...setting().options, schedule: cron('* * * * *'), catchUp });
  const third = Object.freeze(new Controller(NOW + 2 * MINUTE));
  for (const due of [new Controller(), third]) await scheduled(due, {}, context());

  expect(seen).toEqual([0, 1, 2].map((minute) => [minute * MINUTE, '*/10 * * * *']));
  expect(third.canRetry).toBe(false);
});

test.each<[string, unknown]>([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['null', null],
  ["'2026-01-01T00:00:00Z'", '2026-01-01T00:00:00Z'],
])('F68 a scheduledTime that is %s is no tick, and an event reports it', async (value, scheduledTime) => {
  const { options, observer, item } = setting();
  await withSingleExecution(async () => {}, options)(new Controller(scheduledTime), env, context());

  expect(await item()).not.toHaveProperty('doneTick');
  expect(observer.events[0]).toMatchObject({ type: 'tick-unreadable', value });
});

describe('row 68: the store of an event', () => {
  test('row 68: is made from the bindings anew for each event and not before', async () => {
    const { options, made } = setting();
    const handler = vi.fn(async () => {});
    const scheduled = withSingleExecution(handler, { ...options, store: made });
    expect(made).not.toHaveBeenCalled();
    for (let events = 0; events < 2; events++) await scheduled(new Controller(), env, context());

    expect(made.mock.calls).toEqual([[env], [env]]);
    expect(made.mock.calls[0]?.[0]).toBe(env);
    expect(handler).toHaveBeenCalledOnce();
  });

  test('row 68: is made anew for each run by hand, also if a program uses one controller for all of them', async () => {
    const { options, made, acquire } = setting();
    const byHand = new Controller();
    let calls = 0;
    const scheduled: WithNow<(own: Controller, bindings: Env, ctx: ReturnType<typeof context>) => Promise<void>> =
      withSingleExecution(
        async (own: Controller, bindings: Env, ctx: ReturnType<typeof context>) => {
          // Every other call is made inside a run, and has the lock and the store of that run.
          if (++calls % 2 === 1) await scheduled.now(own, bindings, ctx);
        },
        { ...options, store: made },
      );
    for (let runs = 0; runs < 2; runs++) await scheduled.now(byHand, env, context());

    expect([made.mock.calls.length, acquire.mock.calls.length, calls]).toEqual([2, 2, 4]);
  });

  test('row 14: that is none fails the event, and nothing runs', async () => {
    const handler = vi.fn();
    const store = () => undefined as never;
    const running = withSingleExecution(handler, { ...setting().options, store })(new Controller(), env, context());

    await expect(running).rejects.toThrow('store is undefined: pass a store');
    expect(handler).not.toHaveBeenCalled();
  });

  /** A handler that calls its own wrapped function once more, and the results of both calls. */
  async function recursive(eventOfTheSecond: (own: Controller) => Controller) {
    const { options, acquire, made } = setting();
    const tokens: number[] = [];
    const inner: unknown[] = [];
    const scheduled: (due: Controller, bindings: Env, ctx: ReturnType<typeof context>) => Promise<void> =
      withSingleExecution(
        async (due: Controller, bindings: Env, ctx: ReturnType<typeof context>, { fencingToken }) => {
          tokens.push(fencingToken);
          if (tokens.length === 1) inner.push(await scheduled(eventOfTheSecond(due), bindings, ctx));
        },
        { ...options, store: made },
      );
    await scheduled(new Controller(), env, context());
    return { made: made.mock.calls, acquires: acquire.mock.calls.length, tokens, inner };
  }

  test('row 9: row 68: is the same for a handler that calls itself with its event: it runs inside its own lock', async () => {
    expect(await recursive((own) => own)).toEqual({
      made: [[env]],
      acquires: 1,
      tokens: [NOW + 1, NOW + 1],
      inner: [undefined],
    });
  });

  test('row 68: is another for another event, which is kept out', async () => {
    expect(await recursive(() => new Controller())).toMatchObject({
      made: [[env], [env]],
      acquires: 2,
      tokens: [NOW + 1],
      inner: [{ status: 'skipped', reason: 'locked' }],
    });
  });
});
