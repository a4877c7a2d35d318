import {
  type Context,
  DeadlineError,
  type Execution,
  isSkipped,
  LockHeldError,
  LockLostError,
  type LockStore,
  type Options,
  type Skipped,
  withSingleExecution,
} from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { lambdaContext, manualClock, recordingObserver, scheduledEvent } from 'single-execution/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { storeCall } from '../support/contract-harness.js';
import { fixture } from '../support/fixture.js';
import { gate } from '../support/gate.js';
import { pass } from '../support/pass.js';
import { scriptedStore } from '../support/scripted-store.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const MINUTE = 60_000;

/** Everything around one function: its clock, its store, its options, and contexts of its invocations. */
function setting(remainingMs = MINUTE) {
  const clock = manualClock(NOW);
  const store = memoryStore();
  const observer = recordingObserver();
  const options = { name: 'digest', store, clock, observers: [observer] } satisfies Options<unknown>;
  const context = (over: Partial<Context> = {}) => lambdaContext({ clock, remainingMs, ...over } as object);
  const item = async () => (await store.get('digest', storeCall(clock)))?.item;
  return { clock, store, observer, options, context, item };
}

/** Options that leave the result type of a wrapper alone. */
type Tuning = Partial<Omit<Options<unknown>, 'onSkipped'>>;

const never = () => new Promise<never>(() => {});

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the wrapped handler', () => {
  test.each<[number, (...args: never[]) => Promise<void>]>([
    [0, async () => {}],
    [1, async (_event) => {}],
    [2, async (_event, _context) => {}],
    [3, async (_event, _context, _execution) => {}],
    [4, async (_event, _context, _execution, _more) => {}],
  ])('row 62: takes two parameters whatever the handler takes: %i', (length, handler) => {
    expect(handler).toHaveLength(length);
    expect(withSingleExecution(handler as () => Promise<void>, setting().options).length).toBeLessThanOrEqual(2);
  });

  test('row 62: F48 passes this, the event and the context on as they are, and the execution third', async () => {
    const { options, context } = setting();
    const handler = vi.fn(async function (this: unknown, _event: unknown, _context: Context, _execution: Execution) {
      return this;
    });
    const [self, event, ctx] = [{}, { any: 'thing' }, context()];
    const result = await withSingleExecution(handler, options).call(self, event, ctx);

    expect(result).toBe(self);
    expect(handler).toHaveBeenCalledOnce();
    const args = handler.mock.calls[0] ?? [];
    expect(args).toHaveLength(3);
    expect(args[0]).toBe(event);
    expect(args[1]).toBe(ctx);
    expect(args[2]).toMatchObject({ name: 'digest', fencingToken: NOW + 1, lockedAt: new Date(NOW) });
  });

  test.each<[string, unknown]>([
    ['an object', { sent: 5 }],
    ['undefined', undefined],
    ['null', null],
    ['a string', 'sent'],
  ])("row 62: gives back the handler's result by identity: %s", async (_, result) => {
    const { options, context } = setting();

    expect(await withSingleExecution(async () => result, options)({}, context())).toBe(result);
    expect(await withSingleExecution(() => result, options)({}, context())).toBe(result);
  });

  test.each<[string, unknown]>([
    ['an Error', new Error('no database')],
    ['undefined', undefined],
    ['a string', 'no database'],
  ])("F47 rejects with the handler's error by identity: %s", async (_, error) => {
    const { options, context, item } = setting();
    const failing = [
      () => {
        throw error;
      },
      async () => {
        throw error;
      },
    ];
    for (const handler of failing) {
      const caught = await withSingleExecution(handler, options)({}, context()).catch((thrown: unknown) => [thrown]);

      expect(caught).toEqual([error]);
      expect((caught as unknown[])[0]).toBe(error);
      expect(await item()).toMatchObject({ state: 'released', result: 'failed' });
    }
  });

  test('F44 one wrapper serves many invocations at once, each with its own state', async () => {
    const { clock, options, context } = setting();
    const handler = withSingleExecution(
      async (event: { tenant: string; ms: number }, _context, execution) => {
        await pass(clock, event.ms);
        return `${execution.name} ${event.tenant}`;
      },
      { ...options, name: (event) => `tenant-${event.tenant}` },
    );
    const running = Promise.all([
      handler({ tenant: 'a', ms: 300 }, context()),
      handler({ tenant: 'b', ms: 100 }, context()),
      handler({ tenant: 'a', ms: 200 }, context()),
    ]);
    await clock.advance(1_000);

    expect(await running).toMatchObject(['tenant-a a', 'tenant-b b', { reason: 'locked' }]);
  });
});

