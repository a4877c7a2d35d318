import type {
  Callback,
  EventBridgeEvent,
  Handler,
  Context as LambdaContext,
  ScheduledEvent,
  ScheduledHandler,
} from 'aws-lambda';
import {
  type Context,
  type Executed,
  type Execution,
  executeWithLock,
  isSkipped,
  type Options,
  type Outcome,
  type Skipped,
  type Handler as WrappedHandler,
  withSingleExecution,
} from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { describe, expectTypeOf, test } from 'vitest';

const store = memoryStore();
const options = { name: 'digest', store };
const send = async (_event: ScheduledEvent) => ({ sent: 5 });

describe('row 62: options that are not written in place', () => {
  test('row 62: of the general type return any type', () => {
    const prepared: Options<ScheduledEvent> = { ...options, onSkipped: 'throw' };
    expectTypeOf(withSingleExecution(send, prepared)).returns.resolves.toBeUnknown();
    const untyped: Options = options;
    expectTypeOf(withSingleExecution(send, untyped)).parameter(0).toEqualTypeOf<ScheduledEvent>();
  });

  test('row 62: pass through a factory of the user', () => {
    const guarded = <E, R>(handler: WrappedHandler<E, R>, own: Options<E>) => withSingleExecution(handler, own);
    expectTypeOf(guarded(send, options)).parameter(0).toEqualTypeOf<ScheduledEvent>();
  });
});

describe('row 43: an outcome', () => {
  test('row 43: shows its value only once it is known to be executed', async () => {
    const outcome = await executeWithLock(() => 5, { ...options, lockAtMostFor: '1m' });
    expectTypeOf(outcome).toEqualTypeOf<Outcome<number>>();

    // @ts-expect-error a skipped run has no value
    void outcome.value;
    // @ts-expect-error an executed run has no reason
    void outcome.reason;

    if (outcome.status === 'executed') {
      expectTypeOf(outcome).toEqualTypeOf<Executed<number>>();
      expectTypeOf(outcome.value).toEqualTypeOf<number>();
      expectTypeOf(outcome.release).toEqualTypeOf<'released' | 'lost' | 'unknown' | 'none'>();
    } else {
      expectTypeOf(outcome).toEqualTypeOf<Skipped>();
      expectTypeOf(outcome.reason).toEqualTypeOf<
        | 'locked'
        | 'lock-at-least-for'
        | 'already-executed'
        | 'stale-tick'
        | 'paused'
        | 'store-unavailable'
        | 'off-schedule'
      >();
    }
  });

  test('row 43: awaits the value of an async task', () => {
    expectTypeOf(executeWithLock(async () => 'sent', { ...options, lockAtMostFor: '1m' })).resolves.toEqualTypeOf<
      Outcome<string>
    >();
  });

  test('row 43: is readonly', async () => {
    const outcome = await executeWithLock(() => 5, { ...options, lockAtMostFor: '1m' });
    // @ts-expect-error an outcome is a fact
    outcome.status = 'executed';
  });

  test('row 43: isSkipped distinguishes a skip from a result', async () => {
    const result = await withSingleExecution(send, options)({} as ScheduledEvent, {} as LambdaContext);
    expectTypeOf(result).toEqualTypeOf<{ sent: number } | Skipped>();
    if (isSkipped(result)) expectTypeOf(result).toEqualTypeOf<Skipped>();
    else expectTypeOf(result).toEqualTypeOf<{ sent: number }>();
  });
});

