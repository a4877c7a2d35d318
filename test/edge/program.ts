/*
 * A program that Node, Deno and Bun run unchanged: a server with a route that a scheduler calls, and a job that a
 * long-lived process runs. It imports only the package, @upstash/redis and the files beside it.
 */
import { Redis } from '@upstash/redis';
import * as root from 'single-execution';
import * as http from 'single-execution/http';
import * as processes from 'single-execution/process';
import * as upstash from 'single-execution/upstash';
import { askedEarly } from './asked-early.js';
import { doors } from './doors.js';

type Fetch = (request: Request) => Promise<Response>;

/** The globals with which Deno and Bun start a server; Node has neither. */
interface Platform {
  readonly Deno?: {
    serve(options: { hostname: string; port: number; onListen(address: { port: number }): void }, fetch: Fetch): void;
  };
  readonly Bun?: {
    serve(options: { hostname: string; port: number; idleTimeout: number; fetch: Fetch }): { readonly port: number };
  };
}

const { REST_URL: url = '', REST_TOKEN: token = '' } = process.env;
const store = upstash.upstashStore({
  redis: new Redis({ url, token, retry: { retries: 0 }, signal: () => AbortSignal.timeout(2_000) }),
});

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function signpost(): { readonly reached: Promise<void>; reach(): void } {
  let reach = () => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  return { reached, reach: () => reach() };
}

const skip = signpost();
const cleanUp = signpost();

const digest = http.withSingleExecution(
  async (_request, _context, { tick, fencingToken }) => {
    await skip.reached;
    await new Promise((resolve) => setTimeout(resolve, 1));
    const { name } = root.currentExecution() ?? {};
    return Response.json({ status: 'sent', tick, isFenced: fencingToken > 0, currentName: name });
  },
  {
    name: 'digest',
    store,
    lockAtMostFor: '1m',
    tick: 'event',
    observers: [({ type }) => type === 'skipped' && skip.reach()],
  },
);

const clean = processes.withSingleExecution(
  async ({ signal }) => {
    say({ said: 'started' });
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    say({ said: 'asked to stop', code: signal.reason.code, currentName: root.currentExecution()?.name });
    await cleanUp.reached;
    throw signal.reason;
  },
  { name: 'clean', store, lockAtMostFor: '1m', tick: 'none' },
);

async function answer(request: Request): Promise<Response> {
  switch (new URL(request.url).pathname) {
    case '/digest':
      return digest(request, undefined);
    case '/doors':
      return Response.json(Object.fromEntries(Object.entries(doors).map(([name, door]) => [name, Object.keys(door)])));
    case '/asked-early':
      return Response.json(await askedEarly());
    case '/clean':
      clean().catch((error) => say({ said: 'stopped', error: error.name, message: error.message }));
      return new Response(null, { status: 202 });
    case '/clean-up':
      cleanUp.reach();
      return new Response(null, { status: 202 });
    default:
      return new Response(null, { status: 404 });
  }
}

const hostname = '127.0.0.1';
// Keep idle connections: a server that ends one loses the request that the test sends just then.
const { Deno, Bun } = globalThis as Platform;
if (Deno) Deno.serve({ hostname, port: 0, onListen: ({ port }) => say({ port }) }, answer);
else if (Bun) say({ port: Bun.serve({ hostname, port: 0, idleTimeout: 0, fetch: answer }).port });
else serveOnNode();

function serveOnNode(): void {
  const server = process
    .getBuiltinModule('node:http')
    .createServer({ keepAliveTimeout: 0 }, async ({ method, url: path, headers }, response) => {
      const sent = new Request(`http://${hostname}${path}`, {
        method: method ?? 'GET',
        headers: headers as Record<string, string>,
      });
      const { status, headers: own, body } = await answer(sent);
      response
        .writeHead(status, Object.fromEntries(own))
        .end(body === null ? undefined : await new Response(body).text());
    });
  server.listen(0, hostname, () => say({ port: (server.address() as { port: number }).port }));
}
