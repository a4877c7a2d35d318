import { manualClock } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { withBackgroundWork } from '../../../src/core/wrap/background-work.js';
import { gate } from '../../support/gate.js';
import { pass } from '../../support/pass.js';

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

/** Whether a promise has settled by now. */
function watch(promise: Promise<unknown>) {
  const settled = vi.fn();
  promise.then(settled, settled);
  return () => settled.mock.calls.length > 0;
}

describe('F42 work that is handed to waitUntil', () => {
  test('F42 is part of the run, which waits for it; the platform gets it as well', async () => {
    const clock = manualClock();
    const context = new PlatformContext();
    const work = pass(clock, 500);
    const running = withBackgroundWork(context, async (ctx) => {
      ctx.waitUntil(work);
      return 'answered';
    });
    const hasSettled = watch(running);

    await clock.advance(499);
    expect(hasSettled()).toBe(false);
    await clock.advance(1);
    expect(hasSettled()).toBe(true);
    expect(await running).toBe('answered');
    expect(context.handedOver).toHaveLength(1);
    expect(context.handedOver[0]).toBe(work);
  });

  test('F42 all of it is waited for, in whatever order it settles, and the handler too', async () => {
    const clock = manualClock();
    const running = withBackgroundWork(new PlatformContext(), async (ctx) => {
      ctx.waitUntil(pass(clock, 300));
      ctx.waitUntil(pass(clock, 100));
      await pass(clock, 50);
      ctx.waitUntil(pass(clock, 200));
    });
    const hasSettled = watch(running);

    await clock.advance(299);
    expect(hasSettled()).toBe(false);
    await clock.advance(1);
    expect(hasSettled()).toBe(true);
  });

  test('F42 work that hands over further work is waited for to the last', async () => {
    const clock = manualClock();
    const context = new PlatformContext();
    const running = withBackgroundWork(context, (ctx) => {
      const handOver = async (depth: number): Promise<void> => {
        await pass(clock, 100);
        if (depth > 1) ctx.waitUntil(handOver(depth - 1));
      };
      ctx.waitUntil(handOver(5));
    });
    const hasSettled = watch(running);

    await clock.advance(499);
    expect(hasSettled()).toBe(false);
    await clock.advance(1);
    expect(hasSettled()).toBe(true);
    expect(context.handedOver).toHaveLength(5);
  });

  test('F42 its failure is the failure of the run, by identity, after all other work has settled', async () => {
    const clock = manualClock();
    const error = new Error('no mailer');
    const running = withBackgroundWork(new PlatformContext(), async (ctx) => {
      ctx.waitUntil(Promise.reject(error));
      ctx.waitUntil(pass(clock, 500));
      return 'answered';
    });
    const hasSettled = watch(running);

    await clock.advance(499);
    expect(hasSettled()).toBe(false);
    await clock.advance(1);
    await expect(running).rejects.toBe(error);
  });

  test('F42 of several failures the first that was handed over is reported', async () => {
    const [first, second] = [new Error('no mailer'), new Error('no disk')];
    const running = withBackgroundWork(new PlatformContext(), async (ctx) => {
      ctx.waitUntil(Promise.resolve().then(() => Promise.reject(first)));
      ctx.waitUntil(Promise.reject(second));
    });

    await expect(running).rejects.toBe(first);
  });

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a string', 'no mailer'],
  ])('F47 a rejection with %s is a failure as well', async (_, reason) => {
    const running = withBackgroundWork(new PlatformContext(), (ctx) => ctx.waitUntil(Promise.reject(reason)));

    expect(await running.catch((thrown: unknown) => [thrown])).toEqual([reason]);
  });

  test.each<[string, (error: Error) => unknown]>([
    [
      'thrown',
      (error) => {
        throw error;
      },
    ],
    ['a rejection', (error) => Promise.reject(error)],
  ])("F42 the handler's own error comes before any failure of its work: %s", async (_, fail) => {
    const clock = manualClock();
    const error = new Error('no database');
    const running = withBackgroundWork(new PlatformContext(), (ctx) => {
      ctx.waitUntil(Promise.reject(new Error('no mailer')));
      ctx.waitUntil(pass(clock, 100));
      return fail(error);
    });
    const hasSettled = watch(running);

    await clock.advance(99);
    expect(hasSettled()).toBe(false);
    await clock.advance(1);
    await expect(running).rejects.toBe(error);
  });

  test('F42 two runs that share one context wait for their own work alone', async () => {
    const context = new PlatformContext();
    const slow = gate();
    const first = withBackgroundWork(context, async (ctx) => {
      ctx.waitUntil(slow.opened);
      return 'first';
    });
    const second = withBackgroundWork(context, async (ctx) => {
      ctx.waitUntil(Promise.resolve());
      return 'second';
    });

    expect(await second).toBe('second');
    slow.open();
    expect(await first).toBe('first');
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

  test('a handler without one still fails with its own error', async () => {
    const error = new Error('no database');
    const running = withBackgroundWork(undefined, () => {
      throw error;
    });

    await expect(running).rejects.toBe(error);
  });
});
