import { type Clock, type LockAdminStore, type LockStore, LockStoreError, type StoreCall } from '../../index.js';
import { failedWords, isLeftOut } from '../../operate/lock-summary.js';
import { failed, isWrongUse, wrongUse } from '../exit-code.js';

/** How long a command waits for an answer. With the start of the program it is less than 5 s. */
export const PATIENCE_MS = 4_000;
/** An acquire gets less time: if it is not answered, a cancel follows, which may take half of that time. */
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
  /** What is wrong with a table that has another key; absent if the store's errors say it in words of the tool. */
  readonly otherKey?: string;
}

interface Stores {
  readonly store: LockStore;
  readonly admin: LockAdminStore;
  /** Where the store is; absent if the store's errors say it. */
  readonly place?: StorePlace;
}

/**
 * Stores for a person who waits: the first verb opens them, they give up in time, and their errors name the place and
 * the cause.
 */
export function storesInReach(open: () => Promise<Stores>): Omit<Stores, 'place'> {
  const reach = async <T>(waitedMs: number | undefined, send: (stores: Stores) => Promise<T>): Promise<T> => {
    const stores = await open().catch((error: unknown) => {
      // A value that a store refuses comes from an option of the command line.
      throw isWrongUse(error) ? wrongUse((error as Error).message) : error;
    });
    try {
      return await send(stores);
    } catch (error) {
      throw stores.place ? placed(stores.place, waitedMs, error) : error;
    }
  };
  const hold = <T>(send: (store: LockStore) => Promise<T>) => reach(undefined, ({ store }) => send(store));
  const ask = <T>(call: StoreCall, send: (admin: LockAdminStore, own: StoreCall) => Promise<T>) =>
    reach(PATIENCE_MS, ({ admin }) => send(admin, { ...call, tryMs: TRY_MS, budgetMs: PATIENCE_MS }));
  return {
    store: {
      acquire: (claim, call) => {
        const budgetMs = Math.min(ACQUIRE_MS, call.budgetMs);
        return reach(budgetMs, ({ store }) => store.acquire(claim, { ...call, budgetMs }));
      },
      extend: (...asked) => hold((store) => store.extend(...asked)),
      mark: (...asked) => hold((store) => store.mark(...asked)),
      release: (...asked) => hold((store) => store.release(...asked)),
    },
    admin: {
      list: (call) => ask(call, (admin, own) => admin.list(own)),
      get: (name, call) => ask(call, (admin, own) => admin.get(name, own)),
      forceRelease: (force, call) => ask(call, (admin, own) => admin.forceRelease(force, own)),
      pause: (name, pause, call) => ask(call, (admin, own) => admin.pause(name, pause, own)),
      resume: (name, call) => ask(call, (admin, own) => admin.resume(name, own)),
      delete: (deletion, call) => ask(call, (admin, own) => admin.delete(deletion, own)),
      listTicks: (listing, call) => ask(call, (admin, own) => admin.listTicks(listing, own)),
    },
  };
}

/** @param waitedMs how long the call waited for an answer, if known */
function placed(place: StorePlace, waitedMs: number | undefined, error: unknown): unknown {
  if (!(error instanceof LockStoreError)) return error;
  const why = (error.code === 'KEY_SCHEMA' && place.otherKey) || absenceOf(place, error, waitedMs);
  if (why === undefined) return error;
  const { code, lockName, operation, retryable, cause } = error;
  return new LockStoreError(`${failedWords(operation, lockName)}${why}`, {
    code,
    lockName,
    operation,
    retryable,
    cause,
  });
}

/** Why a store cannot be reached; undefined for an error of a store that answered. */
function absenceOf(place: StorePlace, { code, cause }: LockStoreError, waitedMs: number | undefined) {
  if (code !== 'UNAVAILABLE' && code !== 'UNSETTLED') return undefined;
  const isSilence = nameOfThrown(cause) === 'Unanswered';
  const silence = waitedMs === undefined ? 'no answer in time' : silenceWords(waitedMs);
  const why = systemWords(cause) ?? place.problem?.() ?? (isSilence ? silence : undefined);
  return why === undefined ? undefined : noAnswer(place, why);
}

/** Why a table was not made, and the remedy. */
export function whyNotMade(error: Error, place?: StorePlace): string {
  const why = nameOfThrown(error) === 'ETIMEDOUT' ? error.message : systemWords(error.cause);
  return place && why !== undefined ? noAnswer(place, why) : error.message.replace('the table was not made: ', '');
}

/** A URL, and the option or the variable that has it. */
interface UrlOfStore {
  readonly kind: { readonly title: string; readonly option: string };
  readonly value: string;
  readonly variables: readonly string[];
}

