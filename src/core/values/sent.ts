import type { Clock } from './clock.js';

/** Both clocks just before the first send of a call: the anchor of all times inside its grant. */
export interface Sent {
  /** The wall clock, in epoch milliseconds. */
  readonly firstSentWall: number;
  /** The monotonic clock, in milliseconds. */
  readonly firstSentMono: number;
}

export function sentNow(clock: Clock): Sent {
  return { firstSentWall: Math.round(clock.now()), firstSentMono: clock.monotonic() };
}

/** Wall time inside a grant: anchored to the wall clock of the first send, carried on by the monotonic clock. */
export function wallInGrant(sent: Sent, monotonic: number): number {
  return Math.round(sent.firstSentWall + (monotonic - sent.firstSentMono));
}