describe('row 36: an event that has no scheduled time', () => {
  const lineOf = (logged: { mock: { calls: unknown[][] } }) => logged.mock.calls.map(([line]) => String(line));

  test('row 82: runs without a tick at each delivery, and one log line says so', async () => {
    const logged = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { options, context, item } = setting();
    const handler = vi.fn(async () => {});
    const wrapped = withSingleExecution(handler, options);
    for (let calls = 0; calls < 2; calls++) await wrapped({}, context());

    expect(handler).toHaveBeenCalledTimes(2);
    expect(await item()).not.toHaveProperty('doneTick');
    expect(lineOf(logged)).toEqual([expect.stringContaining('the trigger has no scheduled time')]);
  });

  test.each<[string, Options['tick']]>([
    ["with 'none'", 'none'],
    ['with a function', () => undefined],
  ])('row 36: %s nothing is logged', async (_, tick) => {
    const logged = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { options, context } = setting();
    await withSingleExecution(async () => {}, { ...options, tick: tick ?? 'none' })({}, context());

    expect(logged).not.toHaveBeenCalled();
  });
});

describe('F45 a callback handler', () => {
  const callback = (_event: unknown, _context: Context, done: unknown) => {
    void Promise.resolve().then(() => typeof done === 'function' && done(null, 'sent'));
  };

  test('F45 is refused at run time with a remedy; its lock is free and its tick open', async () => {
    const { options, context, item, observer } = setting();
    // Those who have no types can pass one.
    const handler = withSingleExecution(callback as never, options);

    await expect(handler(fixture('rule-event'), context())).rejects.toThrow(
      new TypeError(
        'handler has three parameters and returned undefined, as a callback handler does: its third parameter is the execution, not a callback; make the handler async and return its result',
      ),
    );
    expect(await item()).toMatchObject({ state: 'released', result: 'failed', error: 'TypeError', lockUntil: NOW });
    expect(await item()).not.toHaveProperty('doneTick');
    expect(observer.types()).toEqual(['attempted', 'acquired', 'started', 'released', 'failed']);
  });

  test('F45 an async handler of three parameters that returns nothing is not taken for one', async () => {
    const { options, context } = setting();
    const handler = withSingleExecution(async (_event, _context, _execution) => {}, options);

    expect(await handler({}, context())).toBeUndefined();
  });

  test('F45 a synchronous handler of two parameters that returns nothing is not taken for one', async () => {
    const { options, context } = setting();

    expect(await withSingleExecution((_event, _context) => {}, options)({}, context())).toBeUndefined();
  });
});

describe('row 13: a name made from the event', () => {
  test('row 13: is given event and context', async () => {
    const { options, context } = setting();
    const name = vi.fn((event: { detail: { tenant: string } }) => `tenant-${event.detail.tenant}`);
    const handler = withSingleExecution(
      async (_event: { detail: { tenant: string } }, _context, execution) => execution.name,
      { ...options, name },
    );
    const [event, ctx] = [{ detail: { tenant: '42' } }, context()];

    expect(await handler(event, ctx)).toBe('tenant-42');
    expect(name).toHaveBeenCalledExactlyOnceWith(event, ctx);
  });
});

