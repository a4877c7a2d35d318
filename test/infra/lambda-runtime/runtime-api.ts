import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { closed, listening } from '../../support/loopback.js';

/** What a runtime reports at the end of a run. */
export type Reported =
  | { readonly status: 'succeeded'; readonly value: unknown }
  | { readonly status: 'failed'; readonly errorType: string; readonly errorMessage: string };

/** What a runtime gets when it asks for the next invocation. */
export interface Handed {
  readonly requestId: string;
  /** The event as JSON. */
  readonly event: string;
  readonly functionArn: string;
  readonly deadlineMs: number;
}

/** Hears what one runtime asks and reports. */
export interface RuntimeListener {
  /** The runtime waits until `hand` is called. */
  onNext(hand: (invocation: Handed) => void): void;
  onReport(reported: Reported): void;
}

/** Lambda's Runtime API on the loopback interface. A prefix of the path identifies each runtime. */
export interface RuntimeApi {
  /** The value of `AWS_LAMBDA_RUNTIME_API` for the runtime of this listener. */
  addressFor(listener: RuntimeListener): string;
  stop(): Promise<void>;
}

export async function startRuntimeApi(): Promise<RuntimeApi> {
  const listeners: RuntimeListener[] = [];

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, index, call = ''] = /^\/(\d+)\/2018-06-01\/runtime\/(.*)$/.exec(request.url ?? '') ?? [];
    const listener = listeners[Number(index)];
    const [, kind] = /^invocation(?:\/[^/]+)?\/(next|response|error)$/.exec(call) ?? [];
    if (!listener || !kind) {
      response.writeHead(404).end();
    } else if (kind === 'next') {
      listener.onNext((invocation) => response.writeHead(200, headersOf(invocation)).end(invocation.event));
    } else {
      const body = await json(request);
      response.writeHead(202).end('{"status":"OK"}');
      listener.onReport(kind === 'response' ? { status: 'succeeded', value: body } : failure(body));
    }
  };

  const server = createServer((request, response) => {
    // This also happens if a runtime is killed in the middle of a request, or posts no JSON.
    serve(request, response).catch(() => response.destroy());
  });
  const port = await listening(server);

  return {
    addressFor: (listener) => `127.0.0.1:${port}/${listeners.push(listener) - 1}`,
    stop: () => closed(server),
  };
}

function headersOf({ requestId, functionArn, deadlineMs }: Handed): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'Lambda-Runtime-Aws-Request-Id': requestId,
    'Lambda-Runtime-Deadline-Ms': String(deadlineMs),
    'Lambda-Runtime-Invoked-Function-Arn': functionArn,
  };
}

function failure(body: unknown): Reported {
  const { errorType, errorMessage } = body as { errorType: string; errorMessage: string };
  return { status: 'failed', errorType, errorMessage };
}
