import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { closed, listening } from './loopback.js';
import { connectedTo } from './redis-server.js';

/**
 * What happens to a request. `drop-request` and `drop-response`: the connection is reset before Redis sees the request,
 * or after Redis applied it. `hang` and `hang-after`: the request is never answered, and not applied or applied.
 * `http-500-after`: Redis applies the request, and the client gets status 500. `lateMs`: the connection is reset, and
 * Redis applies the request that much later.
 */
export type BridgeFault =
  | 'drop-request'
  | 'drop-response'
  | 'hang'
  | 'hang-after'
  | 'http-500-after'
  | { readonly lateMs: number };

/** The token that every bridge accepts. */
export const BRIDGE_TOKEN = 'token-of-the-tests';

export interface BridgeRequest {
  /** `/` or `/pipeline`. */
  readonly path: string;
  /** The JSON that the client sent. */
  readonly body: unknown;
}

export interface BridgeInjection {
  /** @default every request */
  readonly when?: (request: BridgeRequest) => boolean;
  /** How many of the matching requests are struck. @default 1 */
  readonly times?: number;
}

interface UpstashBridgeOptions {
  readonly redisPort: number;
  /** Returns the fault of a request; called once for each request. If it returns none, `inject` decides. */
  readonly choose?: (request: BridgeRequest) => BridgeFault | undefined;
}

/** Speaks Upstash's REST protocol in front of a real Redis, and fails as a test tells it to. */
export interface UpstashBridge {
  readonly url: string;
  readonly token: string;
  /** Every HTTP request since the start, oldest first. The client's own retries and struck requests are included. */
  requests(): readonly BridgeRequest[];
  inject(fault: BridgeFault, injection?: BridgeInjection): void;
  stop(): Promise<void>;
}

type Command = readonly string[];
/** An answer of Redis. Strings are buffers. */
type Reply = Buffer | number | null | readonly Reply[];
type Result = { readonly result: unknown } | { readonly error: string };
type Encoding = 'utf8' | 'base64';

interface Answer {
  readonly status: number;
  readonly body: Result | readonly Result[];
}

export async function startUpstashBridge({ redisPort, choose }: UpstashBridgeOptions): Promise<UpstashBridge> {
  const redis = await connectedTo(redisPort);
  const token = BRIDGE_TOKEN;
  const seen: BridgeRequest[] = [];
  const injections: { readonly fault: BridgeFault; readonly injection: BridgeInjection; left: number }[] = [];

  const faultFor = (request: BridgeRequest): BridgeFault | undefined => {
    const chosen = choose?.(request);
    if (chosen) return chosen;
    const one = injections.find(({ injection, left }) => left > 0 && injection.when?.(request) !== false);
    if (one) one.left--;
    return one?.fault;
  };

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const request = { path: incoming.url ?? '/', body: parsed(await text(incoming)) };
    seen.push(request);
    const fault = faultFor(request);
    if (fault === 'drop-request') return reset(outgoing);
    if (fault === 'hang') return;
    const isLate = typeof fault === 'object';
    if (isLate) {
      reset(outgoing);
      await sleep(fault.lateMs, undefined, { ref: false });
    }

    const answer: Answer =
      incoming.headers.authorization === `Bearer ${token}`
        ? await execute(redis, request, incoming.headers['upstash-encoding'] === 'base64' ? 'base64' : 'utf8')
        : refused(401, 'WRONGPASS invalid or missing auth token');
    if (isLate || fault === 'hang-after') return;
    if (fault === 'drop-response') return reset(outgoing);
    const { status, body } = fault === 'http-500-after' ? refused(500, 'ERR internal error') : answer;
    outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

  // This also happens if the client gives up first or Redis is gone. To the client, both are a dead connection.
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => reset(outgoing));
  });
  const port = await listening(server);

  return {
    url: `http://127.0.0.1:${port}`,
    token,
    requests: () => seen,
    inject(fault, injection = {}) {
      injections.push({ fault, injection, left: injection.times ?? 1 });
    },
    async stop() {
      await closed(server);
      redis.disconnect();
    },
  };
}

async function execute(redis: Redis, { path, body }: BridgeRequest, encoding: Encoding): Promise<Answer> {
  const commands = commandsIn(path === '/' ? [body] : body);
  if (!commands) return refused(400, 'ERR failed to parse what was sent');
  const pipeline = redis.pipeline();
  for (const [name = '', ...args] of commands) pipeline.callBuffer(name, ...args);
  const results = ((await pipeline.exec()) ?? []).map(([error, reply]) => resultOf(error, reply as Reply, encoding));
  if (path === '/pipeline') return { status: 200, body: results };
  const [result = { result: null }] = results;
  return { status: 'error' in result ? 400 : 200, body: result };
}

function refused(status: number, error: string): Answer {
  return { status, body: { error } };
}

function resultOf(error: Error | null, reply: Reply, encoding: Encoding): Result {
  if (error?.name === 'ReplyError') return { error: error.message };
  // Redis is gone.
  if (error) throw error;
  // With base64, Upstash encodes every string but this one.
  if (Buffer.isBuffer(reply) && reply.toString() === 'OK') return { result: 'OK' };
  return { result: encoded(reply, encoding) };
}

function encoded(reply: Reply, encoding: Encoding): unknown {
  if (reply === null || typeof reply === 'number') return reply;
  return Buffer.isBuffer(reply) ? reply.toString(encoding) : reply.map((item) => encoded(item, encoding));
}

function commandsIn(body: unknown): readonly Command[] | undefined {
  if (!Array.isArray(body) || body.length === 0) return undefined;
  const commands = body.map(commandIn);
  return commands.every((command) => command !== undefined) ? commands : undefined;
}

function commandIn(body: unknown): Command | undefined {
  const isWord = (word: unknown) => ['string', 'number', 'boolean'].includes(typeof word);
  return Array.isArray(body) && body.length > 0 && body.every(isWord) ? body.map(String) : undefined;
}

function parsed(sent: string): unknown {
  try {
    return JSON.parse(sent);
  } catch {
    return undefined;
  }
}

function reset(outgoing: ServerResponse): void {
  outgoing.socket?.resetAndDestroy();
}