describe('row 63: the remaining time sets the lease', () => {
  test.each([
    [3_000, '2026-01-01T00:00:05.000Z'],
    [900_000, '2026-01-01T00:15:02.000Z'],
  ])('row 63: with %i ms remaining the lock is held until %s', async (remaining, lockUntil) => {
    const { options, context } = setting(remaining);
    const handler = withSingleExecution(async (_event, _context, execution) => execution.lockUntil, options);

    expect(await handler({}, context())).toEqual(new Date(lockUntil));
  });

  test.each<[string, number, Tuning, string]>([
    ['lockAtMostFor when it is given', 3_000, { lockAtMostFor: '10m' }, '2026-01-01T00:10:00.000Z'],
    ['lockAtLeastFor when that is longer', 3_000, { lockAtLeastFor: '1h' }, '2026-01-01T01:00:00.000Z'],
    ['a second at the least', -5_000, {}, '2026-01-01T00:00:01.000Z'],
    ['a day at the most', 90_000_000, {}, '2026-01-02T00:00:00.000Z'],
  ])('row 63: or %s', async (_, remaining, over, lockUntil) => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { options, context } = setting(remaining);
    const handler = withSingleExecution(async (_event, _context, execution) => execution.lockUntil, {
      ...options,
      ...over,
    });

    expect(await handler({}, context())).toEqual(new Date(lockUntil));
  });

  test.each<[string, object | undefined]>([
    ['no context', undefined],
    ['an empty context', {}],
    ['a context that tells NaN', { getRemainingTimeInMillis: () => Number.NaN }],
    ['a context that tells nothing', { getRemainingTimeInMillis: () => undefined }],
  ])('row 63: with %s an error asks for lockAtMostFor, and nothing is written', async (_, context) => {
    const { store, options } = setting();
    const acquire = vi.spyOn(store, 'acquire');
    const wrapped = withSingleExecution(async () => {}, options);

    await expect(wrapped({}, context as Context)).rejects.toThrow(
      new TypeError(
        "lockAtMostFor is undefined, and context.getRemainingTimeInMillis() gives no time: give lockAtMostFor, such as '15m', or set keepAlive",
      ),
    );
    expect(acquire).not.toHaveBeenCalled();
  });

  test.each<[string, object | undefined]>([
    ['no context', undefined],
    ['an empty context', {}],
    ['a context that tells NaN', { getRemainingTimeInMillis: () => Number.NaN }],
  ])('row 63: with lockAtMostFor and %s it runs, and no deadline aborts it', async (_, context) => {
    const { clock, options } = setting();
    const wrapped = withSingleExecution(
      async (_event, _context, { signal }) => {
        await pass(clock, MINUTE);
        return signal.aborted;
      },
      { ...options, lockAtMostFor: '2m' },
    );
    const running = wrapped({}, context as Context);
    await clock.advance(MINUTE);

    expect(await running).toBe(false);
  });

  test('row 63: the next invocation can read the record, whatever the emulator reports about itself', async () => {
    const { clock, options } = setting();
    const wrapped = withSingleExecution(async () => 'ran', { ...options, lockAtMostFor: '1m' });
    await wrapped({}, { functionName: '' } as Context);
    await clock.advance(1);

    expect(await wrapped({}, {} as Context)).toBe('ran');
  });
});

