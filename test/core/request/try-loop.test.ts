import type { StoreCall } from 'single-execution';
import { manualClock } from 'single-execution/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type TryFailure, tryUntilAnswered } from '../../../src/core/request/try-loop.js';

const never = () => new Promise<never>(() => {});
const refused: TryFailure = { ambiguous: false, retry: true };
const lost: TryFailure = { ambiguous: true, retry: true };

function callOf(over: Partial<StoreCall> = {}) {
  const clock = manualClock();
  const call = {
    signal: new AbortController().signal,
    tryMs: 1_000,
    budgetMs: 5_000,
    maxClockSkewMs: 1_000,
    ...over,
    clock,
  };
  return { clock, call };
}

/** Rejects as often as there are errors, then answers. */
function scripted(...errors: unknown[]) {
  return vi.fn(async () => {
    if (errors.length > 0) throw errors.shift();
    return 'answer';
  });
}

/** Never answers, and keeps the signals that it was given. */
function unanswering() {
  const signals: AbortSignal[] = [];
  const send = (signal: AbortSignal) => {
    signals.push(signal);
    return never();
  };
  return { signals, send };
}

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe('one try', () => {
  test('an answer is passed on, and no timer is left', async () => {
    const { clock, call } = callOf();

    expect(await tryUntilAnswered(call, scripted(), () => refused)).toEqual({ value: 'answer', ambiguous: false });
    expect(clock.pendingTimers()).toBe(0);
  });

  test('an error that another try cannot fix ends the call', async () => {
    const error = new Error('denied');
    const { clock, call } = callOf();
    const send = scripted(error);
    const answer = await tryUntilAnswered(call, send, () => ({ ambiguous: false, retry: false }));

    expect(answer).toEqual({ error, ambiguous: false });
    expect(send).toHaveBeenCalledOnce();
    expect(clock.pendingTimers()).toBe(0);
  });

  const noCommand = new TypeError('no such command');
  test.each<[string, () => Promise<string>, unknown]>([
    ['rejects with undefined', () => Promise.reject(undefined), undefined],
    ['rejects with a string', () => Promise.reject('broken'), 'broken'],
    [
      'throws before it returns a promise',
      () => {
        throw noCommand;
      },
      noCommand,
    ],
  ])('whatever a client throws reaches classify: it %s', async (_, send, thrown) => {
    const classify = vi.fn(() => ({ ambiguous: true, retry: false }));
    const answer = await tryUntilAnswered(callOf().call, send, classify);

    expect(classify).toHaveBeenCalledWith(thrown);
    expect(answer).toEqual({ error: thrown, ambiguous: true });
  });
});

