import type { StoreCall } from '../core/ports/lock-store.js';
import { CorruptLockError, failedWords, LockStoreError, type StoreOperation } from '../core/public/errors.js';
import type { Item } from '../core/record/lock-record.js';
import { type Answer, type TryFailure, tryUntilAnswered } from '../core/request/try-loop.js';
import { UnexpectedAnswer } from '../core/request/unexpected-answer.js';
import { type Sent, type Signal, sentNow } from '../core/values/clock.js';
import { errorName } from '../core/values/thrown.js';
import type { Decision, Found } from './decisions.js';
import { pacedRefusals } from './refusals.js';
import { type ListedRecord, readFound, readListed, readWritten, refused } from './storage-answer.js';
import type { Storage, StoredRecord } from './storage-port.js';

/** A request of a verb to a storage. */
export interface Request {
  readonly operation: StoreOperation;
  readonly name: string;
  readonly key: string;
}

/** The result of an operation, and the record on which it was decided. */
export interface Changed<T> {
  readonly result: T;
  readonly item: Item | undefined;
}

/** How a change ended; `sent` is when its first read was sent. */
export type ChangeAnswer<T> = Answer<Changed<T>, Error> & { readonly sent?: Sent | undefined };

/**
 * Reads a record, decides by it, and writes if the version of the record has not changed; starts again if somebody else
 * has written meanwhile. If no answer comes, the next try reads the record again and decides anew. `ambiguous`: a write
 * got no answer, and may have been applied or may still be. Any later write of the record changes the version, so that
 * the storage refuses the unanswered write.
 */
export async function change<Version, T>(
  storage: Storage<Version>,
  request: Request,
  call: StoreCall,
  decide: (found: Found) => Decision<T>,
): Promise<ChangeAnswer<T>> {
  const { clock } = call;
  const { clockResolutionMs = 1 } = storage;
  // A millisecond is less than the margin by which every holder stops early.
  const laterMs = clockResolutionMs > 1 ? clockResolutionMs : 0;
  const endMono = clock.monotonic() + call.budgetMs;
  let sent: Sent | undefined;
  let unanswered = 0;

  const write = async (record: Item, version: Version | undefined, signal: Signal, notAfterMs?: number) => {
    unanswered++;
    try {
      const wrote = readWritten(await storage.write(request.key, record as StoredRecord, version, signal, notAfterMs));
      unanswered--;
      return wrote;
    } catch (error) {
      if (isRefused(error) || storage.isUnsent?.(error) === true) unanswered--;
      throw new StorageFailure(error);
    }
  };
  const send = async (signal: Signal) => {
    sent ??= sentNow(clock);
    const refusals = pacedRefusals(endMono, call);
    for (;;) {
      const sentWall = clock.now();
      const {
        record: item,
        version,
        nowMs,
      } = await asked(async () => readFound(await storage.read(request.key, signal)));
      // A read that is answered after its call has ended must not lead to a write: the run may be over.
      signal.throwIfAborted();
      const bounds = { minMs: nowMs - clock.now(), maxMs: nowMs + clockResolutionMs - sentWall };
      const { result, write: record, isForNow } = decide({ item, nowMs, laterMs, clock: bounds, sent });
      if (record === undefined) return { result, item };
      // The storage reported its time before this instant, so its clock passes `notAfterMs` before the call ends.
      const notAfterMs = isForNow === true ? Math.floor(nowMs + endMono - clock.monotonic()) : undefined;
      if (await write(record, version, signal, notAfterMs)) return { result, item };
      signal.throwIfAborted();
      await asked(() => refusals.pauseAfter({ item, version }, signal));
      signal.throwIfAborted();
    }
  };

  const answer = await tryUntilAnswered(call, send, classify);
  const ambiguous = unanswered > 0;
  return 'error' in answer
    ? { error: failureOf(answer.error, request), ambiguous, sent }
    : { value: answer.value, ambiguous, sent };
}

/** Lists every record under a prefix. @throws LockStoreError */
export async function listAll<Version>(
  storage: Storage<Version>,
  prefix: string,
  call: StoreCall,
): Promise<readonly ListedRecord[]> {
  const request: Request = { operation: 'list', name: '*', key: prefix };
  const answer = await tryUntilAnswered(
    call,
    (signal) => asked(async () => readListed(await (storage.list?.(prefix, signal) ?? refuseList()))),
    classify,
  );
  if ('error' in answer) throw failureOf(answer.error, request);
  return answer.value;
}

/** Wraps an error of the storage or of its client. */
class StorageFailure extends Error {
  override readonly name = 'StorageFailure';
  readonly error: unknown;

  constructor(error: unknown) {
    super();
    this.error = error;
  }
}

async function asked<A>(ask: () => Promise<A>): Promise<A> {
  try {
    return await ask();
  } catch (error) {
    throw new StorageFailure(error);
  }
}

/** Whether the storage itself says that another try does not help. */
function isRefused(error: unknown): error is LockStoreError {
  return error instanceof LockStoreError && !error.retryable;
}

/**
 * Judges an error. Only an error of the storage is tried again; an error of the decision is final. `ambiguous` is
 * always false here, because `change` counts the unanswered writes itself.
 */
function classify(error: unknown): TryFailure {
  const isFinal = (cause: unknown) => isRefused(cause) || cause instanceof UnexpectedAnswer;
  return { ambiguous: false, retry: error instanceof StorageFailure && !isFinal(error.error) };
}

/** Makes the error that callers see. Its message has the action, the lock, the problem and the remedy. */
function failureOf(error: unknown, { operation, name }: Request): Error {
  if (error instanceof CorruptLockError || error instanceof LockStoreError) return error;
  const cause = error instanceof StorageFailure ? error.error : error;
  const known = cause instanceof UnexpectedAnswer ? refused(cause.message) : cause;
  const isKnown = known instanceof LockStoreError;
  const why =
    errorName(cause) === 'Unanswered'
      ? 'the storage did not answer in time: check its address and the network'
      : `the storage did not answer (${errorName(cause)}); see the cause, and try again`;
  return new LockStoreError(`${failedWords(operation, name)}${isKnown ? known.message : why}`, {
    code: isKnown ? known.code : 'UNAVAILABLE',
    lockName: name,
    operation,
    retryable: isKnown ? known.retryable : true,
    cause: isKnown ? known.cause : cause,
  });
}

function refuseList(): never {
  throw refused('the storage has no function list; add one that finds all keys that begin with a prefix');
}
