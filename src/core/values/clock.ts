import { checkMethods } from './checks.js';
import { atOnce } from './promised.js';

/**
 * The two clocks and the timer that this library uses. No other file of the library reads a clock or sets a timer, so a
 * test that passes its own `Clock` controls time completely.
 */
export interface Clock {
  /** Reads the wall clock, in epoch milliseconds. It may be wrong and may step. */
  now(): number;
  /**
   * Reads the monotonic clock, in milliseconds since any fixed instant. It never steps, but may stand still while a
   * host is suspended.
   */
  monotonic(): number;
  /** Calls `callback` once after `ms` milliseconds, unless cancelled. */
  setTimer(callback: () => void, ms: number): Timer;
}

/** A timer that is set. */
export interface Timer {
  /** Cancels the timer. Does nothing once the timer has fired. */
  cancel(): void;
  /** Lets the process end while the timer is pending, on platforms that can. */
  unref?(): void;
}

/** The clocks and timers of the platform. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(callback, ms) {
    const handle: unknown = setTimeout(callback, ms);
    return {
      cancel: () => clearTimeout(handle as Parameters<typeof clearTimeout>[0]),
      unref: () => (handle as { unref?(): void }).unref?.(),
    };
  },
};

/**
 * Checks a clock, and tries it unless it is the platform's own.
 *
 * @throws TypeError unless the value is a clock
 */
export function checkClock(value: unknown): Clock {
  checkMethods('clock', value, ['now', 'monotonic', 'setTimer'], 'pass { now, monotonic, setTimer }');
  const clock = value as Clock;
  if (clock !== systemClock) {
    const call = <F extends keyof Clock>(name: F, ...args: Parameters<Clock[F]>) =>
      atOnce((clock[name] as (...given: typeof args) => ReturnType<Clock[F]>)(...args), `clock.${name}`);
    call('now');
    call('monotonic');
    call('setTimer', () => {}, 0).cancel();
  }
  return clock;
}

/**
 * Both clocks, read just before a call's first request. The times of the grant that the call brings are counted from
 * this instant.
 */
export interface Sent {
  /** The wall clock, in epoch milliseconds. */
  readonly firstSentWall: number;
  /** The monotonic clock, in milliseconds. */
  readonly firstSentMono: number;
}

export function sentNow(clock: Clock): Sent {
  return { firstSentWall: Math.round(clock.now()), firstSentMono: clock.monotonic() };
}

/** Computes the wall time inside a grant: the wall clock at the first send, plus the monotonic time since then. */
export function wallInGrant(sent: Sent, monotonic: number): number {
  return Math.round(sent.firstSentWall + (monotonic - sent.firstSentMono));
}

/** Resolves after `ms` milliseconds, or as soon as the signal aborts. */
export function pause(ms: number, clock: Clock, signal: Signal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      timer.cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.setTimer(done, ms);
    signal?.addEventListener('abort', done);
  });
}

/**
 * Returns a random time between two limits, so that callers that wait at the same time do not all ask again at once.
 */
export function jittered(fromMs: number, toMs: number): number {
  return fromMs + Math.random() * (toMs - fromMs);
}

/**
 * The platform's `AbortSignal`. In a project without the types of the DOM and of Node, it is the part of an
 * `AbortSignal` that handlers use.
 */
export type Signal = typeof globalThis extends { readonly AbortSignal: { readonly prototype: infer Known } }
  ? Known
  : BareSignal;

/** The part of an `AbortSignal` that handlers use. */
interface BareSignal {
  /** Whether the run should end. */
  readonly aborted: boolean;
  /** Why the run should end: a `LockLostError` or a `RunEndedError`. */
  readonly reason: unknown;
  /** Throws the reason if the run should end. */
  throwIfAborted(): void;
  /** Calls a listener when the run should end. */
  addEventListener(
    type: 'abort',
    listener: () => void,
    options?: {
      /** Whether the listener is removed after its first call. */
      readonly once?: boolean;
    },
  ): void;
  /** Removes a listener. */
  removeEventListener(type: 'abort', listener: () => void): void;
}
