import type { StoreCall } from '../../core/ports/lock-store.js';
import { CorruptLockError, failedWords, LockStoreError, type StoreOperation } from '../../core/public/errors.js';
import { endedAttempt } from '../../core/request/attempt.js';
import { type TryFailure, tryUntilAnswered } from '../../core/request/try-loop.js';
import { UnexpectedAnswer } from '../../core/request/unexpected-answer.js';
import { type Sent, type Signal, sentNow } from '../../core/values/clock.js';
import { errorName, readThrown, readThrownText } from '../../core/values/thrown.js';
import { type Asked, decide, operationOf, type Result, type Verb } from '../decisions.js';
import type { ChangeAnswer } from '../storage-change.js';
import type { IndexRequest, LockRequest } from './lock-object.js';
import {
  type LockAnswer,
  OtherVersion,
  PROTOCOL,
  readAdded,
  readLockAnswer,
  readResult,
  unexpected,
} from './object-answer.js';

/** The binding of the class `LockObject`; `DurableObjectNamespace` of @cloudflare/workers-types fits. */
export interface LockNamespace {
  /** Makes the id of the object with a name. */
  idFromName(name: string): object;
  /** Makes a stub of an object. */
  get(id: object): {
    /** Sends a request to the object. */
    fetch(
      url: string,
      request: {
        /** The method of HTTP. */
        readonly method: string;
        /** The body. */
        readonly body: string;
      },
    ): Promise<{
      /** The status of HTTP. */
      readonly status: number;
      /** Reads the body. */
      text(): Promise<string>;
    }>;
  };
}

/** The name of the object that lists the names. No lock has it: the names of their objects begin with `LOCK`. */
const INDEX = 'index';
const LOCK = 'lock:';

/** A verb, and the lock that it is for. */
interface Order<V extends Verb> {
  readonly verb: V;
  readonly name: string;
  readonly key: string;
  readonly asked: Asked<V>;
}

/**
 * Sends a verb to the object of its lock. All tries ask for the same. `ambiguous`: a try got no answer, and may have
 * been applied or may still be; the object recognises what it has applied already.
 */
export async function sendVerb<V extends Verb>(
  namespace: LockNamespace,
  order: Order<V>,
  call: StoreCall,
): Promise<ChangeAnswer<Result<V>>> {
  const { verb, name, key, asked } = order;
  const { clock } = call;
  const endMono = clock.monotonic() + call.budgetMs;
  let sent: Sent | undefined;

  const send = async (signal: Signal) => {
    sent ??= sentNow(clock);
    // The first request goes by this host's clock. If that is behind, the object answers `late` and says its time.
    let at = { nowMs: clock.now(), mono: clock.monotonic() };
    let isListed = false;
    for (;;) {
      const untilMs = Math.floor(at.nowMs + endMono - at.mono);
      const sentWall = clock.now();
      const request: LockRequest = { verb, asked, sent, untilMs, isListed };
      const answer = readLockAnswer(await askObject(namespace, LOCK + key, request, signal));
      signal.throwIfAborted();
      const { word, nowMs, item } = answer;
      at = { nowMs, mono: clock.monotonic() };
      const clocks = { minMs: nowMs - clock.now(), maxMs: nowMs + 1 - sentWall };
      if (word === 'decided') return { result: withClock(readResult(verb, answer, asked, sent), clocks), item };
      if (word === 'ended') throw endedAttempt(name);
      if (word === 'failed') throw errorOf(order, answer, sent);
      if (word === 'unlisted') {
        if (isListed) throw unexpected(answer);
        readAdded(await askIndex(namespace, { add: key }, signal));
        signal.throwIfAborted();
        isListed = true;
      }
    }
  };

  const { ambiguous, ...answer } = await tryUntilAnswered(call, send, classify);
  const ended = { ambiguous, sent };
  return 'error' in answer
    ? { ...ended, error: failureOf(answer.error, operationOf(verb), name) }
    : { ...ended, value: answer.value };
}

/** Asks the object that lists the names. @returns its answer as text */
export function askIndex(namespace: LockNamespace, request: IndexRequest, signal: Signal): Promise<string> {
  return askObject(namespace, INDEX, request, signal);
}

/** Makes a new stub for each request, because a stub may stay broken after an error. */
async function askObject(
  namespace: LockNamespace,
  name: string,
  request: LockRequest | IndexRequest,
  signal: Signal,
): Promise<string> {
  const stub = namespace.get(namespace.idFromName(name));
  // The type of `fetch` does not have the signal: each project may have another type of signals.
  const init = { method: 'POST', body: JSON.stringify({ protocol: PROTOCOL, ...request }), signal };
  // The platform wants a whole URL. It goes nowhere.
  const response = await stub.fetch('https://lock.object/', init);
  return response.text();
}

/** Puts the bounds of this host's clock into a result that has some. */
function withClock<T>(result: T, clock: { readonly minMs: number; readonly maxMs: number }): T {
  return typeof result === 'object' && result !== null && 'clock' in result ? { ...result, clock } : result;
}

/** Makes the error in which a decision ended, from the record that it was made on. */
function errorOf<V extends Verb>({ verb, asked }: Order<V>, answer: LockAnswer, sent: Sent): unknown {
  const { item, nowMs } = answer;
  try {
    decide(verb, asked, { item, nowMs, laterMs: 0, sent, clock: { minMs: 0, maxMs: 0 } });
  } catch (error) {
    return error;
  }
  return unexpected(answer);
}

/** What the platform says about a class that cannot be a `LockObject`. */
const WRONG_CLASS = /does not export a fetch/;

/** Judges an error. An error of the platform never proves that the object has not applied the request. */
export function classify(error: unknown): TryFailure {
  const isDecided = error instanceof CorruptLockError || error instanceof LockStoreError;
  const isFinal = isDecided || error instanceof UnexpectedAnswer || WRONG_CLASS.test(readThrownText(error, 'message'));
  return { ambiguous: !(isDecided || error instanceof OtherVersion), retry: !isFinal };
}

/** Makes the error that callers see. */
export function failureOf(error: unknown, operation: StoreOperation, name: string): Error {
  if (error instanceof CorruptLockError || error instanceof LockStoreError) return error;
  const isFinal = !classify(error).retry;
  const why = error instanceof UnexpectedAnswer ? error.message : isFinal ? NO_LOCK_OBJECT : problemOf(error);
  return new LockStoreError(`${failedWords(operation, name)}${why}`, {
    code: isFinal ? 'INVALID_REQUEST' : 'UNAVAILABLE',
    lockName: name,
    operation,
    retryable: !isFinal || error instanceof OtherVersion,
    ...(error instanceof UnexpectedAnswer ? {} : { cause: error }),
  });
}

const NO_LOCK_OBJECT =
  'the bound class has no fetch, as LockObject has: bind the class LockObject, and export it from the Worker';

function problemOf(error: unknown): string {
  if (errorName(error) === 'Unanswered') return 'the object did not answer in time; try again';
  if (readThrown(error, 'overloaded') === true)
    return 'the object is overloaded: more calls ask for this lock at once than it can answer';
  return `the object did not answer (${errorName(error)}); see the cause, and try again`;
}
