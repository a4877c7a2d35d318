import { type ExecuteOptions, executeWithLock, type LockStore } from 'single-execution';
import { type MemoryStore, memoryStore } from 'single-execution/memory';
import {
  type FaultPlan,
  type FaultyStore,
  faultyStore,
  type ManualClock,
  manualClock,
  type RecordingObserver,
  recordingObserver,
} from 'single-execution/testing';
import type { LockRecord } from '../../src/core/record/lock-record.js';
import { storeCall } from './contract-harness.js';
import { gate } from './gate.js';

export const NOW: number = Date.parse('2026-01-01T00:00:00Z');
export const MINUTE = 60_000;

export interface MemoryLocks {
  readonly clock: ManualClock;
  readonly store: MemoryStore;
  readonly observer: RecordingObserver;
  /** Options of a run or of a wrapper of any platform: lock `digest`, for at most a minute. */
  readonly options: {
    readonly name: string;
    readonly store: MemoryStore;
    readonly lockAtMostFor: string;
    readonly clock: ManualClock;
    readonly observers: RecordingObserver[];
  };
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

export interface KeptLocks extends Omit<MemoryLocks, 'options'> {
  /** Options of a run under lock `digest`. Its lease of one minute is renewed. */
  readonly options: ExecuteOptions;
  readonly faulty: FaultyStore;
  /** The monotonic instants at which an extension was asked for. The clock begins at 0. */
  readonly extendedAt: number[];
}

/** A store in memory with planned faults, a clock that stands still, and options with `keepAlive`. */
export function keptLocks(plan: FaultPlan = {}): KeptLocks {
  const locks = memoryLocks();
  const faulty = faultyStore(locks.store, plan);
  const extendedAt: number[] = [];
  const store: LockStore = {
    ...faulty,
    extend: (...args) => {
      extendedAt.push(locks.clock.monotonic());
      return faulty.extend(...args);
    },
  };
  return { ...locks, faulty, extendedAt, options: { ...locks.options, store, keepAlive: true } };
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