describe('F23 lockAtMostFor shorter than the remaining time', () => {
  test('F23 causes one warning that names both', async () => {
    const logged = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { options, context } = setting(900_000);
    const wrapped = withSingleExecution(async () => {}, { ...options, lockAtMostFor: '5m' });
    await wrapped(fixture('rule-event'), context());
    await wrapped(fixture('rule-event'), context());

    expect(logged.mock.calls).toEqual([
      [
        '{"level":"WARN","source":"single-execution","message":"lockAtMostFor is 5m, shorter than the function\'s remaining 15m: a run that takes longer loses its lock; raise it, leave it out, or set keepAlive"}',
      ],
    ]);
  });

  test.each<[string, Tuning]>([
    ['is longer', { lockAtMostFor: '16m' }],
    ['is as long', { lockAtMostFor: '15m' }],
    ['is not given', {}],
  ])('F23 causes no warning when it %s', async (_, over) => {
    const logged = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { options, context } = setting(900_000);
    await withSingleExecution(async () => {}, { ...options, ...over })(fixture('rule-event'), context());

    expect(logged).not.toHaveBeenCalled();
  });

  test('F49 a console that throws does not fail the run', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {
      throw new Error('the log is closed');
    });
    const { options, context } = setting(900_000);
    const wrapped = withSingleExecution(async () => 'ran', { ...options, lockAtMostFor: '5m' });

    await expect(wrapped(fixture('rule-event'), context())).resolves.toBe('ran');
  });
});

describe('row 45: the result of a skipped call', () => {
  async function skipped(over: Partial<Options<unknown>>) {
    const { options, context, clock } = setting();
    void withSingleExecution(never, options)(fixture('rule-event'), context());
    await clock.advance(1_000);
    const handler = vi.fn(async () => 'ran');
    const wrapped = withSingleExecution(handler, { ...options, ...over } as Options<unknown> & { onSkipped: 'return' });
    const result = wrapped(fixture('rule-event'), context());
    return { result, handler };
  }

  const expected = {
    status: 'skipped',
    name: 'digest',
    reason: 'locked',
    tick: '2026-01-01T00:00:00.000Z',
    holder: {
      lockedBy: expect.stringMatching(/^send-digest \$LATEST eu-west-1 [\da-f-]{36}$/),
      lockedAt: '2026-01-01T00:00:00.000Z',
      lockUntil: '2026-01-01T00:01:02.000Z',
      fencingToken: NOW + 1,
    },
  };

  test.each<[string, Partial<Options<unknown>>]>([
    ['by default', {}],
    ["with 'return'", { onSkipped: 'return' }],
  ])('row 45: F50 %s the Skipped, so that Lambda does not retry', async (_, over) => {
    const { result, handler } = await skipped(over);

    expect(await result).toEqual(expected);
    expect(isSkipped(await result)).toBe(true);
    expect(handler).not.toHaveBeenCalled();
  });

  test("row 45: with 'throw' a LockHeldError", async () => {
    const { result } = await skipped({ onSkipped: 'throw' });
    const error: unknown = await result.catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(LockHeldError);
    expect(error).toMatchObject({ code: 'LOCK_HELD', lockName: 'digest', skipped: expected });
  });

  test('row 45: with a function its value, also when it is a promise', async () => {
    const onSkipped = vi.fn((why: Skipped) => Promise.resolve(`skipped: ${why.reason}`));
    const { result } = await skipped({ onSkipped });

    expect(await result).toBe('skipped: locked');
    expect(onSkipped).toHaveBeenCalledExactlyOnceWith(expected);
  });
});

