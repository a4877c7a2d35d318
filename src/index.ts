export { type Handler, type Options, withSingleExecution } from './adapters/lambda.js';
export type { Context } from './adapters/lambda-context.js';
export type { CatchUpOptions } from './core/options/catch-up.js';
export type { LockOptions } from './core/options/policy.js';
export type {
  DeleteResult,
  Deletion,
  ForceRelease,
  LockAdminStore,
  Pause,
  ResumeResult,
  StoredLock,
} from './core/ports/lock-admin-store.js';
export type {
  AcquireResult,
  Claim,
  ClockBounds,
  Completion,
  DoneTick,
  ExtendResult,
  Granted,
  Holder,
  Lease,
  LockStore,
  MarkResult,
  PreviousRun,
  RefusalReason,
  Refused,
  ReleaseResult,
  StoreCall,
} from './core/ports/lock-store.js';
export type { CheckIn, MemberList, MemberStore } from './core/ports/member-store.js';
export {
  CorruptLockError,
  LockHeldError,
  LockLostError,
  LockStoreError,
  type LockStoreErrorCode,
  RunEndedError,
  type StoreOperation,
} from './core/public/errors.js';
export type { LockEvent, Observer } from './core/public/events.js';
export type { Execution } from './core/public/execution.js';
export { assertLocked, currentExecution } from './core/public/execution.js';
export {
  type CaughtUp,
  type Executed,
  isSkipped,
  type Outcome,
  type Previous,
  type ReleaseStatus,
  type Skipped,
  type SkippedHolder,
  type SkipReason,
} from './core/public/outcome.js';
export type { Task } from './core/run/invocation.js';
export type { Clock, Timer } from './core/values/clock.js';
export { type Duration, parseDuration } from './core/values/duration.js';
export type { Schedule } from './core/values/tick.js';
export { type ExecuteOptions, executeWithLock } from './core/wrap/execute-with-lock.js';
export { acquireLock, type HandleOptions, type LockHandle } from './core/wrap/lock-handle.js';
