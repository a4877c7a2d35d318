import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IScheduleGroup, ScheduleExpression, TimeWindow } from 'aws-cdk-lib/aws-scheduler';

/** When a function runs, under which lock, and with which input. */
export interface LockSchedule {
  /** When ticks are due, in a time zone if one is given. A `rate` counts from the creation of the schedule. */
  readonly schedule: ScheduleExpression;
  /**
   * The name of the lock that the schedule's runs take. Alarms and the dashboard show it. @default the only name of
   * `lockNames`
   */
  readonly lockName?: string;
  /** The value of `event.detail`. @default {} */
  readonly detail?: Readonly<Record<string, unknown>>;
  /**
   * What sends the ticks: EventBridge Scheduler, or a rule of EventBridge, which knows only UTC. @default 'scheduler'
   */
  readonly via?: 'scheduler' | 'rule';
  /** How late Scheduler may send a tick, to spread load. @default TimeWindow.off() */
  readonly timeWindow?: TimeWindow;
  /**
   * Whether the schedule is on. A schedule that is off has neither of the alarms `didNotRun` and `notTriggered`.
   * @default true
   */
  readonly enabled?: boolean;
  /** Name of the schedule or the rule. @default made by CloudFormation */
  readonly scheduleName?: string;
  /** Description of the schedule or the rule, which the AWS console shows. @default none */
  readonly description?: string;
  /**
   * The group of the schedule. This option and the options below are only for Scheduler, not for rules. @default a
   * group with only the schedules of this set of locks; alarms use the metrics of the group
   */
  readonly scheduleGroup?: IScheduleGroup;
  /** The schedule does not fire before this time. @default the time of its deployment */
  readonly start?: Date;
  /** The schedule does not fire from this time on. @default never */
  readonly end?: Date;
  /**
   * The role with which Scheduler invokes the function; the construct gives it the rights. @default one role for each
   * function
   */
  readonly role?: IRole;
  /** The key that encrypts the event while Scheduler keeps it. @default a key that AWS owns */
  readonly key?: IKey;
}
