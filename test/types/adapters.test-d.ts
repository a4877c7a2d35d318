import type { InvocationContext, Timer, TimerHandler } from '@azure/functions';
import { Cron, type CronCallback } from 'croner';
import type { TaskContext, TaskFn } from 'node-cron';
import type { Execution, Skipped } from 'single-execution';
import { withSingleExecution as timed } from 'single-execution/azure';
import { withSingleExecution as scheduled } from 'single-execution/cloudflare';
import { withSingleExecution as route } from 'single-execution/http';
import { memoryStore } from 'single-execution/memory';
import { withSingleExecution as job } from 'single-execution/process';
import { describe, expectTypeOf, test } from 'vitest';

const store = memoryStore();
const options = { name: 'digest', store, lockAtMostFor: '1m' };
const unticked = { ...options, tick: 'none' } as const;

describe('row 62: Azure', () => {
  test('row 62: the wrapped handler is one that the platform takes, and the third argument is the execution', () => {
    const wrapped = timed(async (timer: Timer, context: InvocationContext) => context.log(timer.isPastDue), options);
    expectTypeOf(wrapped).toExtend<TimerHandler>();
    expectTypeOf(wrapped).parameters.toEqualTypeOf<[timer: Timer, context: InvocationContext]>();
    expectTypeOf(timed(() => {}, options)).toExtend<TimerHandler>();
    const contextual: TimerHandler = timed((timer, context, execution) => {
      expectTypeOf(timer.scheduleStatus.next).toBeString();
      expectTypeOf(context.invocationId).toBeString();
      expectTypeOf(execution).toEqualTypeOf<Execution>();
    }, options);
    void contextual;
  });

  test('row 62: functions of options are given what the handler is given', () => {
    timed((_timer: Timer, _context: InvocationContext) => {}, {
      ...options,
      name: (timer, context) => `${context.functionName} ${timer.isPastDue}`,
      tick: ({ scheduleStatus }) => new Date(scheduleStatus.next),
    });
  });
});

describe('row 62: Cloudflare', () => {
  /** The controller of @cloudflare/workers-types, which has more members than the library uses. */
  interface PlatformController {
    readonly scheduledTime: number;
    readonly cron: string;
    noRetry(): void;
    readonly type: 'scheduled';
  }
  interface PlatformContext<Props = unknown> {
    waitUntil(promise: Promise<unknown>): void;
    passThroughOnException(): void;
    readonly exports: { readonly default: object };
    readonly props: Props;
    abort(reason?: unknown): void;
  }
  interface Env {
    readonly LOCKS: { fetch(url: string): Promise<Response> };
  }
  /** The type of a handler in ExportedHandler. */
  type PlatformHandler = (controller: PlatformController, env: Env, ctx: PlatformContext) => void | Promise<void>;

  test('row 62: the wrapped handler is one that the platform takes', () => {
    const handler = async (controller: PlatformController, env: Env, ctx: PlatformContext) => {
      ctx.waitUntil(env.LOCKS.fetch(controller.cron));
      return 5;
    };
    const wrapped = scheduled(handler, options);
    expectTypeOf(wrapped).toExtend<PlatformHandler>();
    expectTypeOf(wrapped).parameters.toEqualTypeOf<[controller: PlatformController, env: Env, ctx: PlatformContext]>();
    expectTypeOf({ scheduled: wrapped }).toExtend<{ scheduled?: PlatformHandler }>();
    // @ts-expect-error the bindings are those of the handler
    void wrapped({} as PlatformController, { OTHER: 1 }, {} as PlatformContext);
  });

  test('row 62: handlers of fewer parameters fit, and the fourth is the execution', () => {
    expectTypeOf(scheduled(() => {}, options)).toExtend<PlatformHandler>();
    expectTypeOf(scheduled(async (_controller: PlatformController) => 'sent', options)).toExtend<PlatformHandler>();
    scheduled(async (controller, _env: Env, ctx, execution) => {
      expectTypeOf(controller.scheduledTime).toBeNumber();
      expectTypeOf(ctx.waitUntil).parameter(0).toEqualTypeOf<Promise<unknown>>();
      expectTypeOf(execution).toEqualTypeOf<Execution>();
    }, options);
    // @ts-expect-error the fourth parameter is the execution
    scheduled(async (_controller: PlatformController, _env: Env, _ctx: PlatformContext, _more: string) => {}, options);
  });

  test('row 68: functions of options are given what the handler is given', () => {
    const handler = async (_controller: PlatformController, _env: Env, _ctx: PlatformContext<{ tenant: string }>) => {};
    scheduled(handler, {
      lockAtMostFor: '1m',
      store: (env) => {
        expectTypeOf(env).toEqualTypeOf<Env>();
        return store;
      },
      name: (controller, env, ctx) => {
        expectTypeOf(env).toEqualTypeOf<Env>();
        return `${controller.cron} ${ctx.props.tenant}`;
      },
      tick: (controller) => controller.scheduledTime,
    });
    // @ts-expect-error not a store
    scheduled(handler, { ...options, store: (env) => env.LOCKS });
    // @ts-expect-error the platform tells the time: there is no need of a local clock
    scheduled(handler, { ...options, tick: { every: '5m' } });
  });
});

