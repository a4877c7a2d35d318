import { manualClock } from 'single-execution/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { withBackgroundWork } from '../../../src/core/wrap/background-work.js';
import { gate } from '../../support/gate.js';
import { pass } from '../../support/pass.js';
import { untilUnhandledAreTold } from '../../support/unhandled.js';

/** A platform that forgets what it is handed. */
const forgetful = () => ({ waitUntil(_promise: PromiseLike<unknown>): void {} });

const unhandled = vi.fn();
beforeEach(() => {
  unhandled.mockClear();
  process.on('unhandledRejection', unhandled);
});
afterEach(() => void process.off('unhandledRejection', unhandled));

describe('F42 when work is handed over', () => {
  test('F42 after an await, and fails before the handler returns: the run has failed, and nothing is left unhandled', async () => {
    const error = new Error('no mailer');
    const running = withBackgroundWork(forgetful(), async (ctx) => {
      await Promise.resolve();
      ctx.waitUntil(Promise.reject(error));
      await untilUnhandledAreTold();
      return 'answered';
    });

    await expect(running).rejects.toBe(error);
    await untilUnhandledAreTold();
    expect(unhandled).not.toHaveBeenCalled();
  });

  test('F47 and the handler fails as well: its error is reported, and nothing is left unhandled', async () => {
    const error = new Error('no database');
    const running = withBackgroundWork(forgetful(), async (ctx) => {
      await Promise.resolve();
      ctx.waitUntil(Promise.reject(new Error('no mailer')));
      await untilUnhandledAreTold();
      throw error;
    });

    await expect(running).rejects.toBe(error);
    await untilUnhandledAreTold();
    expect(unhandled).not.toHaveBeenCalled();
  });

  test('F42 after all that was handed over before has settled: it is still waited for', async () => {
    const clock = manualClock();
    const settled = vi.fn();
    const running = withBackgroundWork(forgetful(), async (ctx) => {
      ctx.waitUntil(pass(clock, 10));
      await pass(clock, 50);
      ctx.waitUntil(pass(clock, 100));
      return 'answered';
    }).then(settled);

    await clock.advance(149);
    expect(settled).not.toHaveBeenCalled();
    await clock.advance(1);
    await running;
    expect(settled).toHaveBeenCalledExactlyOnceWith('answered');
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
  test('F42 is reported as soon as it has, while work is still to be waited for', async () => {
    const [work, told] = [gate(), gate<string>()];
    const settled = vi.fn();
    const running = withBackgroundWork(
      forgetful(),
      async (ctx) => {
        ctx.waitUntil(work.opened);
        return 'answered';
      },
      told.open,
    ).then(settled);

    expect(await told.opened).toBe('answered');
    expect(settled).not.toHaveBeenCalled();
    work.open();
    await running;
    expect(settled).toHaveBeenCalledExactlyOnceWith('answered');
  });

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
