import type { ClockBounds } from '../../core/ports/lock-store.js';
import type { Clock } from '../../core/values/clock.js';

/** What a response tells of time. */
export interface ResponseTime {
  /** The server's Date header, truncated by the server to a whole second; absent behind a mock. */
  readonly serverMs?: number;
  readonly clock?: ClockBounds;
  /** Monotonic instant of the send that was answered. */
  readonly sentMono: number;
}

type Handler = (args: unknown) => Promise<{ readonly response: unknown }>;

/** The part of a command's middleware stack that is used here, the same for every command. */
export interface ResponseStack {
  add(
    middleware: (next: Handler) => Handler,
    options: { readonly step: 'deserialize'; readonly priority: 'low'; readonly name: string; readonly override: true },
  ): void;
}

/**
 * Reads the Date header of each response to a command, an error's too. A middleware of the command's own: the user's
 * client is left alone. Call it when the command is sent.
 *
 * @returns what the latest response told
 */
export function timeResponses(command: { readonly middlewareStack: object }, clock: Clock): () => ResponseTime {
  const sentMono = clock.monotonic();
  let latest: ResponseTime = { sentMono };
  (command.middlewareStack as ResponseStack).add(
    (next) => async (args) => {
      const sentWall = clock.now();
      const reply = await next(args);
      latest = { sentMono, ...readDate(reply.response, sentWall, clock.now()) };
      return reply;
    },
    // The document client puts a command's stack together twice; the second copy takes the first one's place.
    { step: 'deserialize', priority: 'low', name: 'singleExecutionResponseTime', override: true },
  );
  return () => latest;
}

function readDate(response: unknown, sentWall: number, receivedWall: number): Omit<ResponseTime, 'sentMono'> {
  const { headers } = response as { readonly headers?: Readonly<Record<string, string | undefined>> };
  const serverMs = Date.parse(headers?.['date'] ?? '');
  if (Number.isNaN(serverMs)) return {};
  // The server's clock was somewhere in the second that the header names, between our sending and our receiving.
  return { serverMs, clock: { minMs: serverMs - receivedWall, maxMs: serverMs + 1_000 - sentWall } };
}

/** How far behind the true time a Date header may be: truncated to the second, and up to one more second old. */
const SLOP_MS = 2_000;

/** The monotonic instant up to which the server's clock vouches for a lease; nothing without a Date header. */
export function capMono(lockUntilMs: number, { serverMs, sentMono }: ResponseTime): { readonly capMono?: number } {
  return serverMs === undefined ? {} : { capMono: sentMono + (lockUntilMs - serverMs - SLOP_MS) };
}
