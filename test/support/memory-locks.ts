import { type ExecuteOptions, executeWithLock } from 'single-execution';
import { type MemoryStore, memoryStore } from 'single-execution/memory';
import { type ManualClock, manualClock, type RecordingObserver, recordingObserver } from 'single-execution/testing';
import type { LockRecord } from '../../src/core/record/lock-record.js';
import { storeCall } from './contract-harness.js';
import { gate } from './gate.js';

export const NOW: number = Date.parse('2026-01-01T00:00:00Z');
export const MINUTE = 60_000;

export interface MemoryLocks {
  readonly clock: ManualClock;
  readonly store: MemoryStore;
  readonly observer: RecordingObserver;
  /** Options of a run under lock `digest`, for at most a minute. */
  readonly options: ExecuteOptions & { readonly store: MemoryStore };
  /** The record that is stored under `digest`. */
  item(): Promise<LockRecord>;
}

/** A store in memory and a clock that stands at {@link NOW}. */
export function memoryLocks(): MemoryLocks {
  const clock = manualClock(NOW);
  const store = memoryStore();
  const observer = recordingObserver();
  const options = { name: 'digest', store, lockAtMostFor: '1m', clock, observers: [observer] };
  const item = async () => ((await store.get('digest', storeCall(clock)))?.item ?? {}) as LockRecord;
  return { clock, store, observer, options, item };
}

/** Starts a run that never ends, like a run whose process was killed. */
export async function crash(options: ExecuteOptions): Promise<void> {
  const started = gate();
  void executeWithLock(() => {
    started.open();
    return new Promise(() => {});
  }, options);
  await started.opened;
}
