import { Annotations, Duration, Stack } from 'aws-cdk-lib';
import type { IAlarmAction, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Alias, EventInvokeConfigOptions, IFunction, Version } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { EMF_NAMESPACE } from '../../src/core/observers/emf-metrics.js';
import { type LockAlarmsOptions, writesMetrics } from './alarms/alarm-options.js';
import { LockAlarms } from './alarms/lock-alarms.js';
import { type LockSet, lockSetOf, lockSets } from './alarms/lock-sets.js';
import { watchable } from './alarms/other-language.js';
import { functionResource, refuseNoRole, timeoutOf } from './attached-function.js';
import { configureRuns, warnOfSending } from './dead-letters.js';
import { refuseDistantTable } from './distant-table.js';
import { refuseLaterChanges } from './later-changes.js';
import { lockVariables, setVariables } from './lock-environment.js';
import { type LockMetricOptions, ownMetric } from './lock-metrics.js';
import type { LockSchedule } from './lock-schedule.js';
import type { ILockTable } from './lock-table.js';
import { checkLockAtLeastFor, checkLockTimes, lateTickIsInTheWay, lockedRetry } from './lock-times.js';
import { isHeld } from './missing-rights.js';
import { type PlannedSchedule, planSchedules, sharedLockWarnings, tooManyRules } from './planned-schedule.js';
import { refuseShapeOfFunction } from './props-shape.js';
import { RETRY_DELAYS_MS, runRetries } from './retry-settings.js';
import { refuseSharedLocks } from './shared-locks.js';
import { addSchedules, type Trigger } from './triggers.js';

/** Options of a function on a schedule, whichever construct makes the function, and options of Lambda's retries. */
export interface SingleExecutionProps extends EventInvokeConfigOptions {
  /** The table that holds the function's locks. */
  readonly lockTable: ILockTable;
  /**
   * The locks that the function takes: names as given to `withSingleExecution`, or `prefix*`. The function has no right
   * to other locks.
   */
  readonly lockNames: readonly string[];
  /** When the function runs; at least one schedule. */
  readonly schedules: readonly LockSchedule[];
  /**
   * The value of the handler's option `lockAtMostFor`, which the handler reads from `LOCK_AT_MOST_FOR`. It must be at
   * least 1.02 %, and at least 200 ms, longer than the timeout.
   *
   * @default the remaining time + 2 s
   */
  readonly lockAtMostFor?: Duration;
  /**
   * The value of the handler's option `lockAtLeastFor`, which the handler reads from `LOCK_AT_LEAST_FOR`. It must be
   * shorter than the shortest time between two ticks. @default none
   */
  readonly lockAtLeastFor?: Duration;
  /**
   * The queue for failed runs, and for events that Lambda did not accept. If `onFailure` is not a queue, failed runs go
   * to `onFailure` instead.
   *
   * @default the queue of `onFailure` or of the function; else a new queue, encrypted, that keeps messages for 14 days
   */
  readonly deadLetterQueue?: IQueue;
  /**
   * What all alarms of the function do, such as `new SnsAction(topic)`. @default alarms change their state and notify
   * nobody
   */
  readonly alarmActions?: readonly IAlarmAction[];
  /** Which alarms are made, and whom they notify; `false` for no alarms. @default {} */
  readonly alarms?: LockAlarmsOptions | false;
}

/** Options of `SingleExecution.attach`. */
export interface AttachProps extends SingleExecutionProps {
  /** The function's timeout. It is needed only for an imported function. @default the timeout that the function has */
  readonly timeout?: Duration;
}

/** The construct's id. Its scope is the function. */
const ID = 'SingleExecution';

