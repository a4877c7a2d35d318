export { type Handler, type Options, withSingleExecution } from './adapters/lambda.js';
export type { Context } from './adapters/lambda-context.js';
export type { Clock, Timer } from './core/clock.js';
export { assertLocked, currentExecution } from './core/current-execution.js';
export { type Duration, parseDuration } from './core/duration.js';
export {
  CorruptLockError,
  DeadlineError,
  LockHeldError,
  LockLostError,
  LockStoreError,
  type LockStoreErrorCode,
  type StoreOperation,
} from './core/errors.js';
export type { LockEvent, Observer } from './core/events.js';
export { type ExecuteOptions, executeWithLock } from './core/execute-with-lock.js';
export type { Execution } from './core/execution.js';
export type {
  DeleteResult,
  Deletion,
  ForceRelease,
  LockAdminStore,
  Pause,
  ResumeResult,
  StoredLock,
} from './core/lock-admin-store.js';
export { acquireLock, type HandleOptions, type LockHandle } from './core/lock-handle.js';
export type {
  AcquireResult,
  Claim,
  ClockBounds,
  Completion,
  ExtendResult,
  Granted,
  Holder,
  Lease,
  LockStore,
  PreviousRun,
  RefusalReason,
  Refused,
  ReleaseResult,
  StoreCall,
} from './core/lock-store.js';
export type { CheckIn, MemberList, MemberStore } from './core/member-store.js';
export {
  type Executed,
  isSkipped,
  type Outcome,
  type Previous,
  type ReleaseStatus,
  type Skipped,
  type SkippedHolder,
  type SkipReason,
} from './core/outcome.js';
export type { LockOptions } from './core/policy.js';
export type { Task } from './core/settle.js';
