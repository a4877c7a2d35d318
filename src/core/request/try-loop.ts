import type { StoreCall } from '../ports/lock-store.js';
import { readThrownText } from '../public/errors.js';
import { jittered, type Timer } from '../values/clock.js';
import type { Signal } from '../values/signal.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** What a store says of a try that failed. */
export interface TryFailure {
  /** The server may have applied the request. */
  readonly ambiguous: boolean;
  /** Whether the same request may fare better. */
  readonly retry: boolean;
}

/** How a call ended, and whether one of its tries without an answer may have been applied, or may yet be. */
export type Answer<T, E = unknown> =
  | { readonly value: T; readonly ambiguous: boolean }
  | { readonly error: E; readonly ambiguous: boolean };

/** What a call was answered. @throws the error of a call that failed */
export function answered<T>(answer: Answer<T>): T {
  if ('error' in answer) throw answer.error;
  return answer.value;
}

/**
 * Sends the same request until a try is answered, fails for good, or the budget is spent. A failure is followed by a
 * pause that grows, with full jitter. A try that stays silent for `tryMs` is not given up, because that would throw
 * away the connection which it may still be setting up: the next try is sent beside it, and the first answer counts.
 * What is pending when the call ends is aborted, and left behind where the client ignores that.
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
    const giveUp = (why: string) => end({ error: new Unanswered(why) });
    const onAbort = () => giveUp('aborted before an answer came');
    const onSilence = () => giveUp(`no answer within ${Math.round(call.budgetMs)} ms`);

    const sendNext = () => {
      const controller = new AbortController();
      pending.add(controller);
      tries++;
      // A try that settles after the call has ended is pending no more, and changes nothing.
      (async () => send(controller.signal))().then(
        (value) => pending.delete(controller) && end({ value }),
        (error) => pending.delete(controller) && failed(error),
      );
      sendAfter(call.tryMs);
    };
    const failed = (error: unknown) => {
      const failure = classify(error);
      ambiguous ||= failure.ambiguous;
      if (!failure.retry) return end({ error });
      return sendAfter(jittered(0, Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1))), error);
    };
    /** Where the budget ends before that, only what is pending can still be answered. */
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

/** No try was answered before the call had to end. */
class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

const UNSENT = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/;
/** A host can become unreachable while an answer is waited for. */
const ON_A_CONNECTION = /\b(read|write)/;

/** Whether a network error says that the request never left, by the system's code or a client's message. */
export function isUnsent(error: unknown): boolean {
  const text = (field: 'code' | 'message' | 'syscall') => readThrownText(error, field);
  return (
    UNSENT.test(`${text('code')} ${text('message')}`) && !ON_A_CONNECTION.test(`${text('syscall')} ${text('message')}`)
  );
}
