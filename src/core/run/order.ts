import type { Clock } from '../values/clock.js';
import type { Signal } from '../values/signal.js';

/** One call, as an adapter has read it from its platform. */
export interface Order {
  readonly name: string;
  readonly lockedBy: string;
  readonly leaseMs: number;
  readonly tickMs?: number;
  /** A time that the trigger names and nobody can read. */
  readonly unreadableTick?: string;
  readonly scheduleArn?: string;
  readonly attempt?: number;
  /** The monotonic instant at which the platform ends the run. */
  readonly deadlineMono?: number;
  /** The monotonic instant at which the run must be over. @default deadlineMono */
  readonly runUntilMono?: number;
  /** Aborts when the process is told to end. */
  readonly shutdown?: Signal;
}

/** The time until the platform ends the run; infinite where it does not. */
export function remainingMs({ deadlineMono = Number.POSITIVE_INFINITY }: Order, clock: Clock): number {
  return deadlineMono - clock.monotonic();
}