describe('row 62: the result follows onSkipped', () => {
  test('row 62: by default, and with return, it may be a Skipped', () => {
    expectTypeOf(withSingleExecution(send, options)).returns.resolves.toEqualTypeOf<{ sent: number } | Skipped>();
    expectTypeOf(withSingleExecution(send, { ...options, onSkipped: 'return' })).returns.resolves.toEqualTypeOf<
      { sent: number } | Skipped
    >();
  });

  test('row 62: with throw it is the result of the handler', () => {
    expectTypeOf(withSingleExecution(send, { ...options, onSkipped: 'throw' })).returns.resolves.toEqualTypeOf<{
      sent: number;
    }>();
  });

  test('row 62: with a function it may be the value of that, awaited', () => {
    expectTypeOf(
      withSingleExecution(send, { ...options, onSkipped: ({ reason }) => reason.length }),
    ).returns.resolves.toEqualTypeOf<{ sent: number } | number>();
    expectTypeOf(
      withSingleExecution(send, { ...options, onSkipped: async () => null }),
    ).returns.resolves.toEqualTypeOf<{ sent: number } | null>();
  });

  test('row 62: a synchronous handler gives a promise as well', () => {
    expectTypeOf(withSingleExecution(() => 5, { ...options, onSkipped: 'throw' })).returns.toEqualTypeOf<
      Promise<number>
    >();
  });
});

describe('row 62: argument types are kept', () => {
  test('row 62: the wrapped handler wants the event of the handler, and a context', () => {
    const wrapped = withSingleExecution(send, options);
    expectTypeOf(wrapped).parameters.toEqualTypeOf<[event: ScheduledEvent, context: Context]>();
    // @ts-expect-error not the event of this handler
    void wrapped({ tenant: '42' }, {} as LambdaContext);
  });

  test('row 62: handlers of fewer parameters fit', () => {
    withSingleExecution(() => {}, options);
    withSingleExecution((_event, context) => {
      expectTypeOf(context).toEqualTypeOf<Context>();
    }, options);
    withSingleExecution(async (_event: ScheduledEvent) => {}, options);
    withSingleExecution(async (_event: ScheduledEvent, _context: LambdaContext) => {}, options);
    withSingleExecution(async (_event: ScheduledEvent, _context: LambdaContext, _execution: Execution) => {}, options);
  });

  test('row 62: the third parameter is the execution', () => {
    withSingleExecution(async (event: ScheduledEvent, context, execution) => {
      expectTypeOf(event).toEqualTypeOf<ScheduledEvent>();
      expectTypeOf(context).toEqualTypeOf<Context>();
      expectTypeOf(execution).toEqualTypeOf<Execution>();
      expectTypeOf(execution.tick).toEqualTypeOf<Date | undefined>();
      expectTypeOf(execution.missedTicks).toEqualTypeOf<Date[]>();
    }, options);
  });

  test('row 62: the context of Lambda is a Context, and a handler may have it so annotated', () => {
    expectTypeOf<LambdaContext>().toExtend<Context>();
    expectTypeOf<Context>().toExtend<LambdaContext>();
    const wrapped = withSingleExecution(
      async (_event: ScheduledEvent, context: LambdaContext) => context.awsRequestId,
      {
        ...options,
        onSkipped: 'throw',
      },
    );
    expectTypeOf(wrapped({} as ScheduledEvent, {} as LambdaContext)).resolves.toEqualTypeOf<string>();
  });

  test('row 62: the wrapped handler is a handler of Lambda', () => {
    expectTypeOf(withSingleExecution(send, options)).toExtend<Handler<ScheduledEvent, { sent: number } | Skipped>>();
  });

  test('row 62: functions of options are given the event of the handler', () => {
    type Order = EventBridgeEvent<'OrderPlaced', { tenant: string; at: number }>;
    withSingleExecution(async (_event: Order) => {}, {
      store,
      name: (event, context) => {
        expectTypeOf(event).toEqualTypeOf<Order>();
        expectTypeOf(context).toEqualTypeOf<Context>();
        return `tenant-${event.detail.tenant}`;
      },
      tick: (event) => event.detail.at,
    });
    withSingleExecution(async (_event: Order) => {}, {
      store,
      // @ts-expect-error a misspelt field of the event
      name: (event) => `tenant-${event.detail.tennant}`,
    });
    // @ts-expect-error the event is the handler's to say, not the name's
    withSingleExecution(async (_event: Order) => {}, { store, name: (event: { other: string }) => event.other });
  });
});

