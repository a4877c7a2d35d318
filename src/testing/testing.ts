export { lockStoreContract } from './contract/contract.js';
export type { ContractCase, ContractHarness, ContractNeed } from './contract/stage/case.js';
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
export { type LambdaContext, type LambdaContextOverrides, lambdaContext } from './lambda-context.js';
export { type ManualClock, manualClock } from './manual-clock.js';
export { type RecordingObserver, recordingObserver } from './recording-observer.js';
export {
  type RuleEvent,
  type ScheduledEventOptions,
  type SchedulerAttributesEvent,
  type SchedulerDefaultEvent,
  type SchedulerEventOptions,
  scheduledEvent,
  schedulerEvent,
} from './schedule-events.js';
