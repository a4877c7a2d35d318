import type { Execution } from 'single-execution';
import { type Options, withSingleExecution } from 'single-execution/cloudflare';
import { memoryStore } from 'single-execution/memory';
import { describe, expect, test, vi } from 'vitest';
import { gate } from '../support/gate.js';
import { MINUTE, memoryLocks, NOW } from '../support/memory-locks.js';
import { pass } from '../support/pass.js';

const env = { LOCKS: 'https://locks.example.com' };
type Env = typeof env;

/** As the platform makes it: a class whose methods work on its own objects alone. */
class Controller {
  #canRetry = true;
  readonly scheduledTime: number;
  readonly cron = '*/10 * * * *';
  constructor(scheduledTime: number) {
    this.scheduledTime = scheduledTime;
  }
  noRetry(): void {
    this.#canRetry = false;
  }
  get canRetry(): boolean {
    return this.#canRetry;
  }
}

const controller = (scheduledTime: unknown = NOW) => new Controller(scheduledTime as number);
const context = () => ({ waitUntil: vi.fn((_promise: Promise<unknown>) => {}), passThroughOnException: vi.fn() });

function setting() {
  const { clock, store, observer, item } = memoryLocks();
  const acquire = vi.spyOn(store, 'acquire');
  const options = { name: 'digest', store, lockAtMostFor: '1m', clock, observers: [observer] };
  return { clock, store, observer, item, acquire, options };
}

describe('the wrapped scheduled handler', () => {
  test('row 62: F48 passes this, the controller and the bindings on as they are, and the execution fourth', async () => {
    const { options } = setting();
    const handler = vi.fn(async function (this: unknown, ..._args: unknown[]) {});
    const [self, due, ctx] = [{}, controller(), {} as ReturnType<typeof context>];
    await withSingleExecution(handler, options).call(self, due, env, ctx);

    expect(handler.mock.contexts[0]).toBe(self);
    const args = handler.mock.calls[0] ?? [];
    expect(args).toHaveLength(4);
    expect([args[0] === due, args[1] === env, args[2] === ctx]).toEqual([true, true, true]);
    expect(args[3]).toMatchObject({ name: 'digest', tick: new Date(NOW), fencingToken: NOW + 1 });
  });

  test('row 66: only the handler calls noRetry: it gets the controller of the platform', async () => {
    const { options } = setting();
    const [left, asked] = [controller(), controller(NOW + MINUTE)];
    await withSingleExecution(async () => {}, options)(left, env, context());
    await withSingleExecution(async (given: Controller) => given.noRetry(), options)(asked, env, context());

    expect([left.canRetry, asked.canRetry]).toEqual([true, false]);
  });

  test.each<[string, unknown]>([
    ['an Error', new Error('no database')],
    ['undefined', undefined],
  ])(
    'F47 F67 the error of a handler reaches the platform unchanged, and the retry of its tick runs: %s',
    async (_, error) => {
      const { options, item } = setting();
      const failing = withSingleExecution(async () => {
        throw error;
      }, options);
      const caught = await failing(controller(), env, context()).catch((thrown: unknown) => [thrown]);

      expect((caught as unknown[])[0]).toBe(error);
      expect(await item()).toMatchObject({ state: 'released', result: 'failed' });
      expect(await item()).not.toHaveProperty('doneTick');
      const retried = vi.fn();
      await withSingleExecution(retried, options)(controller(), env, context());
      expect(retried).toHaveBeenCalledOnce();
    },
  );

  test('row 44: a skip names the cron trigger as the holder', async () => {
    const { options, item } = setting();
    await withSingleExecution(async () => {}, options)(controller(), env, context());

    expect(await item()).toMatchObject({ lockedBy: 'worker, cron */10 * * * *' });
  });
});