/**
 * What a function on a schedule needs besides its code: permission to take its locks, environment variables, schedules,
 * retries that end before the next tick, a dead-letter queue and alarms.
 *
 * @example
 * ```ts
 * import { Duration } from 'aws-cdk-lib';
 * import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
 * import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
 * import { type LockTable, SingleExecution } from 'single-execution/cdk';
 *
 * export function addSchedule(fn: LambdaFunction, lockTable: LockTable) {
 *   SingleExecution.attach(fn, {
 *     lockTable,
 *     lockNames: ['send-digest'],
 *     schedules: [{ schedule: ScheduleExpression.rate(Duration.minutes(5)) }],
 *   });
 * }
 * ```
 */
export class SingleExecution extends Construct {
  /** The function, alias or version that the schedules invoke. */
  readonly fn: IFunction;
  /**
   * How long a lock outlives a holder that dies: the given `lockAtMostFor`. Without `lockAtMostFor` it is the
   * function's timeout, which leaves out the 2 s that a run adds to its lease.
   */
  readonly lockAtMostFor: Duration;
  /** The CloudWatch namespace that the functions of a stack share for their metrics: `SingleExecution/<stack>`. */
  readonly metricNamespace: string;
  /** The function's schedules, each with its lock and the time between runs. */
  readonly schedules: readonly PlannedSchedule[];
  /**
   * The environment variables that the handler reads. They are set on the function, unless the function was imported.
   */
  readonly environment: Readonly<Record<string, string>>;
  /** The function's locks in sets that share metrics and alarms: a set is one lock, or all locks of a `prefix*`. */
  readonly lockSets: readonly LockSet[];
  /** The `Schedule` or `Rule` that was made for each of `schedules`. */
  readonly triggers: readonly Trigger[];
  /** The queue that receives the ticks that were given up. */
  readonly deadLetters: IQueue;
  /** The function's alarms. */
  readonly alarms: LockAlarms;
  readonly #metrics: Parameters<typeof ownMetric>[0];

  /**
   * Adds permissions, schedules, retries and alarms to a function, an alias or a version, in a construct below it.
   *
   * @throws TypeError, RangeError for names, times or schedules that would make runs overlap or be skipped
   */
  static attach(fn: IFunction | Alias | Version, props: AttachProps): SingleExecution {
    refuseShapeOfFunction(props);
    if (fn.node.tryFindChild(ID)) {
      throw new TypeError(`${fn.node.path} has a SingleExecution: pass that one all schedules and lockNames`);
    }
    // With `exactOptionalPropertyTypes`, TypeScript does not accept CDK's Alias as an IFunction.
    return new SingleExecution(fn as IFunction, props);
  }

