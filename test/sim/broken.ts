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

/** A request of a call to a store, as the server of a world with a bug knows it. */
export interface Request<V extends Verb = Verb> {
  readonly verb: V;
  readonly asked: Parameters<Verbs[V]>;
  readonly host: Host;
  /** What the client has heard of the requests of this call. */
  readonly heard: { failures: number; refusals: number };
}

/** A call to a store on a host. */
export interface Place {
  readonly host: Host;
  /** The record of the lock. */
  item(): Stored;
  /** True time. */
  now(): number;
  /** Lets something happen after so much true time, whatever becomes of the host. */
  after(ms: number, happen: () => void): void;
}

/** What a bug breaks in a world, from outside of the library; what it leaves out is sound. */
export interface Breaks {
  /** The server finds another record than there is. */
  readonly sees?: (record: Stored, request: Request) => Stored;
  /** A request that writes leaves another record. */
  readonly leaves?: (record: Stored, before: Stored, request: Request) => Stored;
  /** A write to DynamoDB that is not sent, and counts as applied. */
  readonly drops?: (update: string, request: Request) => boolean;
  /** A request that was answered is sent again, so many milliseconds later. */
  readonly echoMs?: number;
  /** Date headers of refusals are so far ahead. */
  readonly dateMs?: number;
  /** What a database does for a store that compares and swaps. */
  readonly storage?: (storage: Storage<number>, request: Request) => Storage<number>;
  readonly store?: (store: Store, place: Place) => Store;
  readonly admin?: (admin: LockAdminStore) => LockAdminStore;
  readonly clock?: (clock: Clock) => Clock;
  readonly execute?: (execute: typeof executeWithLock) => typeof executeWithLock;
  readonly elect?: (elect: typeof createLeaderElection) => typeof createLeaderElection;
}

/** Serves a request of a server that has a bug. */
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

/** Counts what the client hears of its requests. It changes no turn of a promise, so that a seed keeps its world. */
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

/** A store; where the server has a bug, one each call of which has a client of its own. */
export function breakableStore<S extends object>(
  { sees, leaves, drops }: Breaks,
  host: Host,
  storeOf: (request?: Request) => S,
): S {
  return sees || leaves || drops ? storeOfEachCall(host, storeOf) : storeOf();
}

/** A store each call of which has a client of its own, which knows the call. */
export function storeOfEachCall<S extends object>(host: Host, storeOf: (request: Request) => S): S {
  const requestOf = (verb: string, asked: readonly unknown[]) =>
    ({ verb, asked, host, heard: { failures: 0, refusals: 0 } }) as unknown as Request;
  const verbs = Object.keys(storeOf(requestOf('get', []))).map((verb) => [
    verb,
    (...asked: unknown[]) =>
      (storeOf(requestOf(verb, asked)) as Record<string, (...asked: unknown[]) => unknown>)[verb]?.(...asked),
  ]);
  return Object.fromEntries(verbs) as S;
}
