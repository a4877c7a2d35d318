import type { LockAdminStore, LockStore } from 'single-execution';
import type { MemberStore } from '../../src/core/ports/member-store.js';
import type { Host } from './host.js';

/** The one lock of a world. */
export const LOCK = 'job';

/** A lock's record as it is stored. */
export type Item = Readonly<Record<string, unknown>>;

/** What a write that was applied did to the record of the lock. */
export interface Applied {
  readonly host: Host;
  readonly before: Item | undefined;
  readonly after: Item;
  /** The attempt that the request names. */
  readonly by: unknown;
  /** A copy that the network made of a request. */
  readonly isCopy: boolean;
}

/** A real engine's rules behind a simulated network, and the library's own stores on the hosts before it. */
export interface LockServer {
  storeOf(host: Host): LockStore & MemberStore;
  adminOf(host: Host): LockAdminStore;
  item(): Item | undefined;
}
