import type { MemoryStore } from 'single-execution/memory';
import type { ManualClock, RecordingObserver } from 'single-execution/testing';
import { type MemoryLocks, memoryLocks } from './memory-locks.js';

export interface WrapperLocks extends Omit<MemoryLocks, 'options'> {
  /** Options for a wrapper of any platform: lock `digest`, for at most a minute. */
  readonly options: {
    readonly name: string;
    readonly store: MemoryStore;
    readonly lockAtMostFor: string;
    readonly clock: ManualClock;
    readonly observers: RecordingObserver[];
  };
}

/** Like `memoryLocks`, with options that every platform takes. */
export function wrapperLocks(): WrapperLocks {
  const { clock, store, observer, item } = memoryLocks();
  const options = { name: 'digest', store, lockAtMostFor: '1m', clock, observers: [observer] };
  return { clock, store, observer, item, options };
}