describe('the tick', () => {
  const seen = async (_event: unknown, _context: Context, { tick, attempt }: Execution) => ({ tick, attempt });

  test.each<[string, string, object]>([
    ['an EventBridge rule', 'rule-event', { tick: new Date(NOW), attempt: undefined }],
    ['Scheduler without an input', 'scheduler-default-event', { tick: new Date(NOW), attempt: undefined }],
    ['Scheduler with context attributes', 'scheduler-input', { tick: new Date(NOW), attempt: 2 }],
    ['another source', 'custom-event', { tick: undefined, attempt: undefined }],
  ])('row 64: row 36: of an event of %s', async (_, name, facts) => {
    const { options, context, observer } = setting();

    expect(await withSingleExecution(seen, options)(fixture(name), context())).toEqual(facts);
    expect(observer.types()).not.toContain('tick-unreadable');
  });

  test('row 36: comes from the event, not from the local clock', async () => {
    const { clock, options, context } = setting();
    const task = vi.fn(async () => {});
    const wrapped = withSingleExecution(task, options);
    await wrapped(fixture('rule-event'), context());
    await clock.advance(30_000);
    await wrapped(scheduledEvent({ time: '2026-01-01T00:00:00Z' }), context());
    await wrapped(scheduledEvent({ time: '2026-01-01T00:01:00Z' }), context());

    expect(task).toHaveBeenCalledTimes(2);
  });

  test('row 34: F64 a rule that runs twice for one time, with another event id, runs the handler once', async () => {
    const { options, context } = setting();
    const wrapped = withSingleExecution(async () => 'ran', options);

    expect(await wrapped(fixture('rule-event'), context())).toBe('ran');
    expect(await wrapped({ ...fixture('rule-event'), id: 'another' }, context())).toMatchObject({
      status: 'skipped',
      reason: 'already-executed',
    });
  });

  test('row 64: F65 a delivery with another execution id and attempt is the same tick', async () => {
    const { options, context } = setting();
    const wrapped = withSingleExecution(async () => 'ran', options);
    await wrapped(fixture('scheduler-input'), context());
    const again = { ...fixture('scheduler-input'), executionId: 'another', attemptNumber: '3' };

    expect(await wrapped(again, context())).toMatchObject({ reason: 'already-executed' });
  });

  test('F67 after an error the retry of Lambda, with the same request id, runs', async () => {
    const { clock, options, context } = setting();
    const sameRequest = { awsRequestId: 'c0ffee00-0000-4000-8000-000000000000' };
    const outcomes = [new Error('no database'), 'ran'];
    const wrapped = withSingleExecution(async () => {
      const outcome = outcomes.shift();
      if (outcome instanceof Error) throw outcome;
      return outcome;
    }, options);
    await expect(wrapped(fixture('rule-event'), context(sameRequest))).rejects.toThrow('no database');
    await clock.advance(MINUTE);

    expect(await wrapped(fixture('rule-event'), context(sameRequest))).toBe('ran');
  });

  test('row 29: after a timeout the retry of Lambda, with the same request id, runs with recovering true', async () => {
    const { clock, options, context } = setting(3_000);
    const sameRequest = { awsRequestId: 'c0ffee00-0000-4000-8000-000000000000' };
    void withSingleExecution(never, options)(fixture('rule-event'), context(sameRequest));
    await clock.advance(MINUTE);
    const wrapped = withSingleExecution(async (_event, _context, execution) => execution, options);

    expect(await wrapped(fixture('rule-event'), context(sameRequest))).toMatchObject({
      recovering: true,
      previous: { status: 'crashed', tick: new Date(NOW) },
    });
  });

  test('F10 a retry with the same request id is skipped while the first run is still running', async () => {
    const { clock, options, context } = setting(900_000);
    const sameRequest = { awsRequestId: 'c0ffee00-0000-4000-8000-000000000000' };
    const wrapped = withSingleExecution(() => pass(clock, 120_000), options);
    const first = wrapped(fixture('rule-event'), context(sameRequest));
    await clock.advance(MINUTE);

    expect(await wrapped(fixture('rule-event'), context(sameRequest))).toMatchObject({ reason: 'locked' });
    await clock.advance(MINUTE);
    expect(await first).toBeUndefined();
  });

  test('row 55: F68 an event without a time runs without a tick, under the lock', async () => {
    const { options, context, clock, item } = setting();
    await withSingleExecution(async () => {}, options)(fixture('rule-event'), context());
    const byHand = withSingleExecution(seen, options);

    expect(await byHand({}, context())).toEqual({ tick: undefined, attempt: undefined });
    expect(await item()).not.toHaveProperty('tick');
    void withSingleExecution(never, options)({}, context());
    await clock.advance(0);
    expect(await byHand({}, context())).toMatchObject({ status: 'skipped', reason: 'locked' });
  });

  test("with tick 'none' the time of the event is not a tick, its attempt is still read", async () => {
    const { options, context } = setting();
    const wrapped = withSingleExecution(seen, { ...options, tick: 'none' });

    expect(await wrapped(fixture('scheduler-input'), context())).toEqual({ tick: undefined, attempt: 2 });
    expect(await wrapped(fixture('scheduler-input'), context())).toEqual({ tick: undefined, attempt: 2 });
  });

  test('F68 a context attribute that Scheduler did not fill in is refused, and nothing is written', async () => {
    const { store, options, context } = setting();
    const acquire = vi.spyOn(store, 'acquire');
    const refused = withSingleExecution(seen, options)(fixture('emulator-input'), context());

    await expect(refused).rejects.toThrow(
      new RangeError(
        "lock \"digest\": the scheduled time of the event is '<aws.scheduler.scheduled-time>', which EventBridge Scheduler has not filled in: write < and > into the input of the schedule as they are (Terraform's jsonencode escapes them), or give tick as a function, or 'none'",
      ),
    );
    expect(acquire).not.toHaveBeenCalled();
  });

  test.each<['none' | (() => undefined)]>([['none'], [() => undefined]])(
    'an emulator that fills in no context attributes runs the handler with tick %o',
    async (tick) => {
      const { options, context } = setting();
      const wrapped = withSingleExecution(seen, { ...options, tick });

      expect(await wrapped(fixture('emulator-input'), context())).toEqual({ tick: undefined, attempt: undefined });
    },
  );

  test('F68 a call whose time cannot be read runs without a tick, and an event reports it', async () => {
    const { options, context, observer } = setting();
    const wrapped = withSingleExecution(seen, options);
    const event = { ...fixture('scheduler-input'), scheduledTime: 'soon' };

    expect(await wrapped(event, context())).toEqual({ tick: undefined, attempt: 2 });
    expect(observer.events[0]).toMatchObject({ type: 'tick-unreadable', name: 'digest', value: "'soon'" });
    expect(observer.types().slice(1)).toEqual(['attempted', 'acquired', 'started', 'released', 'finished']);
  });

  test.each<[string, string]>([
    ['F71 of a replay tool that is wrong by years', '2014-12-31T23:59:59Z'],
    ['F94 that was tampered with', '9999-12-31T23:59:59Z'],
    ['F71 more than a day ahead', '2026-01-02T00:00:01Z'],
  ])('a time %s is refused, and nothing is written', async (_, time) => {
    const { store, options, context } = setting();
    const acquire = vi.spyOn(store, 'acquire');

    await expect(withSingleExecution(seen, options)(scheduledEvent({ time }), context())).rejects.toThrow(RangeError);
    expect(acquire).not.toHaveBeenCalled();
  });

  describe('given by a function', () => {
    test.each<[string, Date | number]>([
      ['a Date', new Date(NOW - 1_000)],
      ['epoch milliseconds', NOW - 1_000],
    ])('row 36: that returns %s', async (_, tick) => {
      const { options, context } = setting();
      const choose = vi.fn(() => tick);
      const [event, ctx] = [fixture('scheduler-input'), context()];
      const wrapped = withSingleExecution(seen, { ...options, tick: choose });

      expect(await wrapped(event, ctx)).toEqual({ tick: new Date(NOW - 1_000), attempt: 2 });
      expect(choose).toHaveBeenCalledExactlyOnceWith(event, ctx);
    });

    test.each<[string, Date | number, string]>([
      ['NaN', Number.NaN, 'NaN'],
      ['an invalid Date', new Date(Number.NaN), 'an invalid Date'],
    ])('F68 that returns %s: the run has no tick, and an event reports it', async (_, tick, value) => {
      const { options, context, observer } = setting();
      const wrapped = withSingleExecution(seen, { ...options, tick: () => tick });

      expect(await wrapped(fixture('rule-event'), context())).toEqual({ tick: undefined, attempt: undefined });
      expect(observer.events[0]).toMatchObject({ type: 'tick-unreadable', value });
    });

    test.each<[unknown, string]>([
      ['2026-01-01T00:00:00Z', "'2026-01-01T00:00:00Z'"],
      [null, 'null'],
      [true, 'true'],
      [{}, 'an object'],
      [Promise.resolve(NOW), 'an object'],
    ])('that returns %o is refused, and nothing is written', async (tick, shown) => {
      const { store, options, context } = setting();
      const acquire = vi.spyOn(store, 'acquire');
      const wrapped = withSingleExecution(seen, { ...options, tick: () => tick as number });

      await expect(wrapped({}, context())).rejects.toThrow(
        new TypeError(`tick returned ${shown}: return a Date, epoch milliseconds, or undefined`),
      );
      expect(acquire).not.toHaveBeenCalled();
    });

    test('that throws rejects with its error', async () => {
      const error = new Error('no header');
      const { options, context } = setting();
      const tick = () => {
        throw error;
      };

      await expect(withSingleExecution(seen, { ...options, tick })({}, context())).rejects.toBe(error);
    });
  });
});

