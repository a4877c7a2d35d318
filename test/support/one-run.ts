import {
  type Claim,
  type ExecuteOptions,
  executeWithLock,
  type Lease,
  type LockStore,
  type Outcome,
  type StoreCall,
  type Task,
} from 'single-execution';
import { newAttemptId } from '../../src/core/values/names.js';
import { shiftedClock } from './clocks.js';
import { patientCall, storeCall } from './contract-harness.js';

/*
 * Arguments for the verbs of one run, for tests in which the details do not matter.
 */

/**
 * A call that sends nothing twice while an answer is awaited, and that gets its answer before its time is over.
 *
 * @param budgetMs the time of a call that ends sooner, with tries of a second. @default a minute for each try
 */
export const call = (budgetMs?: number): StoreCall =>
  budgetMs === undefined ? patientCall(shiftedClock(0)) : { ...storeCall(shiftedClock(0)), budgetMs };

export const claim = (more: Partial<Claim> = {}): Claim => ({
  name: 'digest',
  attemptId: newAttemptId(),
  leaseMs: 60_000,
  lockedBy: 'test',
  markTickAtStart: false,
  ...more,
});

export const done = { result: 'succeeded', lockAtLeastForMs: 0, markTickDone: true, durationMs: 1 } as const;

export async function grant(store: LockStore, asked: Claim = claim(), by: StoreCall = call()): Promise<Lease> {
  const result = await store.acquire(asked, by);
  if (result.status !== 'acquired') throw new Error(`refused: ${result.reason}`);
  return result.lease;
}

/** Runs a task under a lock of this store, for at most a minute. */
export const runOn = <T>(store: LockStore, task: Task<T>, more: Partial<ExecuteOptions> = {}): Promise<Outcome<T>> =>
  executeWithLock(task, { name: 'digest', store, lockAtMostFor: '1m', observers: [], ...more });
