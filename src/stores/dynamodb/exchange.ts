import type { Item } from '../../core/record/lock-record.js';
import type { Clock } from '../../core/values/clock.js';
import type { Signal } from '../../core/values/signal.js';
import { type ResponseTime, responseTime } from './response-time.js';

/** One request of the SDK and its response. Readonly to all but this file. */
export interface Exchange {
  readonly clock: Clock;
  readonly signal: Signal;
  /** What the latest response told of time. */
  time: ResponseTime;
  /** Set when the latest response refused the write: the item that it carried. */
  refused?: { readonly item?: Item } | undefined;
}

export function exchangeOf(clock: Clock, signal: Signal): Exchange {
  return { clock, signal, time: { sentMono: clock.monotonic() } };
}

/** The SDK's handler of requests, on any platform. */
export interface RequestHandler {
  handle(request: unknown, options: { readonly abortSignal: Signal }): Promise<{ readonly response: unknown }>;
}

interface Response {
  statusCode?: number;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  body?: unknown;
}

const OPENING_BRACE = 0x7b;

/**
 * Sends a request of the SDK and reads its response, whose body the SDK then finds read. Each response tells the
 * server's time, also that of an error. A refused write leaves its item in the exchange. To the SDK it is a success, so
 * that no error is thrown through its middleware: a refusal is an ordinary answer, and most attempts get one.
 *
 * @throws what the SDK's handler throws
 * @throws EmptyAnswer for a success that holds no object, as that of a gateway may be. The SDK would take it for one
 * that tells nothing, and so would an acquire: DynamoDB itself always answers with an object
 */
export async function send(
  handler: RequestHandler,
  request: unknown,
  exchange: Exchange,
): Promise<{ readonly response: unknown }> {
  const { clock, signal: abortSignal } = exchange;
  const sentWall = clock.now();
  const reply = await handler.handle(request, { abortSignal });
  const response = reply.response as Response;
  exchange.time = responseTime(response.headers, exchange.time.sentMono, sentWall, clock.now());
  const { statusCode = 0 } = response;
  const isSuccess = statusCode >= 200 && statusCode < 300;
  if (!isSuccess && statusCode !== 400) return reply;

  const bytes = await bytesOf(response.body);
  if (bytes === undefined) return reply;
  response.body = bytes;
  if (isSuccess && bytes[0] !== OPENING_BRACE) throw new EmptyAnswer('the answer holds no object');
  exchange.refused = isSuccess ? undefined : refusalIn(bytes);
  if (exchange.refused) response.statusCode = 200;
  return reply;
}

/** Only what is surely a refusal: every other error is left to the SDK. */
function refusalIn(bytes: Uint8Array): Exchange['refused'] {
  try {
    const { __type, Item } = JSON.parse(new TextDecoder().decode(bytes)) as { __type?: unknown; Item?: Item };
    return /(^|#)ConditionalCheckFailedException$/.test(String(__type)) ? (Item ? { item: Item } : {}) : undefined;
  } catch {
    return undefined;
  }
}

interface NodeStream {
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'end' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** Reads a body to its end; undefined for a body that is no stream, as behind a mock. */
async function bytesOf(body: unknown): Promise<Uint8Array | undefined> {
  if (typeof body !== 'object' || body === null) return undefined;
  if (body instanceof Blob) return new Uint8Array(await body.arrayBuffer());
  if (typeof (body as Partial<NodeStream>).on === 'function') return joined(await chunksOf(body as NodeStream));
  if (!(Symbol.asyncIterator in body)) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return joined(chunks);
}

/** By its events, which costs less than to iterate over it. */
function chunksOf(stream: NodeStream): Promise<Uint8Array[]> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let hasEnded = false;
    stream.on('data', (chunk) => chunks.push(chunk));
    stream.on('end', () => {
      hasEnded = true;
      resolve(chunks);
    });
    stream.on('error', reject);
    stream.on('close', () => {
      if (!hasEnded) reject(new EmptyAnswer('the answer broke off'));
    });
  });
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [first, ...others] = chunks;
  if (first !== undefined && others.length === 0) return first;
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, end);
    end += chunk.length;
  }
  return bytes;
}

/** Whether the request was applied is not known. */
class EmptyAnswer extends Error {
  override readonly name = 'EmptyAnswer';
}