describe('row 26: the deadline of the platform', () => {
  // Above 198 s the guard of the default lease, 1 %, is longer than its margin of 2 s; the run is asked to end before.
  test.each([
    [1_000, 900],
    [3_000, 2_700],
    [60_000, 59_000],
    [198_000, 197_000],
    [199_000, 197_990],
    [300_000, 297_980],
    [900_000, 891_980],
  ])(
    'row 26: with %i ms remaining the signal aborts after %i ms, and a handler that obeys it is released in time',
    async (remaining, after) => {
      const { clock, options, context, item, observer } = setting(remaining);
      const seen: unknown[] = [];
      const wrapped = withSingleExecution(async (_event, _context, { signal, assertHeld }) => {
        await pass(clock, after - 1);
        seen.push(signal.reason);
        await pass(clock, 1);
        seen.push(signal.reason);
        await pass(clock, remaining / 10 > 1_000 ? 999 : 99);
        assertHeld();
        signal.throwIfAborted();
      }, options);
      const failed = expect(wrapped(fixture('rule-event'), context())).rejects.toBeInstanceOf(DeadlineError);
      await clock.advance(remaining);
      await failed;

      expect(seen).toEqual([undefined, new DeadlineError('digest', 'DEADLINE', 'the platform ends it soon')]);
      expect(await item()).toMatchObject({ state: 'released', result: 'failed' });
      expect(observer.types()).toEqual(['attempted', 'acquired', 'started', 'released', 'failed']);
      expect(clock.pendingTimers()).toBe(0);
    },
  );

  test('row 25: with a lease shorter than the remaining time the signal aborts with a LockLostError before its end', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { clock, options, context } = setting(900_000);
    const wrapped = withSingleExecution(
      async (_event, _context, { signal }) => {
        await pass(clock, 59_399);
        const before = signal.aborted;
        await pass(clock, 1);
        return [before, signal.reason];
      },
      { ...options, lockAtMostFor: '1m' },
    );
    const running = wrapped({}, context());
    await clock.advance(MINUTE);

    expect(await running).toEqual([false, new LockLostError('digest', 'its lease is over')]);
  });

  test('row 26: an acquire gets at most half of the remaining time', async () => {
    const { options, context } = setting(3_000);
    const acquire = vi.fn<LockStore['acquire']>(async () => ({ status: 'refused', reason: 'locked' }));
    await withSingleExecution(async () => {}, { ...options, store: scriptedStore({ acquire }) })({}, context());

    expect(acquire.mock.calls[0]?.[1]).toMatchObject({ tryMs: 1_000, budgetMs: 1_500 });
  });
});

