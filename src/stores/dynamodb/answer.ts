import type { ClockBounds } from '../../core/ports/lock-store.js';
import type { Item } from '../../core/record/lock-record.js';
import { UnexpectedAnswer } from '../../core/request/unexpected-answer.js';
import { describeType } from '../../core/values/checks.js';
import { readThrown } from '../../core/values/thrown.js';

/**
 * Turns an item into plain strings and numbers, in whatever form the SDK returns it. The item in an exception has raw
 * attribute values even from the document client, and this library has numbers wrapped. Other values are left
 * unchanged, and the record's checks report them.
 *
 * @throws UnexpectedAnswer for a value that is not an item, which DynamoDB never sends
 */
export function plainItem(item: unknown): Item {
  if (!isObject(item) || Array.isArray(item)) throw strange(item);
  return Object.fromEntries(Object.entries(item).map(([attribute, value]) => [attribute, plain(value)]));
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (!isObject(value)) return value;
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
 * @throws UnexpectedAnswer for an output without data if no response came, as with a mock; Error for a response without
 *   a request id: the write may have been applied
 */
export function answerOf<O extends object>(output: O, field: keyof O, { isNamed }: ResponseTime): O {
  if (!isObject(output)) throw strange(output);
  if (output[field] !== undefined || isNamed || readThrown(readThrown(output, '$metadata'), 'requestId')) return output;
  throw isNamed === undefined ? strange(output) : new Error('EmptyAnswer');
}

const strange = (answer: unknown) => new UnexpectedAnswer(describeType(answer));

/** The times of a response. */
export interface ResponseTime {
  /**
   * The server's Date header in epoch milliseconds, truncated by the server to a whole second; absent behind a mock.
   */
  readonly serverMs?: number;
  readonly clock?: ClockBounds;
  /** The monotonic instant at which the request was sent. */
  readonly sentMono: number;
  /** Whether the response has the request id that every answer of DynamoDB has; absent if no response was seen. */
  readonly isNamed?: boolean;
}

export interface Response {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** How far a Date header may be behind the true time: it is truncated to the second, and up to 1 s old. */
const SLOP_MS = 2_000;

/** Reads a response, from the instants between which it was asked for and received. */
export function timeOf(
  { headers }: Response,
  sentMono: number,
  [sentWall, receivedWall]: readonly [number, number],
): ResponseTime {
  const serverMs = Date.parse(headers?.['date'] ?? '');
  return {
    sentMono,
    isNamed: headers?.['x-amzn-requestid'] !== undefined,
    ...(serverMs && { serverMs, clock: { minMs: serverMs - receivedWall, maxMs: serverMs + SLOP_MS - sentWall } }),
  };
}

/**
 * Returns the monotonic instant until which the server's clock proves a lease valid; absent if the response has no Date
 * header.
 */
export function capMono(lockUntilMs: number, { serverMs, sentMono }: ResponseTime): { readonly capMono?: number } {
  return serverMs === undefined ? {} : { capMono: sentMono + (lockUntilMs - serverMs - SLOP_MS) };
}
