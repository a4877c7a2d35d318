import type { ClockBounds } from '../../core/ports/lock-store.js';
import type { Item } from '../../core/record/lock-record.js';
import { describe } from '../../core/values/checks.js';
import type { Clock } from '../../core/values/clock.js';

/**
 * Turns an item into plain strings and numbers, in whatever form the SDK returns it. The item in an exception has raw
 * attribute values even from the document client, and a client may wrap numbers. Other values are left unchanged, and
 * the record's checks report them.
 *
 * @throws TypeError for a value that is not an object, which no real client returns
 */
export function plainItem(item: Item): Item {
  if (typeof item !== 'object' || item === null) throw new TypeError(`the client answered with ${describe(item)}`);
  return Object.fromEntries(Object.entries(item).map(([attribute, value]) => [attribute, plain(value)]));
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  const { S, N, value: wrapped } = value as { S?: unknown; N?: unknown; value?: unknown };
  if (typeof S === 'string') return S;
  if (typeof N === 'string') return Number(N);
  return typeof wrapped === 'string' ? Number(wrapped) : value;
}

/**
 * Returns the output of a command if DynamoDB sent it. The SDK treats an empty answer, such as a gateway's, as a
 * success without data, and an acquire would count it as a grant.
 *
 * @param field the member of the output that holds the data, if there is any
 * @throws MockAnswer for an output that no client resolves to; EmptyAnswer for an answer without a request id: the
 *   write may have been applied
 */
export function answerOf<O extends object>(output: O, field: keyof O, { isUnnamed }: ResponseTime): O {
  if (typeof output !== 'object' || output === null) {
    throw new MockAnswer(`the client answered with ${describe(output)}`);
  }
  if (isUnnamed && output[field] === undefined) throw new EmptyAnswer();
  return output;
}

/** The error of a mocked client without a configured answer. */
class MockAnswer extends TypeError {
  override readonly name = 'MockAnswer';
}

/** The error of an answer that DynamoDB did not send. The request may have been applied. */
class EmptyAnswer extends Error {
  override readonly name = 'EmptyAnswer';

  constructor() {
    super('the answer is empty and has no request id');
  }
}

/** The times of a response. */
export interface ResponseTime {
  /**
   * The server's Date header in epoch milliseconds, truncated by the server to a whole second; absent behind a mock.
   */
  readonly serverMs?: number;
  readonly clock?: ClockBounds;
  /** The monotonic instant at which the request was sent. */
  readonly sentMono: number;
  /** Whether this is a success without the request id that every answer of DynamoDB has. */
  readonly isUnnamed?: boolean;
}

type Handler = (args: unknown) => Promise<{ readonly response: unknown }>;

/** The part of a command's middleware stack that is used here. Each command has its own types. */
interface Middleware {
  add(
    middleware: (next: Handler) => Handler,
    options: { readonly step: 'deserialize'; readonly priority: 'low'; readonly name: string; readonly override: true },
  ): void;
}

/**
 * Reads the Date header of each response to a command, errors included. Adds middleware to this command only: the
 * client is not changed, and the body is not consumed. Call it when the command is sent.
 *
 * @returns a function that returns the times of the latest response
 */
export function timeResponses(command: { readonly middlewareStack: object }, clock: Clock): () => ResponseTime {
  const sentMono = clock.monotonic();
  let latest: ResponseTime = { sentMono };
  (command.middlewareStack as Middleware).add(
    (next) => async (args) => {
      const sentWall = clock.now();
      const reply = await next(args);
      const response = reply.response as Response;
      latest = { sentMono, isUnnamed: isUnnamed(response), ...readDate(response, sentWall, clock.now()) };
      return reply;
    },
    // The document client builds a command's stack twice; the second copy replaces the first.
    { step: 'deserialize', priority: 'low', name: 'singleExecutionResponseTime', override: true },
  );
  return () => latest;
}

interface Response {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

function isUnnamed({ statusCode = 0, headers }: Response): boolean {
  return statusCode >= 200 && statusCode < 300 && headers?.['x-amzn-requestid'] === undefined;
}

/** How far a Date header may be behind the true time: it is truncated to the second, and up to 1 s old. */
const SLOP_MS = 2_000;

function readDate({ headers }: Response, sentWall: number, receivedWall: number): Omit<ResponseTime, 'sentMono'> {
  const serverMs = Date.parse(headers?.['date'] ?? '');
  if (Number.isNaN(serverMs)) return {};
  return { serverMs, clock: { minMs: serverMs - receivedWall, maxMs: serverMs + SLOP_MS - sentWall } };
}

/**
 * Returns the monotonic instant until which the server's clock proves a lease valid; absent if the response has no Date
 * header.
 */
export function capMono(lockUntilMs: number, { serverMs, sentMono }: ResponseTime): { readonly capMono?: number } {
  return serverMs === undefined ? {} : { capMono: sentMono + (lockUntilMs - serverMs - SLOP_MS) };
}
