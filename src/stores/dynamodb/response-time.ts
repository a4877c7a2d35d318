import type { ClockBounds } from '../../core/ports/lock-store.js';
import type { Clock } from '../../core/values/clock.js';

/** The times of a response. */
export interface ResponseTime {
  /** The server's Date header, truncated by the server to a whole second; absent behind a mock. */
  readonly serverMs?: number;
  readonly clock?: ClockBounds;
  /** Monotonic instant of the send that this answers. */
  readonly sentMono: number;
  /** A success without the request id that every answer of DynamoDB has. */
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
 * Reads the Date header of each response to a command, also of an error, by an ordinary middleware of that command: the
 * client is not changed, and the body stays a stream. Call it when the command is sent.
 *
 * @returns the times of the latest response
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

function readDate({ headers }: Response, sentWall: number, receivedWall: number): Omit<ResponseTime, 'sentMono'> {
  const serverMs = Date.parse(headers?.['date'] ?? '');
  if (Number.isNaN(serverMs)) return {};
  // The server's clock was within the second of the header, at some instant between send and receive.
  return { serverMs, clock: { minMs: serverMs - receivedWall, maxMs: serverMs + 1_000 - sentWall } };
}

/** How far a Date header may be behind the true time: it is truncated to the second, and up to 1 s old. */
const SLOP_MS = 2_000;

/** The monotonic instant until which a lease is valid by the server's clock; nothing without a Date header. */
export function capMono(lockUntilMs: number, { serverMs, sentMono }: ResponseTime): { readonly capMono?: number } {
  return serverMs === undefined ? {} : { capMono: sentMono + (lockUntilMs - serverMs - SLOP_MS) };
}
