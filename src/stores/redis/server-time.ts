import type { Clock } from '../../core/values/clock.js';

/*
 * The server's clock, as the answers to one client have reported it. A grant and an extension carry the server's instant at
 * which their call ends, and the script refuses to apply them from then on. So a request that a client or a proxy has
 * kept back takes nothing once its call is over.
 *
 * Promises: the instant is never later than the end of the call, as long as the server's clock does not step back, and
 * apart from the drift of the monotonic clock since the last answer. The wall clock is not asked: if it is set forward,
 * the instant would be too late, and nobody would notice. A monotonic clock that stood still makes the instant too
 * early. Then the script answers `late` with the server's time, and is asked again: that costs one request.
 */

/** The server's time in an answer, and the monotonic instant at which the answer was received. */
interface Reading {
  readonly serverMs: number;
  readonly receivedMono: number;
}

/** The latest reading for each clock of a caller. */
export type ServerTimes = WeakMap<Clock, Reading>;

/** Takes note of the server's time in an answer that has just been received. */
export function noteServerTime(times: ServerTimes, clock: Clock, serverMs: number): void {
  times.set(clock, { serverMs, receivedMono: clock.monotonic() });
}

/**
 * Returns the server's time at a monotonic instant of the caller, in epoch milliseconds, or an earlier time; undefined
 * before the first answer.
 */
export function serverTimeAt(times: ServerTimes, clock: Clock, mono: number): number | undefined {
  const reading = times.get(clock);
  return reading && Math.floor(reading.serverMs + (mono - reading.receivedMono));
}