  private constructor(fn: IFunction, props: AttachProps) {
    super(fn, ID);
    const { lockTable, lockNames, lockAtMostFor, lockAtLeastFor, alarmActions = [] } = props;
    refuseNoRole(fn);
    const timeout = timeoutOf(fn, props.timeout);
    checkLockTimes({ lockAtMostFor, lockAtLeastFor, timeout });
    this.fn = fn;
    this.lockAtMostFor = lockAtMostFor ?? timeout;
    this.metricNamespace = `${EMF_NAMESPACE}/${Stack.of(fn).stackName}`;
    this.schedules = planSchedules(props.schedules, lockNames, lockTable.keyPrefix);
    for (const schedule of this.schedules) checkLockAtLeastFor(lockAtLeastFor, schedule);
    refuseDistantTable(fn, lockTable.table);
    refuseSharedLocks(fn, lockTable, lockNames);
    const { schedules, metricNamespace } = this;
    const isWritten = writesMetrics(props.alarms ?? {});
    this.#metrics = { namespace: metricNamespace, lockNames, isWritten };
    const namespace = isWritten ? metricNamespace : undefined;
    this.environment = lockVariables({ lockTable, lockNames, lockAtMostFor, lockAtLeastFor, namespace, schedules });
    setVariables(fn, this.environment);
    const rights = lockTable.grantLock(fn, lockNames);

    const runs = runRetries(Math.min(...this.schedules.map(periodMs)), timeout.toMilliseconds());
    const { retryAttempts: retries = runs.attempts, maxEventAge = Duration.millis(runs.maxAgeMs) } = props;
    const { onFailure, onSuccess, deadLetterQueue } = props;
    const deadLetters = configureRuns(this, fn, {
      retryAttempts: retries,
      maxEventAge,
      ...(onFailure && { onFailure }),
      ...(onSuccess && { onSuccess }),
      ...(deadLetterQueue && { deadLetterQueue }),
    });
    // Lambda refuses a destination that the function may not send to yet. The function's rights are in one policy.
    rights.applyBefore(fn.node.findChild('EventInvokeConfig'));
    if (!isHeld(fn, rights)) warnOfSending(fn, deadLetters);
    this.deadLetters = deadLetters.queue;
    this.#warn({ lockAtMostFor, lockAtLeastFor, timeout, retries });
    this.lockSets = lockSets(this, this.schedules, lockNames);
    this.triggers = addSchedules(this, { fn, deadLetterQueue: this.deadLetters }, this.lockSets);
    refuseLaterChanges(
      this,
      [
        functionResource(fn),
        fn.node.findChild('EventInvokeConfig').node.defaultChild,
        ...this.triggers.map(({ node }) => node.defaultChild),
      ],
      this.environment,
    );
    this.alarms = new LockAlarms(this, 'Alarms', {
      fn,
      timeout,
      retries,
      deadLetters,
      namespace: metricNamespace,
      sets: this.lockSets,
      triggers: this.triggers,
      isAlone: new Set(lockNames.map((name) => lockSetOf(name, lockNames))).size === 1,
      options: watchable(fn, props.alarms ?? {}),
      actions: alarmActions,
    });
  }

  /**
   * Makes a metric that counts runs that succeeded. A call that is skipped because its tick or a newer tick is done
   * reports 0.
   */
  metricExecuted(options?: LockMetricOptions): Metric {
    return ownMetric(this.#metrics, 'Executed', options);
  }

  /** Makes a metric that counts runs that failed. */
  metricFailed(options?: LockMetricOptions): Metric {
    return ownMetric(this.#metrics, 'Failed', options);
  }

  /** Makes a metric that counts ticks without a run; the next run reports them. */
  metricMissed(options?: LockMetricOptions): Metric {
    return ownMetric(this.#metrics, 'Missed', options);
  }

  /** Makes a metric that counts runs that lost their lock. */
  metricLockLost(options?: LockMetricOptions): Metric {
    return ownMetric(this.#metrics, 'LockLost', options);
  }

  /** Makes a metric of the longest time that a run held its lock, in milliseconds. */
  metricHoldTime(options?: LockMetricOptions): Metric {
    return ownMetric(this.#metrics, 'HoldTime', options);
  }

  /** Makes a metric of the greatest error of a host's clock, in milliseconds. */
  metricClockSkew(options?: LockMetricOptions): Metric {
    return ownMetric(this.#metrics, 'ClockSkew', options);
  }

  #warn({ retries, ...times }: Parameters<typeof lockedRetry>[0] & { readonly retries: number }): void {
    const warnings = Annotations.of(this.fn);
    for (const warning of sharedLockWarnings(this.schedules)) {
      warnings.addWarningV2('single-execution:several-schedules', warning);
    }
    const rules = tooManyRules(this.schedules);
    if (rules !== undefined) warnings.addWarningV2('single-execution:many-rules', rules);
    const kept = retries > 0 && lockedRetry(times, RETRY_DELAYS_MS[0]);
    if (kept) warnings.addWarningV2('single-execution:locked-retry', kept);
    for (const schedule of this.schedules) {
      const late = lateTickIsInTheWay(times.lockAtLeastFor, schedule);
      if (late) warnings.addWarningV2(`single-execution:late-tick:${schedule.id}`, late);
    }
  }
}

const periodMs = ({ gaps }: PlannedSchedule): number => gaps?.shortestMs ?? Number.POSITIVE_INFINITY;