describe('a ScheduledHandler of @types/aws-lambda', () => {
  const scheduled: ScheduledHandler = async (event) => void event.time;

  test('is what a wrapped handler may be called', () => {
    const nothing: ScheduledHandler = withSingleExecution(async () => {}, options);
    const value: ScheduledHandler = withSingleExecution(send, options);
    const thrown: ScheduledHandler = withSingleExecution(send, { ...options, onSkipped: 'throw' });
    const typed: ScheduledHandler = withSingleExecution(async (event, context, execution) => {
      expectTypeOf(event).toEqualTypeOf<ScheduledEvent>();
      expectTypeOf(context).toEqualTypeOf<Context>();
      expectTypeOf(execution).toEqualTypeOf<Execution>();
    }, options);
    const untyped: Handler = withSingleExecution(send, options);
    void [nothing, value, thrown, typed, untyped];
  });

  test('is wrapped as it is', () => {
    const wrapped = withSingleExecution(scheduled, options);
    expectTypeOf(wrapped).parameters.toEqualTypeOf<[event: ScheduledEvent, context: Context]>();
    expectTypeOf(wrapped).returns.resolves.exclude<Skipped>().toBeVoid();
    const declared: ScheduledHandler = withSingleExecution(scheduled, {
      ...options,
      name: (event) => event.id,
      onSkipped: ({ reason }) => reason,
    });
    void declared;
  });

  test('gives a result only where its type has one', () => {
    const handler: Handler<ScheduledEvent, string> = async () => 'sent';
    expectTypeOf(withSingleExecution(handler, options)).returns.resolves.toEqualTypeOf<string | Skipped>();
    // @ts-expect-error the result is no number
    const _: Handler<ScheduledEvent, number> = withSingleExecution(handler, { ...options, onSkipped: 'throw' });
  });
});

describe('F45 callback handlers are refused', () => {
  test('F45 with a callback that is typed', () => {
    const handler = (_event: ScheduledEvent, _context: LambdaContext, _callback: Callback) => {};
    // @ts-expect-error the third parameter is the execution
    withSingleExecution(handler, options);
  });

  test('F45 with a callback that is not', () => {
    withSingleExecution(async (_event: ScheduledEvent, _context, callback) => {
      // @ts-expect-error an execution cannot be called
      callback(null, 'sent');
    }, options);
  });

  test('F45 and so is a synchronous handler of three parameters, which looks like one when it returns', () => {
    // @ts-expect-error a handler of three parameters returns a promise
    withSingleExecution((_event: ScheduledEvent, _context: LambdaContext, _execution: Execution) => {}, options);
    // @ts-expect-error a handler of three parameters returns a promise
    withSingleExecution((_event: ScheduledEvent, _context, _execution) => 5, { ...options, onSkipped: 'throw' });
    // @ts-expect-error a handler of three parameters returns a promise
    withSingleExecution((_event, _context, _execution) => {}, { ...options, onSkipped: () => 5 });
  });
});

describe('row 14: invalid options are refused', () => {
  test('row 14: missing, unknown or of a wrong kind', () => {
    // @ts-expect-error no store
    withSingleExecution(send, { name: 'digest' });
    // @ts-expect-error no name
    withSingleExecution(send, { store });
    // @ts-expect-error no such choice
    withSingleExecution(send, { ...options, onSkipped: 'ignore' });
    // @ts-expect-error no such choice
    withSingleExecution(send, { ...options, tickMark: 'end' });
    // @ts-expect-error a tick is an instant
    withSingleExecution(send, { ...options, tick: () => 'today' });
    // @ts-expect-error a function of the event is for wrappers
    void executeWithLock(() => {}, { ...options, name: () => 'digest', lockAtMostFor: '1m' });
  });
});
