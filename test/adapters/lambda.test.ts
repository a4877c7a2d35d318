import { type Context, type Execution, withSingleExecution } from 'single-execution';
import { cron } from 'single-execution/schedule';
import { lambdaContext, scheduledEvent, schedulerEvent } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { pass } from '../support/clocks.js';
import { MINUTE, memoryLocks, NOW } from '../support/memory-locks.js';
import { fixture } from './fixture.js';

/** A function whose remaining time sets its lease. */
function setting(remainingMs = MINUTE) {
  const { options: given, clock, store, ...locks } = memoryLocks();
  const { lockAtMostFor: _, ...options } = given;
  const acquire = vi.spyOn(store, 'acquire');
  const context = (over: Partial<Context> = {}) => lambdaContext({ clock, remainingMs, ...over } as object);
  return { ...locks, clock, options, acquire, context };
}

const event = scheduledEvent();
const lockUntil = async (_event: unknown, _context: Context, execution: Execution) => execution.lockUntil;
const seen = async (_event: unknown, _context: Context, { tick, attempt }: Execution) => ({ tick, attempt });

test('row 62: the wrapped handler takes two parameters, also if the handler takes three', () => {
  const handler = async (_event: unknown, _context: Context, _execution: Execution) => {};

  expect(withSingleExecution(handler, setting().options).length).toBeLessThanOrEqual(2);
});