describe('row 62: HTTP', () => {
  /** A Request with more members, like `NextRequest`. */
  class PlatformRequest extends Request {
    readonly nextUrl: URL = new URL(this.url);
  }
  interface RouteContext {
    readonly params: Promise<{ readonly id: string }>;
  }

  test('row 62: a route of a subclass of Request is one of that subclass, with its context', () => {
    const wrapped = route(async (request: PlatformRequest, context: RouteContext, execution: Execution) => {
      const { id } = await context.params;
      return Response.json([request.nextUrl.pathname, id, execution.name]);
    }, unticked);
    expectTypeOf(wrapped).parameters.toEqualTypeOf<[request: PlatformRequest, context: RouteContext]>();
    expectTypeOf(wrapped).returns.toEqualTypeOf<Promise<Response>>();
    // @ts-expect-error a bare Request has no nextUrl
    void wrapped(new Request('https://example.com'), {} as RouteContext);
  });

  test('row 62: what a handler does not declare is a Request, a context of any kind, and the execution', () => {
    expectTypeOf(route(() => new Response(), unticked)).toExtend<
      (request: Request, context: unknown) => Promise<Response>
    >();
    route((request, context, execution) => {
      expectTypeOf(request).toEqualTypeOf<Request>();
      expectTypeOf(context).toBeUnknown();
      expectTypeOf(execution).toEqualTypeOf<Execution>();
      return new Response();
    }, unticked);
    // @ts-expect-error a route answers with a Response
    route(() => 'sent', unticked);
  });

  test('row 62: functions of options are given the request and the context of the handler', () => {
    route((_request: PlatformRequest, _context: RouteContext) => new Response(), {
      ...unticked,
      name: (request, context) => {
        expectTypeOf(context).toEqualTypeOf<RouteContext>();
        return request.nextUrl.pathname;
      },
      tick: (request) => new Date(request.nextUrl.searchParams.get('due') ?? ''),
    });
    route(() => new Response(), { ...unticked, tick: { every: '5m' }, secret: false });
    // @ts-expect-error a skip is answered with a Response
    route(() => new Response(), { ...unticked, onSkipped: ({ reason }) => reason });
    // @ts-expect-error a secret of the environment may not be set
    route(() => new Response(), { ...unticked, secret: process.env['CRON_SECRET'] });
    // @ts-expect-error true is no secret
    route(() => new Response(), { ...unticked, secret: true });
  });
});

