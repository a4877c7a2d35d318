import type { StoreCall } from './lock-store.js';

/**
 * The second port of a store: what operators do. A separate object, so that the role of a function needs no right
 * beyond its conditional writes and its bundle carries no scan.
 */
export interface LockAdminStore {
  /** Every lock of this store, in no order. */
  list(call: StoreCall): Promise<StoredLock[]>;
  get(name: string, call: StoreCall): Promise<StoredLock | undefined>;
  /** One conditional write: `changed` when the lock is not held under that token any more. */
  forceRelease(force: ForceRelease, call: StoreCall): Promise<'forced' | 'changed'>;
  pause(name: string, pause: Pause, call: StoreCall): Promise<void>;
  resume(name: string, call: StoreCall): Promise<void>;
}

/** A lock as it is stored, unchecked. */
export interface StoredLock {
  readonly name: string;
  readonly item: Readonly<Record<string, unknown>>;
}

export interface ForceRelease {
  readonly name: string;
  /** Fresh random identity of this force release. */
  readonly adminId: string;
  /** Token and start of the grant to end, as they were seen. */
  readonly fencingToken: number;
  readonly lockedAtMs: number;
  readonly nowMs: number;
}

export interface Pause {
  readonly untilMs: number;
  /** For people: who paused. */
  readonly by: string;
}
