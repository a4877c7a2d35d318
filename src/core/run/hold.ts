import type { Sent } from '../values/clock.js';
import { guardMs } from '../values/lease.js';

/*
 * How long a grant may be used, counted so that the holder stops before anybody else can start (docs/protocol.md,
 * "The holder's time"). Pure arithmetic on instants that the caller has read.
 */

/** How long a grant may be used, by its confirmed calls. Readonly; an extension makes a new hold. */
export interface Hold {
  /** The monotonic instant at which the holder must have stopped. */
  readonly deadlineMono: number;
  /**
   * The latest (first send + requested duration) of all confirmed calls. `guardMs` and `endSent` belong to the same
   * call.
   */
  readonly endMono: number;
  readonly guardMs: number;
  readonly endSent: Sent;
  /** The end of the lease by the server's clock, from the latest call. `capSent` is the first send of that call. */
  readonly capMono: number;
  readonly capSent: Sent;
  readonly lockUntilMs: number;
}

/** The facts of a confirmed acquire or extend. */
export interface Confirmed extends Sent {
  readonly leaseMs: number;
  readonly lockUntilMs: number;
}

/**
 * Computes the hold after a confirmed call.
 *
 * @param capMono the end of the lease by the server's clock; without it, only this host's clock counts
 * @param before the hold before this call. An extension never ends a hold earlier; only the server's clock can
 */
export function holdOf(call: Confirmed, capMono: number = Number.POSITIVE_INFINITY, before?: Hold): Hold {
  const { firstSentMono, firstSentWall, leaseMs, lockUntilMs } = call;
  const capSent = { firstSentMono, firstSentWall };
  const asked = { endMono: firstSentMono + leaseMs, guardMs: guardMs(leaseMs), endSent: capSent };
  const { endMono, guardMs: guard, endSent } = before && before.endMono > asked.endMono ? before : asked;
  const deadlineMono = Math.min(endMono, capMono) - guard;
  return { deadlineMono, endMono, guardMs: guard, endSent, capMono, capSent, lockUntilMs };
}

/**
 * Whether a hold is over, by the clock that says so first. A monotonic clock may stand still while the host is
 * suspended; the wall clock then shows the time since the send from which each end is counted. A wall clock that
 * stepped forward only ends a run early.
 */
export function isOver(hold: Hold, now: { readonly monotonic: number; readonly wall: number }): boolean {
  const { deadlineMono, endMono, guardMs: guard, endSent, capMono, capSent } = hold;
  const isPast = (end: number, sent: Sent) => now.wall - sent.firstSentWall >= end - guard - sent.firstSentMono;
  return now.monotonic >= deadlineMono || isPast(endMono, endSent) || isPast(capMono, capSent);
}