describe('row 62: a process', () => {
  const send = async (_tenant: string, _execution: Execution) => ({ sent: 5 });

  test('row 62: arguments are kept, and the execution is not one of them', () => {
    expectTypeOf(job(send, unticked)).parameters.toEqualTypeOf<[string]>();
    expectTypeOf(job((_execution: Execution) => 5, unticked)).parameters.toEqualTypeOf<[]>();
    expectTypeOf(job(() => 5, unticked)).parameters.toEqualTypeOf<[]>();
    job((execution) => {
      expectTypeOf(execution).toEqualTypeOf<Execution>();
    }, unticked);
    // @ts-expect-error the last parameter is the execution
    job((_tenant: string) => 5, unticked);
    // @ts-expect-error not the argument of this job
    void job(send, unticked)(42);
  });

  test('row 62: the result follows onSkipped', () => {
    expectTypeOf(job(send, unticked)).returns.resolves.toEqualTypeOf<{ sent: number } | Skipped>();
    expectTypeOf(job(send, { ...unticked, onSkipped: 'return' })).returns.resolves.toEqualTypeOf<
      { sent: number } | Skipped
    >();
    expectTypeOf(job(send, { ...unticked, onSkipped: 'throw' })).returns.resolves.toEqualTypeOf<{ sent: number }>();
    expectTypeOf(
      job(send, { ...unticked, onSkipped: async ({ reason }) => reason.length }),
    ).returns.resolves.toEqualTypeOf<{ sent: number } | number>();
    expectTypeOf(job(() => 5, { ...unticked, onSkipped: () => undefined })).returns.resolves.toEqualTypeOf<
      number | undefined
    >();
  });

  test('row 199: now has the arguments and the result of the job', () => {
    expectTypeOf(job(send, unticked).now).parameters.toEqualTypeOf<[string]>();
    expectTypeOf(job(send, unticked).now).returns.resolves.toEqualTypeOf<{ sent: number } | Skipped>();
    expectTypeOf(job(() => 5, { ...unticked, onSkipped: 'throw' }).now).toEqualTypeOf<() => Promise<number>>();
    // @ts-expect-error not the argument of this job
    void job(send, unticked).now(42);
  });

  test('row 62: functions of options are given the arguments of the job', () => {
    job(send, {
      ...unticked,
      name: (tenant) => `tenant-${tenant}`,
      tick: (tenant) => {
        expectTypeOf(tenant).toBeString();
        return undefined;
      },
    });
    job(send, { ...unticked, tick: { every: '5m' } });
    // @ts-expect-error the execution is not there before the lock is
    job(send, { ...unticked, name: (_tenant, execution: Execution) => execution.name });
  });

  test('row 62: node-cron takes the wrapped job', () => {
    expectTypeOf(job((_context: TaskContext, _execution: Execution) => 5, unticked)).toExtend<TaskFn>();
    expectTypeOf(job((_execution: Execution) => 5, unticked)).toExtend<TaskFn>();
    // @ts-expect-error node-cron passes no tenant
    const _: TaskFn = job(send, unticked);
  });

  test('row 62: croner accepts it if a skip is dropped, because its callback must return nothing', () => {
    const dropped = { ...unticked, onSkipped: () => undefined };
    new Cron(
      '0 0 1 1 *',
      { paused: true },
      job(async (_execution: Execution) => {}, dropped),
    );
    new Cron(
      '0 0 1 1 *',
      { paused: true },
      job(() => {}, { ...unticked, onSkipped: 'throw' }),
    );
    expectTypeOf(
      job((_self: Cron, _context: undefined, _execution: Execution) => {}, dropped),
    ).toExtend<CronCallback>();
    const returning = job(() => {}, unticked);
    // @ts-expect-error a Skipped is given back
    new Cron('0 0 1 1 *', { paused: true }, returning);
  });
});

// declarations.test.ts plays options of a wrong name and of a wrong kind.
test('row 14: every door wants a name and a store, and no choice that is not one', () => {
  // @ts-expect-error no store
  job(() => {}, { name: 'digest', lockAtMostFor: '1m', tick: 'none' });
  // @ts-expect-error no name
  route(() => new Response(), { store, lockAtMostFor: '1m', tick: 'none' });
  // @ts-expect-error no such choice
  job(() => {}, { ...unticked, onSkipped: 'ignore' });
});

test('row 82: tick is required on platforms whose triggers mostly have no scheduled time', () => {
  // @ts-expect-error no tick
  job(() => {}, options);
  // @ts-expect-error no tick
  route(() => new Response(), options);
  scheduled(() => {}, options);
});
