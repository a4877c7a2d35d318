import type { LockEvent, Observer } from '../core/public/events.js';

export { lockStoreContract } from './contract/contract.js';
export type { ContractCase, ContractNeed } from './contract/stage/case.js';
export type { ContractHarness } from './contract/stage/harness.js';
export type { FakeItem } from './fake-dynamodb/attribute-value.js';
export {
  type DocumentClientMock,
  type FakeLockTable,
  type FakeLockTableOptions,
  fakeLockTable,
} from './fake-dynamodb/fake-lock-table.js';
export {
  type Fault,
  type FaultPlan,
  type FaultyStore,
  faultyStore,
  type RecordedCall,
  type Verb,
} from './faulty-store.js';
export {
  type LambdaContext,
  type LambdaContextOverrides,
  lambdaContext,
  type RuleEvent,
  type ScheduledEventOptions,
  type SchedulerAttributesEvent,
  type SchedulerDefaultEvent,
  type SchedulerEventOptions,
  scheduledEvent,
  schedulerEvent,
} from './lambda-invocation.js';
export { type ManualClock, manualClock } from './manual-clock.js';

/** An observer that keeps all events, oldest first. */
export interface RecordingObserver extends Observer {
  /** All events so far, oldest first. */
  readonly events: readonly LockEvent[];
  /** Returns the types of all events, in order. */
  types(): LockEvent['type'][];
}

/**
 * Makes an observer that keeps every event, for tests that check them.
 *
 * @example
 * ```ts
 * import { executeWithLock } from 'single-execution';
 * import { memoryStore } from 'single-execution/memory';
 * import { recordingObserver } from 'single-execution/testing';
 *
 * const observer = recordingObserver();
 * const options = { name: 'update', store: memoryStore(), lockAtMostFor: '1m', observers: [observer] };
 * await executeWithLock(() => 'done', options);
 * console.log(observer.types()); // → attempted, acquired, started, released, finished
 * ```
 */
export function recordingObserver(): RecordingObserver {
  const events: LockEvent[] = [];
  const observer = (event: LockEvent) => {
    events.push(event);
  };
  return Object.assign(observer, { events, types: () => events.map(({ type }) => type) });
}
