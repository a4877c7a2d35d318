import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Answer,
  answer,
  bodyOf,
  cut,
  type DateHeader,
  errorAnswer,
  forward,
  type HttpRequest,
  reset,
  textAnswer,
} from './http-answer.js';
import type { RequestBody } from './lock-verb.js';
import { closed, listening } from './loopback.js';

/** What happens to a request on its way. `before`: the server never sees it. `after`: the server has applied it. */
export type Fault =
  /** The connection ends without an answer: in good order, with a reset, or not at all. */
  | { readonly kind: 'close' | 'reset' | 'hang'; readonly at: 'before' | 'after' }
  /** Answers with an error of DynamoDB's. */
  | { readonly kind: 'error'; readonly at: 'before' | 'after'; readonly status: number; readonly type: string }
  /** Answers with this text, whatever the server says. */
  | { readonly kind: 'answer'; readonly at: 'before' | 'after'; readonly status: number; readonly text: string }
  /** Breaks off in the middle of the server's answer. */
  | { readonly kind: 'cut' }
  /** Keeps the answer back for so long. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Sends it to the server twice and passes on the second answer. */
  | { readonly kind: 'duplicate' }
  /** Resets the connection now, and sends the request to the server when {@link FaultProxy.deliverLate} is called. */
  | { readonly kind: 'late' };

export const throttle: Fault = { kind: 'error', at: 'before', status: 400, type: 'ThrottlingException' };

export interface SeenRequest {
  /** The operation, such as `UpdateItem`. */
  readonly operation: string;
  readonly body: RequestBody;
  readonly headers: IncomingHttpHeaders;
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

/** Stands between a real client and a real endpoint that speaks HTTP, and does to chosen requests what networks do. */
export interface FaultProxy {
  readonly endpoint: string;
  inject(fault: Fault, injection?: Injection): void;
  setDate(date: DateHeader): void;
  /** Every request since the start or the last `reset()`, faulty or not, oldest first. */
  requests(): readonly SeenRequest[];
  /** The longest that the server took to answer, or has not answered yet. */
  slowestMs(): number;
  /** Sends the requests kept by `late` faults to the server, oldest first; the server's answers to them. */
  deliverLate(): Promise<readonly Answer[]>;
  /** Closes the connections on which nothing is under way. */
  closeIdle(): void;
  /** Forgets requests, faults and the date. */
  reset(): void;
  stop(): Promise<void>;
}

interface Injected {
  readonly fault: Fault;
  readonly injection: Injection;
  left: number;
  spare: number;
}

/** @param choose what strikes a request, asked once for each, where that is not left to `inject` */
export async function startFaultProxy(
  upstream: string,
  choose?: (request: SeenRequest) => Fault | undefined,
): Promise<FaultProxy> {
  let seen: SeenRequest[] = [];
  let injections: Injected[] = [];
  let kept: HttpRequest[] = [];
  const asked: { readonly atMs: number; answeredMs?: number }[] = [];
  let date: DateHeader = 'server';

  const faultFor = (request: SeenRequest): Pick<Injected, 'fault' | 'injection'> | undefined => {
    const chosen = choose?.(request);
    if (chosen) return { fault: chosen, injection: {} };
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

  const send = async (request: HttpRequest): Promise<Answer> => {
    const one: (typeof asked)[number] = { atMs: performance.now() };
    asked.push(one);
    const reply = await forward(upstream, request);
    one.answeredMs = performance.now();
    return reply;
  };

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const request = { path: incoming.url ?? '/', headers: incoming.headers, body: await bodyOf(incoming) };
    const arrived = { ...read(request), arrivedMs: performance.now() };
    const index = seen.push(arrived) - 1;
    outgoing.once('close', () => {
      const status = outgoing.headersSent ? { status: outgoing.statusCode } : {};
      if (seen[index] === arrived) seen[index] = { ...arrived, leftMs: performance.now(), ...status };
    });
    const struck = faultFor(arrived);
    if (!struck) return answer(outgoing, await send(request), date);

    const { fault, injection } = struck;
    const meanwhile = async () => injection.meanwhile?.();
    switch (fault.kind) {
      case 'late':
        kept.push(request);
        await meanwhile();
        return reset(outgoing);
      case 'duplicate':
        await send(request);
        await meanwhile();
        return answer(outgoing, await send(request), date);
      case 'delay': {
        const reply = await send(request);
        await Promise.all([sleep(fault.ms, undefined, { ref: false }), meanwhile()]);
        return answer(outgoing, reply, date);
      }
      case 'cut': {
        const reply = await send(request);
        await meanwhile();
        return cut(outgoing, reply, date);
      }
      default: {
        if (fault.at === 'after') await send(request);
        await meanwhile();
        if (fault.kind === 'close') outgoing.socket?.end();
        if (fault.kind === 'reset') reset(outgoing);
        if (fault.kind === 'error') answer(outgoing, errorAnswer(fault.status, fault.type), date);
        if (fault.kind === 'answer') answer(outgoing, textAnswer(fault.status, fault.text), date);
      }
    }
  };

  // Also when the client gives up first, or the server is not there: to the client either is a dead connection.
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => reset(outgoing));
  });
  const port = await listening(server);

  return {
    endpoint: `http://127.0.0.1:${port}`,
    inject(fault, injection = {}) {
      injections.push({ fault, injection, left: injection.times ?? 1, spare: injection.skip ?? 0 });
    },
    setDate(header) {
      date = header;
    },
    requests: () => seen,
    slowestMs: () => Math.max(0, ...asked.map(({ atMs, answeredMs = performance.now() }) => answeredMs - atMs)),
    async deliverLate() {
      const answers: Answer[] = [];
      for (const request of kept.splice(0)) answers.push(await send(request));
      return answers;
    },
    closeIdle: () => server.closeIdleConnections(),
    reset() {
      seen = [];
      injections = [];
      kept = [];
      date = 'server';
    },
    stop: () => closed(server),
  };
}

function read({ headers, body }: HttpRequest): Pick<SeenRequest, 'operation' | 'body' | 'headers'> {
  const operation = String(headers['x-amz-target']).split('.').at(-1) ?? '';
  return { operation, headers, body: body.length === 0 ? {} : (JSON.parse(body.toString()) as RequestBody) };
}
