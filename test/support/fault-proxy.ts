import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestBody } from './lock-verb.js';

/** What happens to a request on its way. `before`: the server never sees it. `after`: the server has applied it. */
export type Fault =
  | { readonly kind: 'reset'; readonly at: 'before' | 'after' }
  | { readonly kind: 'hang'; readonly at: 'before' | 'after' }
  /** Answers with an error of DynamoDB's. */
  | { readonly kind: 'error'; readonly at: 'before' | 'after'; readonly status: number; readonly type: string }
  /** Keeps the answer back for so long. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Sends it to the server twice and passes on the second answer. */
  | { readonly kind: 'duplicate' }
  /** Resets the connection now, and sends the request to the server when {@link FaultProxy.deliverLate} is called. */
  | { readonly kind: 'late' };

export const throttle: Fault = { kind: 'error', at: 'before', status: 400, type: 'ThrottlingException' };

/** The Date header of every response: the server's own, shifted, set, or none. */
export type DateHeader = 'server' | 'none' | { readonly shiftMs: number } | { readonly atMs: number };

export interface SeenRequest {
  /** The operation, such as `UpdateItem`. */
  readonly operation: string;
  readonly body: RequestBody;
  /** Instants by `performance.now()`; `leftMs` when the client had its answer, its reset or had gone. */
  readonly arrivedMs: number;
  readonly leftMs?: number;
  /** What the client was answered; absent when it was not. */
  readonly status?: number;
}

export interface Injection {
  /** @default every request */
  readonly when?: (request: SeenRequest) => boolean;
  /** How many of the requests that fit are hit. @default 1 */
  readonly times?: number;
  /** How many of the requests that fit are spared before. @default 0 */
  readonly skip?: number;
  /** Done while the request is in the fault: for `after` and `delay`, between the server's answer and the client's. */
  readonly meanwhile?: () => Promise<unknown>;
}

/** Stands between a real client and a real DynamoDB endpoint, and does to chosen requests what networks do. */
export interface FaultProxy {
  readonly endpoint: string;
  inject(fault: Fault, injection?: Injection): void;
  setDate(date: DateHeader): void;
  /** Every request since the start or the last `reset()`, faulty or not, oldest first. */
  requests(): readonly SeenRequest[];
  /** Sends the requests kept by `late` faults to the server, oldest first; the server's answers to them. */
  deliverLate(): Promise<readonly Answer[]>;
  /** Forgets requests, faults and the date. */
  reset(): void;
  stop(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Kept {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Injected {
  readonly fault: Fault;
  readonly injection: Injection;
  left: number;
  spare: number;
}

export async function startFaultProxy(upstream: string): Promise<FaultProxy> {
  let seen: SeenRequest[] = [];
  let injections: Injected[] = [];
  let kept: Kept[] = [];
  let date: DateHeader = 'server';

  const faultFor = (request: SeenRequest): Pick<Injected, 'fault' | 'injection'> | undefined => {
    for (const one of injections) {
      if (one.left === 0 || one.injection.when?.(request) === false) continue;
      if (one.spare > 0) {
        one.spare--;
        continue;
      }
      one.left--;
      return one;
    }
    return undefined;
  };

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const request = { headers: incoming.headers, body: await bodyOf(incoming) };
    const arrived = { ...read(request), arrivedMs: performance.now() };
    const index = seen.push(arrived) - 1;
    outgoing.once('close', () => {
      const status = outgoing.headersSent ? { status: outgoing.statusCode } : {};
      if (seen[index] === arrived) seen[index] = { ...arrived, leftMs: performance.now(), ...status };
    });
    const struck = faultFor(arrived);
    if (!struck) return answer(outgoing, await forward(upstream, request), date);

    const { fault, injection } = struck;
    const meanwhile = async () => injection.meanwhile?.();
    switch (fault.kind) {
      case 'late':
        kept.push(request);
        await meanwhile();
        return reset(outgoing);
      case 'duplicate':
        await forward(upstream, request);
        await meanwhile();
        return answer(outgoing, await forward(upstream, request), date);
      case 'delay': {
        const reply = await forward(upstream, request);
        await Promise.all([sleep(fault.ms, undefined, { ref: false }), meanwhile()]);
        return answer(outgoing, reply, date);
      }
      default: {
        if (fault.at === 'after') await forward(upstream, request);
        await meanwhile();
        if (fault.kind === 'reset') reset(outgoing);
        if (fault.kind === 'error') answer(outgoing, errorAnswer(fault.status, fault.type), date);
      }
    }
  };

  // Also when the client gives up first, or the server is not there: to the client either is a dead connection.
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => reset(outgoing));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));

  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    inject(fault, injection = {}) {
      injections.push({ fault, injection, left: injection.times ?? 1, spare: injection.skip ?? 0 });
    },
    setDate(header) {
      date = header;
    },
    requests: () => seen,
    async deliverLate() {
      const answers: Answer[] = [];
      for (const request of kept.splice(0)) answers.push(await forward(upstream, request));
      return answers;
    },
    reset() {
      seen = [];
      injections = [];
      kept = [];
      date = 'server';
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function read({ headers, body }: Kept): Pick<SeenRequest, 'operation' | 'body'> {
  const operation = String(headers['x-amz-target']).split('.').at(-1) ?? '';
  return { operation, body: body.length === 0 ? {} : (JSON.parse(body.toString()) as RequestBody) };
}

function reset(outgoing: ServerResponse): void {
  outgoing.socket?.resetAndDestroy();
}

function forward(upstream: string, { headers, body }: Kept): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(upstream, { method: 'POST', headers: { ...headers, connection: 'close' } }, (reply) => {
      bodyOf(reply).then(
        (content) => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body: content }),
        reject,
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function answer(outgoing: ServerResponse, { status, headers, body }: Answer, date: DateHeader): void {
  const { connection: _, 'transfer-encoding': __, date: own, ...rest } = headers;
  outgoing.sendDate = false;
  const shown = dateText(own, date);
  outgoing.writeHead(status, { ...rest, 'content-length': body.length, ...(shown !== undefined && { date: shown }) });
  outgoing.end(body);
}

function dateText(own: string | undefined, date: DateHeader): string | undefined {
  if (date === 'none') return undefined;
  if (date === 'server') return own ?? new Date().toUTCString();
  const ms = 'atMs' in date ? date.atMs : Date.parse(own ?? new Date().toUTCString()) + date.shiftMs;
  return new Date(ms).toUTCString();
}

function errorAnswer(status: number, type: string): Answer {
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: `${type} by the fault proxy` };
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-requestid': 'fault-proxy' };
  return { status, headers, body: Buffer.from(JSON.stringify(body)) };
}
