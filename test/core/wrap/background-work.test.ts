import { manualClock } from 'single-execution/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { withBackgroundWork } from '../../../src/core/wrap/background-work.js';
import { pass } from '../../support/clocks.js';
import { gate } from '../../support/gate.js';
import { settledOf, untilUnhandledAreTold } from '../../support/settled.js';

/** A context as a platform makes it: its methods live on a class and work on its own objects alone. */
class PlatformContext {
  readonly #handedOver: PromiseLike<unknown>[] = [];
  readonly props = { tenant: '42' };

  waitUntil(promise: PromiseLike<unknown>): void {
    this.#handedOver.push(promise);
    Promise.resolve(promise).catch(() => {});
  }
  passThroughOnException(): number {
    return this.#handedOver.length;
  }
  get handedOver(): readonly PromiseLike<unknown>[] {
    return this.#handedOver;
  }
}

const [noMailer, noDatabase] = [new Error('no mailer'), new Error('no database')];

// The contract of adapters plays one piece of work that is handed over: as it settles, as it fails, and beside an error.
// http-background.test.ts plays a response that does not wait for it.
describe('F42 work that is handed to waitUntil', () => {
  type Handler = (ctx: PlatformContext, wait: (ms: number) => Promise<void>) => unknown;

  test.each<[string, Handler, number, 'answered' | Error]>([
    [
      'is waited for in whatever order it settles, and the handler too',
      async (ctx, wait) => {
        ctx.waitUntil(wait(300));
        ctx.waitUntil(wait(100));
        await wait(50);
        ctx.waitUntil(wait(200));
        return 'answered';
      },
      300,
      'answered',
    ],
    [
      'may hand over further work, which is waited for to the last',
      (ctx, wait) => {
        const handOver = async (depth: number): Promise<void> => {
          await wait(100);
          if (depth > 1) ctx.waitUntil(handOver(depth - 1));
        };
        ctx.waitUntil(handOver(5));
        return 'answered';
      },
      500,
      'answered',
    ],
    [
      'and fails makes the run fail, by identity, after all other work has settled',
      async (ctx, wait) => {
        ctx.waitUntil(Promise.reject(noMailer));
        ctx.waitUntil(wait(500));
        return 'answered';
      },
      500,
      noMailer,
    ],
  ])('F42 %s', async (_, handler, untilMs, result) => {
    const clock = manualClock();
    const running = withBackgroundWork(new PlatformContext(), (ctx) => handler(ctx, (ms) => pass(clock, ms)));
    const isSettled = settledOf(running);
    await clock.advance(untilMs - 1);
    expect(isSettled()).toBe(false);
    await clock.advance(1);
    expect(isSettled()).toBe(true);

    if (result === 'answered') expect(await running).toBe(result);
    else await expect(running).rejects.toBe(result);
  });

  test('F42 of several failures the first that was handed over is reported', async () => {
    const [first, second] = [new Error('no mailer'), new Error('no disk')];
    const running = withBackgroundWork(new PlatformContext(), async (ctx) => {
      ctx.waitUntil(Promise.resolve().then(() => Promise.reject(first)));
      ctx.waitUntil(Promise.reject(second));
    });

    await expect(running).rejects.toBe(first);
  });

  test('F47 and rejects with undefined has failed as well', async () => {
    const running = withBackgroundWork(new PlatformContext(), (ctx) => ctx.waitUntil(Promise.reject(undefined)));

    expect(await running.catch((thrown: unknown) => [thrown])).toEqual([undefined]);
  });
});

describe('the context that the handler is given', () => {
  test('methods are called on the platform’s own object, also when they are taken off it', async () => {
    const context = new PlatformContext();
    const count = await withBackgroundWork(context, async (ctx) => {
      const { waitUntil, passThroughOnException } = ctx;
      waitUntil(Promise.resolve());
      return [ctx.passThroughOnException(), passThroughOnException(), ctx.handedOver.length];
    });

    expect(count).toEqual([1, 1, 1]);
  });

  test('properties are those of the platform, and it is still an instance of its class', async () => {
    const context = new PlatformContext();

    await withBackgroundWork(context, (ctx) => {
      expect(ctx.props).toBe(context.props);
      expect(ctx).toBeInstanceOf(PlatformContext);
      expect('waitUntil' in ctx).toBe(true);
      Object.assign(ctx.props, { seen: true });
    });
    expect(context.props).toEqual({ tenant: '42', seen: true });
  });

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a string', 'context'],
    ['an object without waitUntil, as of a Next.js route', { params: Promise.resolve({ id: '42' }) }],
    ['an object whose waitUntil is no function', { waitUntil: true }],
  ])('is the same one where there is no waitUntil to count: %s', async (_, context) => {
    const handler = vi.fn(async (_ctx: unknown) => 'answered');

    expect(await withBackgroundWork(context, handler)).toBe('answered');
    expect(handler.mock.calls[0]?.[0]).toBe(context);
  });
});

