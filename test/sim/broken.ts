import type { Clock, executeWithLock, LockAdminStore, LockStore } from 'single-execution';
import type { createLeaderElection } from 'single-execution/leader';
import type { Storage } from 'single-execution/store';
import type { MemberStore } from '../../src/core/ports/member-store.js';
import type { LockRecord } from '../../src/core/record/lock-record.js';
import { asUnseen, isSame } from '../support/bugs/record.js';
import type { Host } from './host.js';
import type { Item } from './lock-server.js';

export type Store = LockStore & MemberStore;
type Verbs = LockStore & LockAdminStore;
export type Verb = keyof Verbs;
export type Stored = LockRecord & { readonly barredAttempts?: string };

/** A request to the server, with what a bug may look at: the call that it belongs to. */
export interface Request<V extends Verb = Verb> {
  readonly verb: V;
  readonly asked: Parameters<Verbs[V]>;
  readonly host: Host;
  /** The host's monotonic clock when the call was made. */
  readonly begunMono: number;
  /** How many failures and refusals the client has received for the requests of this call. */
  readonly heard: { failures: number; refusals: number };
}

/** Where a call to a store is made: its host, and the world around it. */
export interface Place {
  readonly host: Host;
  item(): Stored;
  /** True time. */
  now(): number;
  /** Runs a callback after `ms` of true time, even if the host crashes. */
  after(ms: number, happen: () => void): void;
}

/** What a bug breaks in a world, outside of the library. What a bug does not name works correctly. */
export interface Breaks {
  /** Gives the server a changed record for a request. */
  readonly sees?: (record: Stored, request: Request) => Stored;
  /** Changes the record that a request has written. */
  readonly leaves?: (record: Stored, before: Stored, request: Request) => Stored;
  /** Changes a script on its way to Redis. */
  readonly script?: (text: string) => string;
  /** Whether a write to DynamoDB is dropped: it is not sent, and its sender is told that it was applied. */
  readonly drops?: (update: string, request: Request) => boolean;
  /** Sends an answered request once more, this many milliseconds later. */
  readonly echoMs?: number;
  /** How many milliseconds the Date headers of refusals are ahead. */
  readonly dateMs?: number;
  /** Changes the database below a store that compares and swaps. */
  readonly storage?: (storage: Storage<number>, request: Request) => Storage<number>;
  readonly store?: (store: Store, place: Place) => Store;
  readonly admin?: (admin: LockAdminStore) => LockAdminStore;
  readonly clock?: (clock: Clock) => Clock;
  readonly execute?: (execute: typeof executeWithLock) => typeof executeWithLock;
  readonly elect?: (elect: typeof createLeaderElection) => typeof createLeaderElection;
}

/** Serves a request as a server with a bug does. */
export function serveBroken<T>(
  { sees, leaves }: Breaks,
  request: Request,
  record: { get(): Item | undefined; set(item: Item): void },
  serve: () => T,
): T {
  const before = record.get();
  const seen = before && sees ? (sees(before as Stored, request) as Item) : before;
  if (seen && seen !== before) record.set(seen);
  try {
    return serve();
  } finally {
    const written = record.get() ?? {};
    const after = before && seen && seen !== before ? asUnseen(before, seen, written) : written;
    const left =
      leaves && !isSame(before ?? {}, after)
        ? (leaves(after as Stored, (before ?? {}) as Stored, request) as Item)
        : after;
    if (left !== written) record.set(left);
  }
}

/** Counts the failures and refusals that the client receives. It delays no promise, so a seed keeps its world. */
export function heardOf<T>(
  request: Request | undefined,
  answer: Promise<T>,
  isRefusal: (answer: T) => boolean,
): Promise<T> {
  answer.then(
    (told) => {
      if (request && isRefusal(told)) request.heard.refusals++;
    },
    (error: Error) => {
      if (request && error.name !== 'AbortError') request.heard.failures++;
    },
  );
  return answer;
}

/** Makes a store. If the server has a bug, each call of the store has a client of its own. */
export function breakableStore<S extends object>(
  { sees, leaves, drops }: Breaks,
  host: Host,
  storeOf: (request?: Request) => S,
): S {
  return sees || leaves || drops ? storeOfEachCall(host, storeOf) : storeOf();
}

/** Makes a store in which each call has a client of its own. The client knows the call. */
export function storeOfEachCall<S extends object>(host: Host, storeOf: (request: Request) => S): S {
  const requestOf = (verb: string, asked: readonly unknown[]) =>
    ({
      verb,
      asked,
      host,
      begunMono: host.clock.monotonic(),
      heard: { failures: 0, refusals: 0 },
    }) as unknown as Request;
  const verbs = Object.keys(storeOf(requestOf('get', []))).map((verb) => [
    verb,
    (...asked: unknown[]) =>
      (storeOf(requestOf(verb, asked)) as Record<string, (...asked: unknown[]) => unknown>)[verb]?.(...asked),
  ]);
  return Object.fromEntries(verbs) as S;
}
