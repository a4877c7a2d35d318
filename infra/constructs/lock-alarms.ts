import { Annotations, Duration } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  type IAlarmAction,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { lockMetric } from './lock-metrics.js';
import { lockId, type PlannedSchedule } from './planned-schedule.js';
import { lastRunEndsMs } from './retry-settings.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const CLOUDWATCH_LOOKS_BACK_MS = 7 * DAY_MS;
const WATCH_PERIODS = 10;
const NEARLY = 0.9;
const FIVE_MINUTES = Duration.minutes(5);

/** What the alarms watch. */
export interface LockAlarmsProps {
  /** The function. */
  readonly fn: IFunction;
  /** Its time-out. */
  readonly timeout: Duration;
  /** Lambda's retries of a failed run. */
  readonly retries: number;
  /** The queue of the ticks that were given up. */
  readonly deadLetters: IQueue;
  /** The namespace of its metrics. */
  readonly namespace: string;
  /** Its schedules, each with its lock. */
  readonly schedules: readonly PlannedSchedule[];
  /** What every alarm does. */
  readonly actions: readonly IAlarmAction[];
}

type Problem = Partial<AlarmProps> & Required<Pick<AlarmProps, 'threshold' | 'alarmDescription'>>;

/**
 * What wakes an operator. Each description says what happened and where to look.
 *
 * @example
 * ```ts
 * import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
 * import type { SingleExecutionFunction } from 'single-execution/cdk';
 *
 * export const alarmsOf = (fn: SingleExecutionFunction): Alarm[] => fn.alarms.all;
 * ```
 */
export class LockAlarms extends Construct {
  /** Every alarm, in the order of their making. */
  readonly all: Alarm[] = [];

  constructor(scope: Construct, id: string, props: LockAlarmsProps) {
    super(scope, id);
    this.#addFunctionAlarms(props);
    for (const schedule of props.schedules) this.#addDidNotRun(schedule, props);
    for (const lockName of new Set(props.schedules.map((schedule) => schedule.lockName))) {
      this.#addLockAlarms(lockName, props.namespace);
    }
    for (const alarm of this.all) alarm.addAlarmAction(...props.actions);
  }

  #addFunctionAlarms({ fn, timeout, deadLetters }: LockAlarmsProps): void {
    const { path } = fn.node;
    // Lambda's own metric: a run that was killed can no longer write that it failed.
    this.#add('Failed', fn.metricErrors({ period: FIVE_MINUTES }), {
      threshold: 1,
      alarmDescription: `${path}: a run failed, was killed at its time-out, or could not reach the lock table. See the function's log.`,
    });
    this.#add('LongRun', fn.metricDuration({ period: FIVE_MINUTES, statistic: 'Maximum' }), {
      threshold: NEARLY * timeout.toMilliseconds(),
      alarmDescription: `${path}: a run took over ${NEARLY * 100} % of the time-out of ${timeout.toHumanString()}, at which it is killed. Raise the time-out, or make the job shorter.`,
    });
    const messages = deadLetters.metricApproximateNumberOfMessagesVisible({
      period: FIVE_MINUTES,
      statistic: 'Maximum',
    });
    this.#add('DeadLetters', messages, {
      threshold: 1,
      // A queue that nobody touches for hours has no metrics although it still has messages.
      treatMissingData: TreatMissingData.IGNORE,
      alarmDescription: `${path}: a tick was given up after all retries. The message in the queue has its event and the reason.`,
    });
  }

  #addLockAlarms(lockName: string, namespace: string): void {
    this.#add(`LockLost:${lockId(lockName)}`, lockMetric(namespace, 'LockLost', lockName), {
      threshold: 1,
      alarmDescription: `Lock "${lockName}": a run went on past its lease, or an operator forced it away; two runs may have overlapped. See the log for "lost".`,
    });
    const skew = lockMetric(namespace, 'ClockSkew', lockName, { statistic: 'Maximum' });
    this.#add(`ClockSkew:${lockId(lockName)}`, skew, {
      threshold: 1,
      alarmDescription: `Lock "${lockName}": a host's clock is off by more than maxClockSkew. No two runs overlap for it; lockAtLeastFor and takeovers are off by as much. See the log for "clock-skew".`,
    });
  }

  /** A dead man's switch: no run has succeeded for longer than two ticks and their retries can be apart. */
  #addDidNotRun(
    { id, schedule, lockName, gaps }: PlannedSchedule,
    { namespace, timeout, retries }: LockAlarmsProps,
  ): void {
    if (!gaps) return;
    const { expressionString } = schedule;
    const watchMs = gaps.longestMs + lastRunEndsMs(retries, timeout.toMilliseconds());
    const period = Duration.minutes(Math.ceil(watchMs / WATCH_PERIODS / MINUTE_MS));
    const evaluationPeriods = Math.ceil(watchMs / period.toMilliseconds());
    if (evaluationPeriods * period.toMilliseconds() > CLOUDWATCH_LOOKS_BACK_MS) {
      Annotations.of(this).addWarningV2(
        `single-execution:did-not-run:${id}`,
        `${expressionString} can be ${Math.ceil(gaps.longestMs / DAY_MS)} days apart, and an alarm looks back 7 at most: nothing tells that lock "${lockName}" did not run; its failures and dead letters still do`,
      );
      return;
    }
    this.#add(`DidNotRun:${id}`, lockMetric(namespace, 'Executed', lockName, { period }), {
      threshold: 1,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods,
      treatMissingData: TreatMissingData.BREACHING,
      alarmDescription: `Lock "${lockName}": no run has succeeded for longer than ${expressionString} allows. See whether the schedule is on, and whether its runs fail, are skipped, or are paused.`,
    });
  }

  #add(id: string, metric: IMetric, problem: Problem): void {
    const alarm = new Alarm(this, id, {
      metric,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...problem,
    });
    this.all.push(alarm);
  }
}