/** A platform that forgets what it is handed. */
const forgetful = () => ({ waitUntil(_promise: PromiseLike<unknown>): void {} });

const unhandled = vi.fn();
beforeEach(() => {
  unhandled.mockClear();
  process.on('unhandledRejection', unhandled);
});
afterEach(() => void process.off('unhandledRejection', unhandled));

describe('F42 when work is handed over', () => {
  test.each<[string, () => unknown, Error]>([
    ['the handler returns: the run has failed', () => 'answered', noMailer],
    ['the handler fails as well: its error is reported', () => Promise.reject(noDatabase), noDatabase],
  ])('F42 F47 after an await, and fails before %s, and nothing is left unhandled', async (_, end, error) => {
    const running = withBackgroundWork(forgetful(), async (ctx) => {
      await Promise.resolve();
      ctx.waitUntil(Promise.reject(noMailer));
      await untilUnhandledAreTold();
      return end();
    });

    await expect(running).rejects.toBe(error);
    await untilUnhandledAreTold();
    expect(unhandled).not.toHaveBeenCalled();
  });

  test('F42 as a thenable that is no promise: it is waited for, and its failure reported', async () => {
    const error = new Error('no mailer');
    const work = {
      // biome-ignore lint/suspicious/noThenProperty: what is handed over is typed as PromiseLike.
      then: (_: unknown, reject: (reason: unknown) => void) => reject(error),
    } as PromiseLike<unknown>;

    await expect(withBackgroundWork(forgetful(), (ctx) => ctx.waitUntil(work))).rejects.toBe(error);
  });
});

describe('F42 what the handler returned', () => {
  test.each<[string, (ctx: ReturnType<typeof forgetful>) => string]>([
    ['nothing was handed over', () => 'answered'],
    [
      'the handler threw',
      (ctx) => {
        ctx.waitUntil(Promise.resolve());
        throw new Error('no database');
      },
    ],
  ])('F42 is not told where %s', async (_, handler) => {
    const onReturned = vi.fn();
    await withBackgroundWork(forgetful(), handler, onReturned).catch(() => {});

    expect(onReturned).not.toHaveBeenCalled();
  });
});

test('F42 what the handler sets on its context is there, and can be copied from it', async () => {
  const context = { ...forgetful(), params: { id: '42' }, seen: false };
  const work = gate();
  const copied = await withBackgroundWork(context, async (ctx) => {
    ctx.seen = true;
    const { waitUntil, ...rest } = { ...ctx };
    waitUntil(work.opened);
    work.open();
    return [rest, Object.keys(ctx)];
  });

  expect(copied).toEqual([{ params: { id: '42' }, seen: true }, ['waitUntil', 'params', 'seen']]);
  expect(context.seen).toBe(true);
});

test.each<[string, (context: object) => object]>([
  ['frozen', Object.freeze],
  ['sealed', Object.seal],
])('F42 a %s context is counted as well, and still has what it has', async (_, seal) => {
  const work = gate();
  const context = seal({ ...forgetful(), tenant: '42' }) as ReturnType<typeof forgetful> & { tenant: string };
  const settled = vi.fn();
  const running = withBackgroundWork(context, async (ctx) => {
    ctx.waitUntil(work.opened);
    return [ctx.tenant, 'waitUntil' in ctx, 'tenant' in ctx, 'other' in ctx];
  }).then(settled);
  await untilUnhandledAreTold();

  expect(settled).not.toHaveBeenCalled();
  work.open();
  await running;
  expect(settled).toHaveBeenCalledExactlyOnceWith(['42', true, true, false]);
});
