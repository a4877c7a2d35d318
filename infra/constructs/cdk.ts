export {
  type LockAlarmKind,
  LockAlarmLevel,
  type LockAlarmSeverity,
  type LockAlarmsOptions,
  type LockAlarmTuning,
  type LockWatchTuning,
} from './alarms/alarm-options.js';
export type { LockAlarms } from './alarms/lock-alarms.js';
export { LockDashboard, type LockDashboardProps } from './lock-dashboard.js';
export { type LockMetricName, type LockMetricOptions, lockMetric } from './lock-metrics.js';
export type { LockSchedule } from './lock-schedule.js';
export { type FromTableOptions, type ILockTable, LockTable, type LockTableProps } from './lock-table.js';
export type { PlannedSchedule } from './planned-schedule.js';
export type { ScheduleGaps } from './schedule-gaps.js';
export { type AttachProps, SingleExecution, type SingleExecutionProps } from './single-execution.js';
export { SingleExecutionFunction, type SingleExecutionFunctionProps } from './single-execution-function.js';
export type { TableResource } from './table-resource.js';
