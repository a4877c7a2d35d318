import type { LockAdminStore } from '../../core/ports/lock-admin-store.js';
import type { LockStore, StoreCall } from '../../core/ports/lock-store.js';
import { LockStoreError } from '../../core/public/errors.js';
import { formatDuration } from '../../core/values/duration.js';
import { readThrown, readThrownText } from '../../core/values/thrown.js';

/** How long a command waits for an answer. With the start of the program it is less than 5 s. */
export const PATIENCE_MS = 4_000;
/** An acquire without an answer is followed by a cancel, which may take half as long. */
const ACQUIRE_MS = 2_600;
const TRY_MS = 1_300;

/** The place of a store, for people, without a password. */
export interface StorePlace {
  /** Such as `Redis at 127.0.0.1:6379`. */
  words(): string;
  /** The system's words about the connection, if it is broken. */
  problem?(): string | undefined;
  /** The remedy if there is no answer. */
  readonly remedy: string;
}

interface Stores {
  readonly store: LockStore;
  readonly admin: LockAdminStore;
}

/** Wraps stores for a person who waits: they give up in time, and their errors name the place and the cause. */
export function storesInReach(place: StorePlace, { store, admin }: Stores): Stores {
  const ask = <T>(send: (call: StoreCall) => Promise<T>, call: StoreCall) =>
    placed(place, PATIENCE_MS, send({ ...call, tryMs: TRY_MS, budgetMs: PATIENCE_MS }));
  const hold = <T>(answer: Promise<T>) => placed(place, undefined, answer);
  return {
    store: {
      acquire: (claim, call) => {
        const budgetMs = Math.min(ACQUIRE_MS, call.budgetMs);
        return placed(place, budgetMs, store.acquire(claim, { ...call, budgetMs }));
      },
      extend: (...asked) => hold(store.extend(...asked)),
      mark: (...asked) => hold(store.mark(...asked)),
      release: (...asked) => hold(store.release(...asked)),
    },
    admin: {
      list: (call) => ask((own) => admin.list(own), call),
      get: (name, call) => ask((own) => admin.get(name, own), call),
      forceRelease: (force, call) => ask((own) => admin.forceRelease(force, own), call),
      pause: (name, pause, call) => ask((own) => admin.pause(name, pause, own), call),
      resume: (name, call) => ask((own) => admin.resume(name, own), call),
      delete: (deletion, call) => ask((own) => admin.delete(deletion, own), call),
      listTicks: (listing, call) => ask((own) => admin.listTicks(listing, own), call),
    },
  };
}

/** @param waitedMs how long the call waited for an answer, if known */
async function placed<T>(place: StorePlace, waitedMs: number | undefined, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof LockStoreError)) throw error;
    const why = error.code === 'KEY_SCHEMA' ? OTHER_KEY : absenceOf(place, error, waitedMs);
    if (why === undefined) throw error;
    const { code, lockName, operation, retryable, cause } = error;
    const what = operation === 'list' ? 'list' : `${operation} of lock "${lockName}"`;
    throw new LockStoreError(`${what} failed: ${why}`, { code, lockName, operation, retryable, cause });
  }
}

const OTHER_KEY =
  'the table has another key: give its --partition-key and, if it has one, its --sort-key, both of type S; single-execution doctor shows them';

/** Why a store cannot be reached; undefined for an error of a store that answered. */
function absenceOf(place: StorePlace, { code, cause }: LockStoreError, waitedMs: number | undefined) {
  if (code !== 'UNAVAILABLE' && code !== 'UNSETTLED') return undefined;
  const isSilence = readThrownText(cause, 'name') === 'Unanswered';
  const silence = waitedMs === undefined ? 'no answer in time' : silenceWords(waitedMs);
  const why = systemWords(cause) ?? place.problem?.() ?? (isSilence ? silence : undefined);
  return why === undefined ? undefined : noAnswer(place, why);
}

export const silenceWords = (waitedMs: number): string => `no answer within ${formatDuration(waitedMs)}`;

export const noAnswer = (place: StorePlace, why: string): string =>
  `${place.words()} did not answer: ${why}; ${place.remedy}`;

/**
 * The system's words about a connection, with the address; undefined for any other error, because clients' messages may
 * contain secrets.
 */
export function systemWords(error: unknown): string | undefined {
  // A host with several addresses has an error for each.
  const errors = readThrown(error, 'errors');
  if (Array.isArray(errors)) return errors.map(systemWords).filter(Boolean).join(', ') || undefined;
  return /^E[A-Z_]+$/.test(readThrownText(error, 'code')) ? readThrownText(error, 'message') : undefined;
}