describe('row 36: row 66: the tick', () => {
  const tickOf = async (due: Controller, over: Partial<Options<Env>> = {}) => {
    const { options, ...locks } = setting();
    const handler = vi.fn(async (..._args: unknown[]) => {});
    await withSingleExecution(handler, { ...options, ...over } as Options<Env>)(due, env, context());
    return { ...locks, tick: (handler.mock.calls[0]?.[3] as Execution | undefined)?.tick };
  };

  test('row 36: is the scheduledTime, to the millisecond, not the time of the run', async () => {
    expect((await tickOf(controller(NOW - 7_001))).tick).toEqual(new Date(NOW - 7_001));
  });

  test('row 34: F64 a second event of one scheduledTime is skipped, later ones run', async () => {
    const { clock, options } = setting();
    const handler = vi.fn(async () => {});
    const scheduled = withSingleExecution(handler, options);
    await scheduled(controller(), env, context());
    await clock.advance(10 * MINUTE);

    expect(await scheduled(controller(), env, context())).toMatchObject({ reason: 'already-executed' });
    await scheduled(controller(NOW + 10 * MINUTE), env, context());
    expect(handler).toHaveBeenCalledTimes(2);
  });

  test.each<[string, Controller | object, string | undefined]>([
    ['missing', { cron: '', noRetry() {} }, undefined],
    ['NaN', controller(Number.NaN), 'NaN'],
    ['Infinity', controller(Number.POSITIVE_INFINITY), 'Infinity'],
    ['null', { scheduledTime: null }, 'null'],
    ['a string', { scheduledTime: '2026-01-01T00:00:00Z' }, "'2026-01-01T00:00:00Z'"],
  ])('F68 does not exist if the scheduledTime is %s', async (_, due, told) => {
    const logged = vi.spyOn(console, 'warn').mockReturnValue();
    const { tick, observer, item } = await tickOf(due as Controller);
    const lines = logged.mock.calls.map(([line]) => String(line));
    logged.mockRestore();

    expect(tick).toBeUndefined();
    expect(await item()).not.toHaveProperty('doneTick');
    const unreadable = observer.events.filter(({ type }) => type === 'tick-unreadable');
    expect(unreadable).toMatchObject(told === undefined ? [] : [{ value: told }]);
    const untold = expect.stringContaining('the trigger has no scheduled time');
    expect(lines).toEqual(told === undefined ? [untold] : []);
  });

  test.each<[string, number]>([
    ['in seconds', NOW / 1_000],
    ['more than a day ahead', NOW + 86_400_001],
  ])('F71 a scheduledTime %s is refused, and nothing is written', async (_, scheduledTime) => {
    const { options, acquire } = setting();
    const handler = vi.fn();
    const running = withSingleExecution(handler, options)(controller(scheduledTime), env, context());

    await expect(running).rejects.toThrow(RangeError);
    expect([acquire.mock.calls, handler.mock.calls]).toEqual([[], []]);
  });

  test('row 36: may come from a function of controller, bindings and context, or be absent', async () => {
    const tick = vi.fn((due: { scheduledTime: number }) => due.scheduledTime - MINUTE);

    expect((await tickOf(controller(), { tick })).tick).toEqual(new Date(NOW - MINUTE));
    expect(tick).toHaveBeenCalledExactlyOnceWith(expect.any(Controller), env, expect.anything());
    expect((await tickOf(controller(), { tick: 'none' })).tick).toBeUndefined();
  });
});

describe('row 13: row 68: what follows from the event', () => {
  test('row 13: the name, from controller, bindings and context', async () => {
    const { options } = setting();
    const name = vi.fn((due: { cron: string }) => `at ${due.cron}`);
    const handler = vi.fn(async (..._args: unknown[]) => {});
    const [due, ctx] = [controller(), context()];
    await withSingleExecution(handler, { ...options, name })(due, env, ctx);

    expect(name).toHaveBeenCalledExactlyOnceWith(due, env, ctx);
    expect(handler.mock.calls[0]?.[3]).toMatchObject({ name: 'at */10 * * * *' });
  });

  test('row 68: the store, made from the bindings anew for each event and not before', async () => {
    const { options, store } = setting();
    const made = vi.fn((_env: Env) => ({ ...store }));
    const handler = vi.fn(async () => {});
    const scheduled = withSingleExecution(handler, { ...options, store: made });
    expect(made).not.toHaveBeenCalled();
    await scheduled(controller(), env, context());
    await scheduled(controller(), env, context());

    expect(made.mock.calls).toEqual([[env], [env]]);
    expect(made.mock.calls[0]?.[0]).toBe(env);
    expect(handler).toHaveBeenCalledOnce();
  });

  test('row 14: a function that makes no store fails the event, and nothing runs', async () => {
    const handler = vi.fn();
    const store = () => undefined as never;
    const running = withSingleExecution(handler, { ...setting().options, store })(controller(), env, context());

    await expect(running).rejects.toThrow('store is undefined: give a store');
    expect(handler).not.toHaveBeenCalled();
  });
});

describe('F42 work that is handed to waitUntil', () => {
  test('F42 holds the lock until it has settled; the platform is handed it too', async () => {
    const { clock, options, item } = setting();
    const ctx = context();
    const work = pass(clock, 500);
    const running = withSingleExecution((_due, _env, given: typeof ctx) => given.waitUntil(work), options)(
      controller(),
      env,
      ctx,
    );

    await clock.advance(499);
    expect(await item()).toMatchObject({ state: 'held' });
    await clock.advance(1);
    await running;
    expect(await item()).toMatchObject({ state: 'released', doneTick: NOW, releasedAt: NOW + 500 });
    expect(ctx.waitUntil).toHaveBeenCalledExactlyOnceWith(work);
  });
});

describe('row 45: a skip', () => {
  const skipping = async (over: Partial<Options<Env>>) => {
    const { clock, options } = setting();
    void withSingleExecution(() => gate().opened, options)(controller(), env, context());
    await clock.advance(1_000);
    const handler = vi.fn();
    const running = withSingleExecution(handler, { ...options, ...over } as Options<Env>)(controller(), env, context());
    await running.catch(() => {});
    expect(handler).not.toHaveBeenCalled();
    return running;
  };

  test('row 45: F50 is not a failure, so that the platform does not retry', async () => {
    await expect(skipping({})).resolves.toMatchObject({ status: 'skipped', reason: 'locked' });
  });
});

describe('row 14: invalid options are refused when wrapping', () => {
  test.each<[object, string]>([
    [{ lockAtMostFor: undefined }, 'lockAtMostFor is undefined: say how long the lock outlives a holder that dies'],
    [{ store: undefined }, 'store is undefined: give a store'],
    [{ store: { acquire() {} } }, "store has no function 'extend'"],
    [{ secret: 's3cret' }, "unknown option 'secret': the options are name, tick, onSkipped, maxDuration, store,"],
  ])('%o', (over, message) => {
    const options = { name: 'digest', store: memoryStore(), lockAtMostFor: '1m', ...over };

    expect(() => withSingleExecution(async () => {}, options as Options<unknown>)).toThrow(message);
  });
});