describe('F43 on Lambda Managed Instances, which do not stop a run whose time is up', () => {
  test('F43 nothing is released before the handler has settled, however late', async () => {
    const { clock, store, options, context, item } = setting(3_000);
    const release = vi.spyOn(store, 'release');
    const finish = gate<string>();
    const ctx = context();
    const running = withSingleExecution(() => finish.opened, options)(fixture('rule-event'), ctx);
    await clock.advance(4_900);

    expect(ctx.getRemainingTimeInMillis()).toBe(-1_900);
    expect(release).not.toHaveBeenCalled();
    expect(await item()).toMatchObject({ state: 'held' });
    finish.open('sent');
    expect(await running).toBe('sent');
    expect(release).toHaveBeenCalledOnce();
    expect(release.mock.calls[0]?.[2]).toMatchObject({ budgetMs: 1_000 });
    expect(await item()).toMatchObject({ state: 'released', result: 'succeeded' });
  });

  test('F43 the retry of Lambda is skipped until the lease is over; before that the signal of the run aborts', async () => {
    const { clock, options, context } = setting(3_000);
    let execution: Execution | undefined;
    void withSingleExecution((_event, _context, given) => {
      execution = given;
      return never();
    }, options)(fixture('rule-event'), context());
    const retry = withSingleExecution(async () => 'retried', options);
    await clock.advance(4_800);
    expect(execution?.signal.reason).toBeInstanceOf(DeadlineError);
    expect(() => execution?.assertHeld()).toThrow(LockLostError);
    await clock.advance(199);
    expect(await retry(fixture('rule-event'), context())).toMatchObject({ reason: 'locked' });
    await clock.advance(1);

    expect(await retry(fixture('rule-event'), context())).toBe('retried');
  });
});

