import { withSingleExecution } from 'single-execution/http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { gate } from '../support/gate.js';
import { memoryLocks } from '../support/memory-locks.js';
import { untilUnhandledAreTold } from '../support/settled.js';

const request = () => new Request('https://example.com/api/digest');

/** A platform that answers as soon as it has the response, and then waits for the work handed to `waitUntil`. */
function platform() {
  const handedOver: Promise<unknown>[] = [];
  return {
    handedOver,
    waitUntil: vi.fn((promise: Promise<unknown>) => {
      handedOver.push(promise);
    }),
  };
}
type Context = ReturnType<typeof platform>;

function setting() {
  const { options, ...locks } = memoryLocks();
  return { ...locks, options: { ...options, secret: false, tick: { every: '10m' } } as const };
}

/** A route that hands over this work, and answers with this response. */
const handingOver = (
  work: () => Promise<unknown>,
  response: Response,
  options: ReturnType<typeof setting>['options'],
) =>
  withSingleExecution((_request, ctx: Context) => {
    ctx.waitUntil(work());
    return response;
  }, options);

/** A store that sends its release when the test opens a gate. */
function slowToRelease() {
  const { store, item, options } = setting();
  const [releasing, free] = [gate(), gate()];
  const release: typeof store.release = async (...args) => {
    releasing.open();
    await free.opened;
    return store.release(...args);
  };
  return { options: { ...options, store: { ...store, release } }, releasing, free, item };
}

const unhandled = vi.fn();
beforeEach(() => {
  unhandled.mockClear();
  process.on('unhandledRejection', unhandled);
});
afterEach(() => void process.off('unhandledRejection', unhandled));

// The contract of adapters plays what goes well, and the verdict on work that fails.
describe('F42 work that a route hands to waitUntil', () => {
  test('F42 is not cut off before the release: the platform is handed the whole run as well', async () => {
    const { options, releasing, free, item } = slowToRelease();
    const context = platform();
    const route = handingOver(() => Promise.resolve(), new Response('sent'), options);
    await route(request(), context);
    await releasing.opened;

    expect(context.handedOver).toHaveLength(2);
    const settled = vi.fn();
    const whole = Promise.all(context.handedOver).then(settled);
    await untilUnhandledAreTold();
    expect(settled).not.toHaveBeenCalled();
    free.open();
    await whole;
    expect(await item()).toMatchObject({ state: 'released', result: 'succeeded' });
  });

  test('F42 may write the body of the response: it is readable to its end, the lock freed after the writer is done', async () => {
    const { options, item } = setting();
    const [context, proceed, closed] = [platform(), gate(), gate()];
    const write = async (writable: WritableStream<Uint8Array>) => {
      const writer = writable.getWriter();
      await writer.write(new TextEncoder().encode('first, '));
      await proceed.opened;
      await writer.write(new TextEncoder().encode('last'));
      await writer.close();
      await closed.opened;
    };
    const route = withSingleExecution((_request, ctx: Context) => {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      ctx.waitUntil(write(writable));
      return new Response(readable);
    }, options);

    const response = await route(request(), context);
    proceed.open();
    expect(await response.text()).toBe('first, last');
    expect(await item()).toMatchObject({ state: 'held' });
    closed.open();
    await Promise.all(context.handedOver);
    expect(await item()).toMatchObject({ state: 'released', result: 'succeeded' });
  });

  test('F42 that fails after the response leaves that as it is, and nobody has to catch its error', async () => {
    const { options, item } = setting();
    const [context, response, fail] = [platform(), new Response('sent'), gate()];
    const failing = () => fail.opened.then(() => Promise.reject(new TypeError('no mailer')));
    const route = handingOver(failing, response, options);

    expect(await route(request(), context)).toBe(response);
    fail.open();
    const ended = await Promise.allSettled(context.handedOver);
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(await item()).toMatchObject({ state: 'released', result: 'failed', error: 'TypeError' });
    await untilUnhandledAreTold();
    expect(unhandled).not.toHaveBeenCalled();
  });

  test('F42 cannot save a response of status 500: it is sent at once, and the run has failed', async () => {
    const { options, item } = setting();
    const [context, response, work] = [platform(), new Response('no', { status: 500 }), gate()];
    const route = handingOver(() => work.opened, response, options);

    expect(await route(request(), context)).toBe(response);
    expect(await item()).toMatchObject({ state: 'held' });
    work.open();
    await Promise.all(context.handedOver);
    expect(await item()).toMatchObject({ state: 'released', result: 'failed' });
  });
});

test.each<[string, Context | undefined]>([
  ['nothing is handed over', platform()],
  ['there is no context', undefined],
])('F42 where %s, the response comes after the release', async (_, context) => {
  const { options, releasing, free, item } = slowToRelease();
  const route = withSingleExecution(() => new Response('sent'), options);
  const answered = vi.fn();
  const running = route(request(), context).then(answered);
  await releasing.opened;
  await untilUnhandledAreTold();

  expect(answered).not.toHaveBeenCalled();
  free.open();
  await running;
  expect(await item()).toMatchObject({ state: 'released', result: 'succeeded' });
  expect(context?.waitUntil.mock.calls ?? []).toEqual([]);
});
