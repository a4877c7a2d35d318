import type { LockAdminStore, LockStore } from 'single-execution';
import type { MemberStore } from '../../src/core/ports/member-store.js';
import type { Host } from './host.js';

/** The one lock of a world. */
export const LOCK = 'job';

/** The record of a lock, as it is stored. */
export type Item = Readonly<Record<string, unknown>>;

/** An applied write: the record of the lock before and after it. */
export interface Applied {
  readonly host: Host;
  readonly before: Item | undefined;
  readonly after: Item;
  /** The id of the attempt that the request names. */
  readonly by: unknown;
  /** Whether the request was a copy that the network made. */
  readonly isCopy: boolean;
  /** What was asked for, and when; only of a store whose requests tell the server when their call ends. */
  readonly asked?: Asked;
}

/** When the library handed a request to its client, and the word with which the server answers it. */
export interface Asked {
  readonly word: string;
  readonly atMs: number;
  /** Whether an answer had told the library the server's time by then. A process's first call does not know it. */
  readonly knowsTime: boolean;
}

/**
 * A lock server with the rules of a real database, behind a simulated network. The hosts use the library's own stores.
 */
export interface LockServer {
  storeOf(host: Host): LockStore & MemberStore;
  adminOf(host: Host): LockAdminStore;
  item(): Item | undefined;
}