/** The place of a server at a URL. */
export function placeAt({ kind: { title, option }, value, variables: [variable] }: UrlOfStore): StorePlace {
  const { host } = new URL(value);
  return {
    words: () => `${title}${host && ` at ${host}`}`,
    remedy: `start ${title}, or check ${variable ?? `--${option}`} and the network`,
  };
}

export const silenceWords = (waitedMs: number): string => `no answer within ${waitedMs / 1_000}s`;

/** @throws Error of code ETIMEDOUT if no answer comes in time; the request itself ends with its client */
export async function answeredInTime<T>(answer: PromiseLike<T>, clock: Clock, ms = PATIENCE_MS): Promise<T> {
  let cancel = () => {};
  const late = new Promise<never>((_, reject) => {
    const timer = clock.setTimer(() => reject(silence(ms)), ms);
    cancel = () => timer.cancel();
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    cancel();
  }
}

/**
 * Makes requests that wait for an answer together no longer than one may: as soon as one has got none, the others fail
 * at once.
 */
export function answeringInTime(clock: Clock): <T>(ask: () => PromiseLike<T>) => Promise<T> {
  let isSilent = false;
  return async (ask) => {
    if (isSilent) throw silence(PATIENCE_MS);
    try {
      return await answeredInTime(ask(), clock);
    } catch (error) {
      if (nameOfThrown(error) === 'ETIMEDOUT') isSilent = true;
      throw error;
    }
  };
}

const silence = (waitedMs: number) => Object.assign(new Error(silenceWords(waitedMs)), { code: 'ETIMEDOUT' });

export const noAnswer = (place: StorePlace, why: string): string =>
  `${place.words()} did not answer: ${why}; ${place.remedy}`;

/**
 * The system's words about a connection, with the address; undefined for any other error, because clients' messages may
 * contain secrets.
 */
export function systemWords(error: unknown): string | undefined {
  // A host with several addresses has an error for each.
  const { errors, code, message } = Object(error) as Partial<AggregateError & NodeJS.ErrnoException>;
  if (Array.isArray(errors)) return errors.map(systemWords).filter(Boolean).join(', ') || undefined;
  if (!/^E(?!R_)[A-Z_]+$/.test(String(code))) return undefined;
  return isLeftOut(error) ? code : message;
}

/**
 * The system's code or the name of a thrown value: its message may contain a secret. If an error of AWS has lost its
 * name, which happens in trees with several copies of the SDK's core, its code is in `__type` or is the whole message.
 */
export function nameOfThrown(error: unknown): string {
  const {
    code,
    name = 'Error',
    errstr,
    __type,
    message,
  } = Object(error) as Partial<NodeJS.ErrnoException & { errstr: unknown; __type: string }>;
  // node:sqlite has one code for all errors, and beside it SQLite's fixed words for the result code.
  if (code === 'ERR_SQLITE_ERROR' && typeof errstr === 'string') return errstr;
  if (typeof code === 'string') return code;
  const type = String(__type ?? message).replace(/^.*#/, '');
  return /^(Error|Unknown|\w*ServiceException)$/.test(name) && /^[A-Z]\w+$/.test(type) ? type : name;
}

/**
 * Loads an optional package.
 *
 * @param what the thing that needs it, for the error
 * @throws CliError if it is missing, with its name and how to install it
 */
export async function needing<T>(
  packages: readonly string[],
  load: () => Promise<T>,
  what: string = 'this store',
): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, packages)) throw error;
    throw failed(
      `${what} needs ${packages.join(' and ')}, which is not installed beside single-execution: npm install ${packages.join(' ')}`,
    );
  }
}

/**
 * Opens with the first of several packages that is installed.
 *
 * @param option the option that needs one of them, for the error
 * @throws CliError if all are missing
 */
export async function withInstalled<T>(option: string, ways: Readonly<Record<string, () => Promise<T>>>): Promise<T> {
  for (const [name, open] of Object.entries(ways)) {
    try {
      return await open();
    } catch (error) {
      if (!isMissing(error, [name])) throw error;
    }
  }
  const names = Object.keys(ways);
  throw failed(
    `--${option} needs ${names.join(' or ')}, and neither is installed beside single-execution: npm install ${names[0]}`,
  );
}

/** Whether an import failed because one of these packages is missing. */
export function isMissing(error: unknown, packages: readonly string[]): boolean {
  const { code, message = '' } = error as { readonly code?: unknown; readonly message?: string };
  return code === 'ERR_MODULE_NOT_FOUND' && packages.some((name) => message.includes(`'${name}'`));
}
