import { warn } from '../core/observers/operator-log.js';
import { errorName, LockLostError } from '../core/public/errors.js';
import type { Execution } from '../core/public/execution.js';
import { watchedController } from '../core/run/lease-watch.js';
import type { Signal } from '../core/values/signal.js';

/** One term of one leader. */
export interface Leadership {
  /** The fencing token of the term: greater than every earlier one. Have what you write to refuse a smaller one. */
  readonly term: number;
  /**
   * Aborts when the term ends: with a `LockLostError` when the lead is lost, with a `DeadlineError` when the election
   * is stopped, or with what `onStarted` threw.
   */
  readonly signal: Signal;
  /** Throws a `LockLostError` unless this candidate still leads, judged by its clocks without a request. */
  assertLeader(): void;
}

/** What a leader does in its term. */
export interface TermWork {
  readonly onStarted: ((leadership: Leadership) => unknown) | undefined;
  readonly onStopped: ((leadership: Leadership) => unknown) | undefined;
}

/** The terms of one candidate, one after another. */
export interface Terms {
  /** Serves one term: a run under the election's lock, which is given back when this settles. */
  serve(execution: Execution): Promise<void>;
  /** The term that is being served; undefined once it is over, also while its work still has to end. */
  readonly current: Leadership | undefined;
}

export function termsOf(name: string, { onStarted, onStopped }: TermWork): Terms {
  let current: Leadership | undefined;
  return {
    get current() {
      return current;
    },
    async serve(execution) {
      const held = execution.signal;
      const term = termOf(held);
      const { signal } = term;
      const leadership = { term: execution.fencingToken, signal, assertLeader: execution.assertHeld };
      current = leadership;
      const work = (async () => onStarted?.(leadership))();
      // A term is over when its signal aborts, or when the work fails: what else it has started is then told so.
      await Promise.race([aborted(signal), work.then(() => aborted(signal)).catch((error) => term.abort(error))]);
      current = undefined;
      // The lead is given back when both have ended, whatever becomes of them.
      const ends = await Promise.allSettled([work, (async () => onStopped?.(leadership))()]);
      const failed = ends.find((end) => end.status === 'rejected' && !(held.aborted && isBecauseOf(held, end.reason)));
      if (failed?.status !== 'rejected') return;
      warn(`election "${name}": onStarted or onStopped failed, and the lead was given back`, {
        error: errorName(failed.reason),
      });
      throw failed.reason;
    },
  };
}

/** A term ends with its lock. Whoever asks the term's signal asks the lock's, which looks at the clocks. */
function termOf(held: AbortSignal): AbortController {
  const term = watchedController(() => held.aborted);
  held.addEventListener('abort', () => term.abort(held.reason), { once: true });
  if (held.aborted) term.abort(held.reason);
  return term;
}

/** Whether a term lasts: its signal looks at this host's clocks. */
export function isLeading(leadership: Leadership | undefined): boolean {
  return leadership !== undefined && !leadership.signal.aborted;
}

/** Whether a function ended because of its signal, which is no failure. */
function isBecauseOf({ aborted, reason }: AbortSignal, error: unknown): boolean {
  if (!aborted) return false;
  return error === reason || error instanceof LockLostError || (error instanceof Error && error.cause === reason);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
