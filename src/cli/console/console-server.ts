import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGzip } from 'node:zlib';
import { type Answer, answerCall, type Desk } from './api.js';
import { type House, refusalOf } from './gate.js';
import { REFRESH_MS } from './paced-admin.js';

const API = '/api/';
const HERE = 'http://console';
const MOST_BYTES = 10_000;
/** Characters. A shorter answer is sent as it is. */
const LEAST_ZIPPED = 10_000;
/**
 * Longer than a page waits between two requests. By default Node ends a connection that is idle for 5 s, and with it a
 * request that the page sends just then.
 */
const KEEP_IDLE_MS = 3 * REFRESH_MS;

export interface ConsoleOptions extends Desk {
  readonly page: string;
  /** @default any free port */
  readonly port?: number;
  readonly readOnly: boolean;
  /** The store, in words for people. */
  readonly store: string;
}

export interface RunningConsole {
  /** The console's address. The token stands behind `#`, so that no server and no log sees it. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves the console on this machine's loopback interface only.
 *
 * @throws the system's error if the port is in use
 */
export async function startConsole(options: ConsoleOptions): Promise<RunningConsole> {
  const { port = 0, readOnly } = options;
  const token = randomBytes(24).toString('base64url');
  const house = () => ({ port: (server.address() as AddressInfo).port, token, readOnly });
  const server = createServer({ keepAliveTimeout: KEEP_IDLE_MS }, (request, response) => {
    // The browser has closed the connection.
    serve(request, response, { ...options, house: house() }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${house().port}/#token=${token}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Served extends ConsoleOptions {
  readonly house: House;
}

async function serve(request: IncomingMessage, response: ServerResponse, served: Served): Promise<void> {
  const { headers } = request;
  // Node sends no body in answer to a HEAD.
  const method = request.method === 'HEAD' ? 'GET' : String(request.method);
  const address = request.url ?? '/';
  if (!URL.canParse(address, HERE)) return reply(response, { status: 400, body: { error: 'the address is no URL' } });
  const { pathname, searchParams } = new URL(address, HERE);
  const refusal = refusalOf({ method, path: pathname, headers }, served.house);
  if (refusal) return reply(response, { status: refusal.status, body: { error: refusal.why } });
  if (pathname === '/' && method === 'GET') {
    head(response, 200, 'text/html; charset=utf-8');
    response.end(served.page);
    return;
  }
  if (!pathname.startsWith(API)) return reply(response, { status: 404, body: { error: 'there is nothing here' } });
  const body = await bodyOf(request);
  if (body === undefined) return reply(response, { status: 413, body: { error: 'the body is too long' } });
  if (method === 'GET' && pathname === `${API}console`) {
    const { store, house } = served;
    return reply(response, { status: 200, body: { store, readOnly: house.readOnly, refreshMs: REFRESH_MS } });
  }
  const path = pathname.slice(API.length).split('/').map(decoded);
  return reply(response, await answerCall(served, { method, path, query: searchParams, body: parsed(body) }));
}

function reply(response: ServerResponse, { status, body, json = JSON.stringify(body) }: Answer): void {
  const accepted = String(response.req.headers['accept-encoding']);
  if (json.length < LEAST_ZIPPED || !/\bgzip\b/.test(accepted)) {
    head(response, status, 'application/json');
    response.end(json);
    return;
  }
  // The list of thousands of jobs may go through a tunnel.
  head(response, status, 'application/json', { 'content-encoding': 'gzip' });
  const zip = createGzip({ level: 1 });
  zip.pipe(response);
  zip.end(json);
}

function head(
  response: ServerResponse,
  status: number,
  type: string,
  more: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    ...more,
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    // No other page may show this page in a frame. The rest of the policy is in the page itself.
    'content-security-policy': "frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
  });
}

/** The body of a request; undefined if it is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += (chunk as Buffer).length;
    if (length > MOST_BYTES) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Decodes a part of a path. A part that is badly encoded stays as it is: it names nothing. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
