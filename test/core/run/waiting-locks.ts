import type { ExecuteOptions, LockStore, RefusalReason } from 'single-execution';
import type { ManualClock, RecordingObserver } from 'single-execution/testing';
import { pass } from '../../support/clocks.js';
import { type MemoryLocks, memoryLocks } from '../../support/memory-locks.js';
import { scriptedStore } from '../../support/scripted-store.js';

export interface WaitingLocks extends Omit<MemoryLocks, 'options'> {
  /** Options of a run that waits for 20 s. */
  readonly options: ExecuteOptions;
  /** Options of a run that does not wait and has no observers. */
  readonly held: ExecuteOptions;
  readonly tries: { readonly at: number; readonly attemptId: string }[];
}

export function waitingLocks(): WaitingLocks {
  const locks = memoryLocks();
  const tries: { at: number; attemptId: string }[] = [];
  const store: LockStore = {
    ...locks.store,
    acquire(claim, call) {
      tries.push({ at: locks.clock.monotonic(), attemptId: claim.attemptId });
      return locks.store.acquire(claim, call);
    },
  };
  const held = { ...locks.options, observers: [] };
  return { ...locks, held, tries, options: { ...locks.options, store, wait: '20s' } };
}

export interface RefusingLocks {
  readonly clock: ManualClock;
  readonly observer: RecordingObserver;
  readonly options: ExecuteOptions;
  readonly asked: number[];
}

/** A store that refuses every acquire, `answerMs` after it was asked. */
export function refusingLocks(reason: RefusalReason, answerMs = 0): RefusingLocks {
  const { clock, options, observer } = memoryLocks();
  const asked: number[] = [];
  const store = scriptedStore({
    async acquire() {
      asked.push(clock.monotonic());
      if (answerMs > 0) await pass(clock, answerMs);
      return { status: 'refused', reason };
    },
  });
  return { clock, observer, asked, options: { ...options, store } };
}