describe('F45 a callback handler', () => {
  const callback = (_event: unknown, _context: Context, done: unknown) => {
    void Promise.resolve().then(() => typeof done === 'function' && done(null, 'sent'));
  };

  test('F45 is refused at run time with a remedy; its lock is free and its tick open', async () => {
    const { options, context, item, observer } = setting();
    // A user without types can pass such a handler.
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

  test.each<[string, (event: unknown, context: Context) => unknown]>([
    ['an async handler of three parameters', async (_event, _context, ..._: unknown[]) => {}],
    ['a synchronous handler of two parameters', (_event, _context) => {}],
  ])('F45 %s that returns nothing is not taken for one', async (_, handler) => {
    const { options, context } = setting();

    expect(await withSingleExecution(handler, options)(event, context())).toBeUndefined();
  });
});

describe('row 63: the remaining time sets the lease', () => {
  test('row 63: it is a second at the least', async () => {
    const { options, context } = setting(-5_000);

    expect(await withSingleExecution(lockUntil, options)(event, context())).toEqual(new Date(NOW + 1_000));
  });

  const emulators: [string, object | undefined][] = [
    ['no context', undefined],
    ['an empty context', {}],
    ['a context that tells NaN', { getRemainingTimeInMillis: () => Number.NaN }],
    ['a context that tells nothing', { getRemainingTimeInMillis: () => undefined }],
  ];

  test.each(emulators)(
    'row 63: with %s an error asks for lockAtMostFor, and nothing is written',
    async (_, context) => {
      const { options, acquire } = setting();

      await expect(withSingleExecution(async () => {}, options)(event, context as Context)).rejects.toThrow(
        new TypeError(
          "lockAtMostFor is undefined, and context.getRemainingTimeInMillis() gives no time: set lockAtMostFor, such as '15m', or set keepAlive; a job that a process schedules imports from 'single-execution/process'",
        ),
      );
      expect(acquire).not.toHaveBeenCalled();
    },
  );

  test.each(emulators)('row 63: with lockAtMostFor and %s it runs, and no deadline aborts it', async (_, context) => {
    const { clock, options } = setting();
    const wrapped = withSingleExecution(
      async (_event, _context, { signal }) => {
        await pass(clock, MINUTE);
        return signal.aborted;
      },
      { ...options, lockAtMostFor: '2m' },
    );
    const running = wrapped(event, context as Context);
    await clock.advance(MINUTE);

    expect(await running).toBe(false);
  });

  test('row 63: with keepAlive no lockAtMostFor is required either', async () => {
    const { options } = setting();
    const wrapped = withSingleExecution(lockUntil, { ...options, keepAlive: true });

    expect(await wrapped(event, {} as Context)).toEqual(new Date(NOW + 30_000));
  });

  test('row 61: nor is it with locking switched off', async () => {
    vi.stubEnv('SINGLE_EXECUTION_DISABLED', '1');
    const told = vi.spyOn(console, 'warn').mockReturnValue();
    const { options } = setting();

    expect(await withSingleExecution(seen, options)(fixture('scheduler-input'), {} as Context)).toMatchObject({
      attempt: 2,
    });
    told.mockRestore();
  });

  test('row 63: the next invocation can read the record, whatever the emulator reports about itself', async () => {
    const { clock, options } = setting();
    const wrapped = withSingleExecution(async () => 'ran', { ...options, lockAtMostFor: '1m', tick: 'none' });
    await wrapped(event, { functionName: '' } as Context);
    await clock.advance(1);

    expect(await wrapped(event, {} as Context)).toBe('ran');
  });
});

describe('the tick', () => {
  test('F68 a context attribute that Scheduler did not fill in is refused, and nothing is written', async () => {
    const { options, acquire, context } = setting();

    await expect(withSingleExecution(seen, options)(fixture('emulator-input'), context())).rejects.toThrow(
      new RangeError(
        "lock \"digest\": the scheduled time of the event is '<aws.scheduler.scheduled-time>', which nobody has filled in: write <aws.scheduler.scheduled-time> into the input of the schedule, with < and > as they are (Terraform's jsonencode escapes them), or set tick to a function, or 'none'",
      ),
    );
    expect(acquire).not.toHaveBeenCalled();
  });

  test.each([
    '&lt;aws.scheduler.scheduled-time&gt;',
    '&#60;aws.scheduler.scheduled-time&#62;',
    '\\u003caws.scheduler.scheduled-time\\u003e',
    '\\\\u003Caws.scheduler.scheduled-time\\\\u003E',
    '%3Caws.scheduler.scheduled-time%3E',
    '$'.concat('{aws.scheduler.scheduled-time}'),
    '$<aws.scheduler.scheduled-time>',
    '{{aws.scheduler.scheduled-time}}',
    'aws.scheduler.scheduled-time',
    ' <AWS.SCHEDULER.SCHEDULED-TIME>',
    '<aws.events.event.ingestion-time>',
    '<time>',
    '$.time',
    '{"scheduledTime":"<aws.scheduler.scheduled-time>"}',
  ])('F141 a placeholder in any dress is refused, and nothing is written: %s', async (scheduledTime) => {
    const { options, acquire, context } = setting();
    const wrapped = withSingleExecution(seen, options);

    for (const unfilled of [{ scheduledTime }, { source: 'aws.scheduler', time: scheduledTime }]) {
      await expect(wrapped(unfilled, context())).rejects.toThrow('which nobody has filled in');
    }
    expect(acquire).not.toHaveBeenCalled();
  });

  test.each(['yesterday', '20260101T020000Z', ''])(
    'F68 another time that cannot be read runs without a tick: %o',
    async (scheduledTime) => {
      const { options, context } = setting();

      expect(await withSingleExecution(seen, options)({ scheduledTime }, context())).toEqual({});
    },
  );

  test.each<['none' | (() => undefined)]>([['none'], [() => undefined]])(
    'an emulator that fills in no context attributes runs the handler with tick %o',
    async (tick) => {
      const { options, context } = setting();
      const wrapped = withSingleExecution(seen, { ...options, tick });

      expect(await wrapped(fixture('emulator-input'), context())).toEqual({ tick: undefined, attempt: undefined });
    },
  );
});

describe('row 89: a tick that is caught up with', () => {
  const HOUR = 60 * MINUTE;
  const at = (hour: number) => new Date(NOW + hour * HOUR).toISOString().replace('.000Z', 'Z');
  const catchingUp = () => ({ ...setting().options, schedule: cron('0 * * * *'), catchUp: { mode: 'all' } }) as const;

  test.each<[string, (time: string) => object]>([
    ["an EventBridge rule's event", (time) => scheduledEvent({ time, id: '1' })],
    ["Scheduler's event", (scheduledTime) => schedulerEvent({ scheduledTime })],
    ['context attributes', (scheduledTime) => ({ scheduledTime, tenant: 'a' })],
    ['a time beside an empty scheduledTime', (time) => ({ time, scheduledTime: null })],
    ['a time of its own', (time) => ({ time, tenant: 'a' })],
  ])('row 89: gets a copy of %s with its own time', async (_, eventAt) => {
    const given: object[] = [];
    const handler = withSingleExecution(async (event: object) => void given.push(event), catchingUp());
    const newest = Object.freeze(eventAt(at(2)));
    for (const event of [eventAt(at(0)), newest]) await handler(event, lambdaContext());

    const field = (newest as { scheduledTime?: unknown }).scheduledTime ? 'scheduledTime' : 'time';
    expect(given[1]).toEqual({ ...newest, [field]: at(1) });
    expect(given[2]).toBe(newest);
  });

  test('row 89: gets an event that has no scheduled time as it is', async () => {
    const given: unknown[] = [];
    const options = { ...catchingUp(), tick: ({ day }: { day: number }) => NOW + day * HOUR };
    const handler = withSingleExecution(async (event: { day: number }) => void given.push(event), options);
    const events = [{ day: 0 }, { day: 2 }] as const;
    for (const event of events) await handler(event, lambdaContext());

    expect(given).toHaveLength(3);
    expect(given[1]).toBe(events[1]);
    expect(given[2]).toBe(events[1]);
  });
});

test('row 44: the holder is named by function, version, region and request, cut to 128 bytes', async () => {
  const { options, context, item } = setting();
  await withSingleExecution(async () => {}, options)(event, context({ functionName: 'é'.repeat(64) }));

  expect((await item()).lockedBy).toBe('é'.repeat(64));
});
