import type { StoreCall } from '../ports/lock-store.js';
import { jittered, type Signal, type Timer } from '../values/clock.js';
import { readThrownText } from '../values/thrown.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** A store's judgement of a failed try. */
export interface TryFailure {
  /** Whether the server may have applied the request. */
  readonly ambiguous: boolean;
  /** Whether the same request may succeed later. */
  readonly retry: boolean;
}

/** How a call ended, and whether a try without an answer may have been applied, or may still be. */
export type Answer<T, E = unknown> =
  | { readonly value: T; readonly ambiguous: boolean }
  | { readonly error: E; readonly ambiguous: boolean };

/** Returns the value of a call that was answered. @throws the error of a call that failed */
export function answered<T>(answer: Answer<T>): T {
  if ('error' in answer) throw answer.error;
  return answer.value;
}

/**
 * Sends the same request until a try is answered, a try fails for good, or the budget is spent. A failure is followed
 * by a pause that grows, with full jitter. A try without an answer for `tryMs` is not given up, because it may still be
 * setting up its connection: the next try is sent beside it, and the first answer counts. At the end of the call
 * pending tries are aborted; a try whose client ignores the abort is left behind. If the last try stays silent, the call
 * ends with the failure of the try before, which says more.
 */
export async function tryUntilAnswered<T>(
  call: StoreCall,
  send: (signal: Signal) => Promise<T>,
  classify: (error: unknown) => TryFailure,
): Promise<Answer<T>> {
  const { clock, signal } = call;
  const endMono = clock.monotonic() + call.budgetMs;
  const pending = new Set<AbortController>();
  let tries = 0;
  let ambiguous = false;
  let failure: { readonly error: unknown } | undefined;
  let timer: Timer | undefined;

  return new Promise((resolve) => {
    const end = (how: { readonly value: T } | { readonly error: unknown }) => {
      timer?.cancel();
      signal.removeEventListener('abort', onAbort);
      resolve({ ...how, ambiguous: ambiguous || pending.size > 0 });
      const givenUp = [...pending];
      pending.clear();
      for (const controller of givenUp) controller.abort();
    };
    const onAbort = () => end({ error: new Unanswered('aborted before an answer came') });
    const onSilence = () =>
      end(failure ?? { error: new Unanswered(`no answer within ${Math.round(call.budgetMs)} ms`) });

    const sendNext = () => {
      const controller = new AbortController();
      pending.add(controller);
      tries++;
      // A try that settles after the end of the call changes nothing.
      (async () => send(controller.signal))().then(
        (value) => pending.delete(controller) && end({ value }),
        (error) => pending.delete(controller) && failed(error),
      );
      sendAfter(call.tryMs);
    };
    const failed = (error: unknown) => {
      const judged = classify(error);
      ambiguous ||= judged.ambiguous;
      if (!judged.retry) return end({ error });
      failure = { error };
      return sendAfter(jittered(0, Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1))), error);
    };
    /**
     * Sends the next try in `ms`. If the budget ends first, no further try is sent, and pending tries are waited for.
     */
    const sendAfter = (ms: number, error?: unknown) => {
      timer?.cancel();
      const leftMs = endMono - clock.monotonic();
      if (ms < leftMs) timer = clock.setTimer(sendNext, ms);
      else if (pending.size === 0) end({ error });
      else timer = clock.setTimer(onSilence, Math.max(1, leftMs));
    };

    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort);
    return sendNext();
  });
}

/** The error of a call in which no try got an answer before the call had to end. */
class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

const UNSENT = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/;
/** Matches a network error on an open connection: the request may have been sent before the host became unreachable. */
const ON_A_CONNECTION = /\b(read|write)/;

/** Whether a network error proves that the request was never sent, by the system's code or a client's message. */
export function isUnsent(error: unknown): boolean {
  const text = (field: 'code' | 'message' | 'syscall') => readThrownText(error, field);
  return (
    UNSENT.test(`${text('code')} ${text('message')}`) && !ON_A_CONNECTION.test(`${text('syscall')} ${text('message')}`)
  );
}
