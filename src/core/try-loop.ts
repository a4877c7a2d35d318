import type { StoreCall } from './lock-store.js';
import { jittered, pause } from './pause.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** What a store says of a try that failed. */
export interface TryFailure {
  /** The server may have applied the request. */
  readonly ambiguous: boolean;
  /** Whether the same request may fare better. */
  readonly retry: boolean;
}

/** How a call ended, and whether one of its tries that went unanswered may have been applied. */
export type Answer<T> =
  | { readonly value: T; readonly ambiguous: boolean }
  | { readonly error: unknown; readonly ambiguous: boolean };

/**
 * Sends the same request until it is answered, cannot be mended, or the budget is spent. Each try has a time-out of
 * its own, kept by this loop because clients' own time-outs are not to be relied on. Pauses grow, with full jitter.
 */
export async function tryUntilAnswered<T>(
  call: StoreCall,
  send: (signal: AbortSignal) => Promise<T>,
  classify: (error: unknown) => TryFailure,
): Promise<Answer<T>> {
  const { clock, signal } = call;
  const end = clock.monotonic() + call.budgetMs;
  let ambiguous = false;
  for (let tries = 0; ; tries++) {
    if (signal.aborted) return { error: new Unanswered('aborted before it was sent'), ambiguous };
    try {
      const timeoutMs = Math.max(1, Math.min(call.tryMs, end - clock.monotonic()));
      return { value: await oneTry(send, timeoutMs, call), ambiguous };
    } catch (error) {
      const failure = error instanceof Unanswered ? { ambiguous: true, retry: !signal.aborted } : classify(error);
      ambiguous ||= failure.ambiguous;
      const pauseMs = jittered(0, Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries));
      if (!failure.retry || clock.monotonic() + pauseMs >= end) return { error, ambiguous };
      await pause(pauseMs, clock, signal);
    }
  }
}

/** A try that was given up before its answer came. */
class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

/** Settles at the time-out even when the client ignores its abort signal. */
function oneTry<T>(send: (signal: AbortSignal) => Promise<T>, timeoutMs: number, call: StoreCall): Promise<T> {
  const controller = new AbortController();
  let stopWaiting = () => {};
  const answered = new Promise<T>((resolve, reject) => {
    const giveUp = (why: string) => {
      reject(new Unanswered(why));
      controller.abort();
    };
    const onAbort = () => giveUp('aborted before an answer came');
    const timer = call.clock.setTimer(() => giveUp(`no answer within ${Math.round(timeoutMs)} ms`), timeoutMs);
    call.signal.addEventListener('abort', onAbort);
    stopWaiting = () => {
      timer.cancel();
      call.signal.removeEventListener('abort', onAbort);
    };
    send(controller.signal).then(resolve, reject);
  });
  return answered.finally(stopWaiting);
}
