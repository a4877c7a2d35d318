import type { ExecuteOptions, LockStore } from 'single-execution';
import { type FaultPlan, type FaultyStore, faultyStore } from 'single-execution/testing';
import { type MemoryLocks, memoryLocks } from './memory-locks.js';

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
