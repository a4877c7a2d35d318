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

/**
 * What happens to a request on its way. `before`: the server never sees the request. `after`: the server has applied
 * it.
 */
export type Fault =
  /** The connection ends without an answer (`close`), is reset, or stays open without an answer (`hang`). */
  | { readonly kind: 'close' | 'reset' | 'hang'; readonly at: 'before' | 'after' }
  /** The client gets an error of DynamoDB. */
  | { readonly kind: 'error'; readonly at: 'before' | 'after'; readonly status: number; readonly type: string }
  /** The client gets this text, whatever the server answers. */
  | { readonly kind: 'answer'; readonly at: 'before' | 'after'; readonly status: number; readonly text: string }
  /** The connection breaks in the middle of the server's answer. */
  | { readonly kind: 'cut' }
  /** The client gets the answer `ms` later. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The server gets the request twice, and the client gets the second answer. */
  | { readonly kind: 'duplicate' }
  /** The connection is reset at once, and the server gets the request when {@link FaultProxy.deliverLate} is called. */
  | { readonly kind: 'late' };

export const throttle: Fault = { kind: 'error', at: 'before', status: 400, type: 'ThrottlingException' };

export interface SeenRequest {
  /** The operation, such as `UpdateItem`. */
  readonly operation: string;
  readonly path: string;
  readonly body: RequestBody;
  readonly headers: IncomingHttpHeaders;
  /** Instants by `performance.now()`. `leftMs` is when the client had its answer or its reset, or had gone. */
  readonly arrivedMs: number;
  readonly leftMs?: number;
  /** The status of the answer; absent if the client got none. */
  readonly status?: number;
}

export interface Injection {
  /** @default every request */
  readonly when?: (request: SeenRequest) => boolean;
  /** How many of the matching requests are struck. @default 1 */
  readonly times?: number;
  /** How many of the matching requests pass before the first is struck. @default 0 */
  readonly skip?: number;
  /**
   * Is called while the request is in the fault: for `after` and `delay`, between the server's answer and the client's.
   */
  readonly meanwhile?: () => Promise<unknown>;
}

/** Stands between a real client and a real HTTP endpoint, and does to chosen requests what networks do. */
export interface FaultProxy {
  readonly endpoint: string;
  inject(fault: Fault, injection?: Injection): void;
  setDate(date: DateHeader): void;
  /** Every request since the start or the last `reset()`, faulty or not, oldest first. */
  requests(): readonly SeenRequest[];
  /** The longest time that the server took for an answer, or has taken so far. */
  slowestMs(): number;
  /** Sends the requests kept by `late` faults to the server, oldest first. @returns the server's answers */
  deliverLate(): Promise<readonly Answer[]>;
  /** Closes the connections without a request under way. */
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

/** @param choose returns the fault of a request; called once for each request. If it returns none, `inject` decides */
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
    const { method = 'POST', url: path = '/', headers } = incoming;
    const request = { method, path, headers, body: await bodyOf(incoming) };
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

  // This also happens if the client gives up first or the server is gone. To the client, both are a dead connection.
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

function read({ path, headers, body }: HttpRequest): Pick<SeenRequest, 'operation' | 'path' | 'body' | 'headers'> {
  const operation = String(headers['x-amz-target']).split('.').at(-1) ?? '';
  return { operation, path, headers, body: body.length === 0 ? {} : (JSON.parse(body.toString()) as RequestBody) };
}
