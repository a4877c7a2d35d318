import { Redis } from '@upstash/redis/cloudflare';
import { currentExecution, type LockEvent, type LockStore } from 'single-execution';
import { type ExecutionContext, type ScheduledController, withSingleExecution } from 'single-execution/cloudflare';
import { withSingleExecution as withSingleExecutionOfRoute } from 'single-execution/http';
import { upstashStore } from 'single-execution/upstash';
import { askedEarly } from './asked-early.js';

/*
 * A Worker for behaviour that no example shows. The scheduled handler acts by the cron expression. The fetch handler
 * has a route that a scheduler calls.
 */

interface Env {
  readonly API_URL: string;
  readonly REST_URL: string;
  readonly REST_TOKEN: string;
}

const events: LockEvent[] = [];
const observers = [(event: LockEvent) => events.push(event)];

function storeOf({ REST_URL: url, REST_TOKEN: token }: Env): LockStore {
  return upstashStore({
    redis: new Redis({ url, token, retry: { retries: 0 }, signal: () => AbortSignal.timeout(2_000) }),
  });
}

/** The route. The first request makes it; all later requests share it. */
let route: ((request: Request, context: unknown) => Promise<Response>) | undefined;

const routeOf = (env: Env) =>
  withSingleExecutionOfRoute(async () => Response.json(await ask(env.API_URL)), {
    name: (request) => `route${new URL(request.url).search}`,
    store: storeOf(env),
    lockAtMostFor: '1m',
    secret: false,
    tick: 'none',
  });

const lasting = (lockAtMostFor: string) =>
  withSingleExecution(
    async ({ cron }, { API_URL }: Env, ctx, { signal }) => {
      if (cron === 'in the background') ctx.waitUntil(ask(API_URL));
      if (cron === 'too long') await aborted(signal);
      if (cron === 'deep in the stack') await deep(API_URL);
      if (cron === 'careless') void Promise.reject(new Error('nobody cares'));
    },
    { name: 'probe', store: storeOf, lockAtMostFor, observers },
  );
const [short, long] = [lasting('1s'), lasting('1m')];

// biome-ignore lint/style/noDefaultExport: the default export of its main module is the Worker.
export default {
  scheduled: (controller: ScheduledController, env: Env, ctx: ExecutionContext) =>
    (controller.cron === 'too long' ? short : long)(controller, env, ctx),

  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    route ??= routeOf(env);
    const { pathname } = new URL(request.url);
    if (pathname === '/route') return route(request, ctx);
    if (pathname === '/now') await long.now({ cron: 'by hand', scheduledTime: Date.now(), noRetry() {} }, env, ctx);
    return Response.json(pathname === '/asked-early' ? await askedEarly() : events.splice(0));
  },
};

async function aborted(signal: AbortSignal): Promise<never> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  throw signal.reason;
}

async function ask(url: string): Promise<unknown> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.json();
}

async function deep(url: string): Promise<void> {
  await ask(url);
  if (currentExecution()?.name !== 'probe') throw new Error('not found');
}