describe('row 61: switched off', () => {
  test('row 61: runs the bare handler with an execution that holds nothing', async () => {
    vi.stubEnv('SINGLE_EXECUTION_DISABLED', '1');
    const logged = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { store, options, context } = setting();
    const acquire = vi.spyOn(store, 'acquire');
    const facts = async (_event: unknown, _context: Context, { fencingToken, attempt }: Execution) => [
      fencingToken,
      attempt,
    ];
    const wrapped = withSingleExecution(facts, options);

    expect(await wrapped(fixture('rule-event'), context())).toEqual([0, undefined]);
    expect(await wrapped(fixture('scheduler-input'), context())).toEqual([0, 2]);
    expect(acquire).not.toHaveBeenCalled();
    expect(logged).toHaveBeenCalledOnce();
  });

  test('row 61: asks for no lockAtMostFor if the emulator has no remaining time', async () => {
    vi.stubEnv('SINGLE_EXECUTION_DISABLED', '1');
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { options } = setting();
    const wrapped = withSingleExecution(async (_event, _context, { signal }) => signal.aborted, options);

    expect(await wrapped({}, {} as Context)).toBe(false);
  });
});

test('F19 two functions that share a name by mistake skip each other, and the skip names the other one', async () => {
  const { options, context } = setting();
  const invoices = withSingleExecution(
    () => withSingleExecution(async () => {}, { ...options, store: { ...options.store } })({}, context()),
    options,
  );

  expect(await invoices({}, context({ functionName: 'send-invoices' }))).toMatchObject({
    reason: 'locked',
    holder: { lockedBy: expect.stringMatching(/^send-invoices /) },
  });
});

test('row 44: a skip names the holder by function, version, region and request, cut to 128 bytes', async () => {
  const { options, context, item } = setting();
  await withSingleExecution(async () => {}, options)({}, context({ functionName: 'é'.repeat(64), awsRequestId: 'r' }));

  expect((await item())?.['lockedBy']).toBe('é'.repeat(64));
});

test('F89 neither event nor environment reaches the record or the events', async () => {
  vi.stubEnv('DATABASE_PASSWORD', 'hunter2');
  const { options, context, item, observer } = setting();
  const wrapped = withSingleExecution(async () => {}, options);
  await wrapped({ ...fixture('rule-event'), detail: { password: 'hunter2' } }, context());

  expect(JSON.stringify([await item(), observer.events])).not.toContain('hunter2');
});
