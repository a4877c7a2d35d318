export { type Health, type HealthJob, type HealthOptions, healthRoute, type JobHealth } from './health-route.js';
export {
  type DeleteResult,
  type ForceReleaseResult,
  type ForgetResult,
  type LockAdmin,
  type LockInfo,
  lockAdmin,
  type PauseOptions,
  type ResumeResult,
  type RunInfo,
  type TickRange,
} from './lock-admin.js';
export { type OverdueOptions, overdueTick } from './overdue.js';
