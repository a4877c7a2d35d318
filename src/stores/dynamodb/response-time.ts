import type { ClockBounds } from '../../core/ports/lock-store.js';

/** What a response tells of time. */
export interface ResponseTime {
  /** The server's Date header, truncated by the server to a whole second; absent behind a mock. */
  readonly serverMs?: number;
  readonly clock?: ClockBounds;
  /** Monotonic instant of the send that was answered. */
  readonly sentMono: number;
}

/** Reads the Date header of a response, an error's too. */
export function responseTime(
  headers: Readonly<Record<string, string | undefined>> | undefined,
  sentMono: number,
  sentWall: number,
  receivedWall: number,
): ResponseTime {
  const serverMs = Date.parse(headers?.['date'] ?? '');
  if (Number.isNaN(serverMs)) return { sentMono };
  // The server's clock was somewhere in the second that the header names, between our sending and our receiving.
  return { serverMs, clock: { minMs: serverMs - receivedWall, maxMs: serverMs + 1_000 - sentWall }, sentMono };
}

/** How far behind the true time a Date header may be: truncated to the second, and up to one more second old. */
const SLOP_MS = 2_000;

/** The monotonic instant up to which the server's clock vouches for a lease; nothing without a Date header. */
export function capMono(lockUntilMs: number, { serverMs, sentMono }: ResponseTime): { readonly capMono?: number } {
  return serverMs === undefined ? {} : { capMono: sentMono + (lockUntilMs - serverMs - SLOP_MS) };
}