describe('a try that stays silent', () => {
  /** A call of which each try settles when the test says so. */
  function trying(over: Partial<StoreCall> = {}, failure = refused) {
    const { clock, call } = callOf(over);
    const all: { readonly signal: AbortSignal; answer(value: string): void; fail(error: unknown): void }[] = [];
    const send = (signal: AbortSignal) =>
      new Promise<string>((answer, fail) => {
        all.push({ signal, answer, fail });
      });
    return { clock, all, answer: tryUntilAnswered(call, send, () => failure) };
  }

  test('F3 F98 stays pending beside the next one, which is sent after its time', async () => {
    const { clock, call } = callOf({ budgetMs: 3_500 });
    const sent: number[] = [];
    const send = () => {
      sent.push(clock.monotonic());
      return never();
    };
    const answer = tryUntilAnswered(call, send, () => refused);
    await clock.advance(3_500);

    expect(sent).toEqual([0, 1_000, 2_000, 3_000]);
    expect(await answer).toMatchObject({ error: { message: 'no answer within 3500 ms' }, ambiguous: true });
    expect(clock.pendingTimers()).toBe(0);
  });

  test('is the answer of the call, however late, and the others are aborted', async () => {
    const { clock, all, answer } = trying();
    await clock.advance(2_999);
    all[0]?.answer('the first');

    // Another may have been applied before it, or may yet be.
    expect(await answer).toEqual({ value: 'the first', ambiguous: true });
    expect(all.map(({ signal }) => signal.aborted)).toEqual([false, true, true]);
    expect(clock.pendingTimers()).toBe(0);
  });

  test('gives way to one that is answered before it, and changes nothing afterwards', async () => {
    const { clock, all, answer } = trying();
    await clock.advance(1_000);
    all[1]?.answer('the second');
    all[0]?.fail(new Error('late'));

    expect(await answer).toEqual({ value: 'the second', ambiguous: true });
    expect(all.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    await clock.advance(60_000);
    expect(all).toHaveLength(2);
    expect(clock.pendingTimers()).toBe(0);
  });

  test('is still waited for when another fails, and the next one is sent after the pause of a failure', async () => {
    const { clock, all, answer } = trying();
    await clock.advance(1_000);
    all[1]?.fail(new Error('throttled'));
    await clock.advance(50);
    expect(all).toHaveLength(3);
    all[2]?.fail(new Error('throttled'));
    await clock.advance(99);
    all[0]?.answer('the first');

    expect(await answer).toEqual({ value: 'the first', ambiguous: false });
    expect(all.map(({ signal }) => signal.aborted)).toEqual([false, false, false]);
  });

  test('is waited for to the end of the budget when the pause of another would be longer', async () => {
    const { clock, all, answer } = trying({ budgetMs: 1_040 });
    await clock.advance(1_000);
    all[1]?.fail(new Error('throttled'));
    await clock.advance(39);
    all[0]?.answer('the first');

    expect(await answer).toEqual({ value: 'the first', ambiguous: false });
  });

  test('ends with another try that fails for good', async () => {
    const error = new Error('denied');
    const { clock, all, answer } = trying({}, { ambiguous: false, retry: false });
    await clock.advance(1_000);
    all[1]?.fail(error);

    expect(await answer).toEqual({ error, ambiguous: true });
    expect(all[0]?.signal.aborted).toBe(true);
    expect(clock.pendingTimers()).toBe(0);
  });

  test('F4 a client that ignores its signal is abandoned, and one that obeys it is aborted', async () => {
    const { clock, call } = callOf({ budgetMs: 1_000 });
    const { signals, send } = unanswering();
    const answer = tryUntilAnswered(call, send, () => refused);

    await clock.advance(999);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await clock.advance(1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await answer).toMatchObject({ error: { message: 'no answer within 1000 ms' }, ambiguous: true });
  });
});

describe('the budget', () => {
  test('is kept by a store that fails at once, however often', async () => {
    const { clock, call } = callOf();
    const send = vi.fn(async () => {
      throw new Error('throttled');
    });
    const answer = tryUntilAnswered(call, send, () => refused);
    await clock.advance(5_000);

    expect(await answer).toEqual({ error: new Error('throttled'), ambiguous: false });
    expect(clock.pendingTimers()).toBe(0);
    // Pauses of 25, 50, 100, 200, 400 and then 500 ms, as long as they end within 5 s.
    expect(send).toHaveBeenCalledTimes(14);
  });

  test.each([0, -1, -5_000])('at least one try is made with a budget of %i ms', async (budgetMs) => {
    const { call } = callOf({ budgetMs });
    const send = scripted();

    expect(await tryUntilAnswered(call, send, () => refused)).toEqual({ value: 'answer', ambiguous: false });
    expect(send).toHaveBeenCalledOnce();
  });

  test('is followed by no try once it is spent, whatever the dice say', async () => {
    vi.mocked(Math.random).mockReturnValue(0);
    const { call } = callOf({ budgetMs: 0 });
    const error = new Error('throttled');
    const send = scripted(error);

    expect(await tryUntilAnswered(call, send, () => refused)).toEqual({ error, ambiguous: false });
    expect(send).toHaveBeenCalledOnce();
  });
});

test.each([
  ['never longer than a second', 0.999_999, [0, 50, 150, 350, 750, 1_550, 2_550, 3_550]],
  ['with full jitter down to nothing', 0, [0, 0, 0, 0, 0, 0, 0, 0]],
])('the pauses grow, %s', async (_, random, expected) => {
  vi.mocked(Math.random).mockReturnValue(random);
  const { clock, call } = callOf({ budgetMs: 60_000 });
  const sent: number[] = [];
  const send = async () => {
    sent.push(Math.round(clock.monotonic()));
    if (sent.length < 8) throw new Error('throttled');
    return 'answer';
  };
  const answer = tryUntilAnswered(call, send, () => refused);
  await clock.advance(10_000);

  expect(await answer).toEqual({ value: 'answer', ambiguous: false });
  expect(sent).toEqual(expected);
});

describe('ambiguity', () => {
  test('is remembered over the whole call, whatever comes after', async () => {
    const { clock, call } = callOf();
    const [reset, throttled] = [new Error('reset'), new Error('throttled')];
    const answer = tryUntilAnswered(call, scripted(reset, throttled), (error) => (error === reset ? lost : refused));
    await clock.advance(5_000);

    expect(await answer).toEqual({ value: 'answer', ambiguous: true });
  });

  test('an error that follows an ambiguous try is ambiguous as well', async () => {
    const { clock, call } = callOf();
    const [reset, denied] = [new Error('reset'), new Error('denied')];
    const answer = tryUntilAnswered(call, scripted(reset, denied), (error) =>
      error === reset ? lost : { ambiguous: false, retry: false },
    );
    await clock.advance(5_000);

    expect(await answer).toEqual({ error: denied, ambiguous: true });
  });
});

describe('the signal of the call', () => {
  test('ends every try at once; what they had sent stays ambiguous', async () => {
    const controller = new AbortController();
    const { clock, call } = callOf({ signal: controller.signal });
    const { signals, send } = unanswering();
    const answer = tryUntilAnswered(call, send, () => refused);
    await clock.advance(1_000);
    controller.abort();

    expect(await answer).toMatchObject({ ambiguous: true, error: { message: 'aborted before an answer came' } });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(clock.pendingTimers()).toBe(0);
  });

  test('ends a pause at once, without a further try', async () => {
    const controller = new AbortController();
    const { clock, call } = callOf({ signal: controller.signal });
    const send = vi.fn(async () => {
      throw new Error('throttled');
    });
    const answer = tryUntilAnswered(call, send, () => refused);
    await clock.advance(10);
    controller.abort();

    expect(await answer).toMatchObject({ ambiguous: false });
    expect(send).toHaveBeenCalledOnce();
    expect(clock.pendingTimers()).toBe(0);
  });

  test('aborted beforehand, nothing is sent and so nothing is ambiguous', async () => {
    const { call } = callOf({ signal: AbortSignal.abort() });
    const send = scripted();

    expect(await tryUntilAnswered(call, send, () => refused)).toMatchObject({ ambiguous: false });
    expect(send).not.toHaveBeenCalled();
  });

  test('no listener is left on a signal that outlives the call', async () => {
    const controller = new AbortController();
    const add = vi.spyOn(controller.signal, 'addEventListener');
    const remove = vi.spyOn(controller.signal, 'removeEventListener');
    const { clock, call } = callOf({ signal: controller.signal });
    const answer = tryUntilAnswered(call, scripted(new Error('throttled')), () => refused);
    await clock.advance(1_000);
    await answer;

    expect(add).toHaveBeenCalled();
    expect(remove.mock.calls).toEqual(add.mock.calls);
  });
});
