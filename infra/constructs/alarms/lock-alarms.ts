import { Annotations, Duration, Token } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  type IAlarmAction,
  type IMetric,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { EMF_FUNCTION_DIMENSION } from '../../../src/core/observers/emf-metrics.js';
import { functionBehind } from '../attached-function.js';
import type { DeadLetters } from '../dead-letters.js';
import type { LockMetricName } from '../lock-metrics.js';
import { lockId } from '../planned-schedule.js';
import { lastRunEndsMs, RETRY_DELAYS_MS } from '../retry-settings.js';
import type { Trigger } from '../triggers.js';
import {
  checkAlarmOptions,
  isWanted,
  LOCK_ALARMS,
  type LockAlarmKind,
  type LockAlarmsOptions,
  type LockAlarmTuning,
  type LockWatchTuning,
} from './alarm-options.js';
import { didNotRun } from './did-not-run.js';
import type { LockSet } from './lock-sets.js';
import { lostDeadLetters } from './lost-dead-letters.js';
import { notTriggered } from './not-triggered.js';
import type { WatchedSet } from './set-metrics.js';
import { listed, sharedAlarm } from './shared-alarms.js';

const DAY_MS = 86_400_000;
const NEARLY = 0.9;
/** How long CloudWatch may take to show a metric. */
const DELAY_MS = 180_000;
const FIVE_MINUTES = Duration.minutes(5);

/** The facts of a function that its alarms need. */
export interface LockAlarmsProps {
  /** The function. */
  readonly fn: IFunction;
  /** The function's timeout. */
  readonly timeout: Duration;
  /** Lambda's retries of a failed run. */
  readonly retries: number;
  /** The queue of the ticks that were given up. */
  readonly deadLetters: DeadLetters;
  /** The CloudWatch namespace of the function's metrics. */
  readonly namespace: string;
  /** The function's locks, in sets that share alarms. */
  readonly sets: readonly LockSet[];
  /** The schedules and rules that invoke the function. */
  readonly triggers: readonly Trigger[];
  /** Whether all locks of the function belong to one set. */
  readonly isAlone: boolean;
  /** Which alarms are made, and whom they notify; `false` for none. */
  readonly options: LockAlarmsOptions | false;
  /** Actions of alarms whose severity has no actions in `options`. */
  readonly actions: readonly IAlarmAction[];
}

type Problem = Omit<Partial<AlarmProps>, 'metric' | 'alarmDescription'> & {
  readonly metric: IMetric;
  /** The description, or a function that makes it from the paths of the functions that share the alarm. */
  readonly alarmDescription: string | ((owners: string) => string);
};

/**
 * The set of locks, or the shared resource, that an alarm is for; empty if the alarm is for its function as a whole.
 */
interface Place {
  readonly setId?: string;
  /** What the functions that share the alarm have in common, such as a queue. */
  readonly sharedBy?: string;
}

/** The ids of synthesis warnings that an alarm cannot be made. */
const WARNINGS = { didNotRun: 'did-not-run', notTriggered: 'not-triggered' } as const;

/**
 * The alarms of a function. The description of each alarm says what happened, and names the heading of docs/on-call.md
 * that says what to do.
 *
 * @example
 * ```ts
 * import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
 * import type { SingleExecutionFunction } from 'single-execution/cdk';
 *
 * export const alarmsToWakeFor = ({ alarms }: SingleExecutionFunction): readonly Alarm[] => [
 *   ...alarms.of('deadLetters'),
 *   ...alarms.of('didNotRun'),
 * ];
 * ```
 */
export class LockAlarms extends Construct {
  readonly #byKind: Readonly<Record<LockAlarmKind, Alarm[]>>;
  readonly #props: LockAlarmsProps;
  readonly #options: LockAlarmsOptions;

  /**
   * @throws TypeError, RangeError for options that do not exist, or with which an alarm would go off without a reason
   */
  constructor(scope: Construct, id: string, props: LockAlarmsProps) {
    super(scope, id);
    this.#props = props;
    this.#options = props.options || {};
    this.#byKind = Object.fromEntries(Object.keys(LOCK_ALARMS).map((kind) => [kind, []])) as never;
    checkAlarmOptions(this.#options);
    if (props.options === false) return;
    this.#addDeadLetters();
    this.#addDeadLettersLost();
    for (const set of props.sets) this.#addWatches({ ...set, ...props });
    this.#addFunctionAlarms();
  }

  /** Every alarm of the function. */
  get all(): readonly Alarm[] {
    return Object.values(this.#byKind).flat();
  }

  /**
   * Returns the alarms of a kind; none if the kind is turned off. `didNotRun` and `notTriggered` have up to one alarm
   * for each set of locks, the other kinds up to one. Functions with the same queue share a `deadLetters` alarm.
   */
  of(kind: LockAlarmKind): readonly Alarm[] {
    return this.#byKind[kind];
  }

  #addDeadLetters(): void {
    const { queue } = this.#props.deadLetters;
    this.#addOnNumber(
      'deadLetters',
      {
        metric: queue.metricApproximateNumberOfMessagesVisible({ period: FIVE_MINUTES, statistic: 'Maximum' }),
        // After hours without requests a queue has no metrics, although it still has messages.
        treatMissingData: TreatMissingData.IGNORE,
        alarmDescription: (owners) =>
          `${owners}: a tick was given up after all retries. The message in the queue has its event and the reason.`,
      },
      // The token of an ARN names a resource but not its stack. The path names both.
      { sharedBy: Token.isUnresolved(queue.queueArn) ? queue.node.path : queue.queueArn },
    );
  }

  #addDeadLettersLost(): void {
    const { fn, triggers } = this.#props;
    const { metric, isOfAll } = lostDeadLetters(fn, triggers, FIVE_MINUTES);
    const schedules = isOfAll ? 'of this function, or of any schedule in this account and region, ' : '';
    this.#addOnNumber('deadLettersLost', {
      metric,
      alarmDescription: `${fn.node.path}: a tick or a failed run ${schedules}was given up and could not be sent to the dead-letter queue, so it is lost. See whether Lambda and EventBridge may send to the queue and use its key.`,
    });
  }

  #addFunctionAlarms(): void {
    const { fn, timeout, retries, deadLetters } = this.#props;
    const { path } = fn.node;
    this.#addOnNumber('lockLost', {
      metric: this.#functionMetric('LockLost', 'Sum'),
      alarmDescription: `${path}: a run continued past its lease, or an operator unlocked it; two runs may have overlapped. See the log for "lost".`,
    });
    // Without retries a failed run is a dead letter at once, and the alarms for dead letters report it.
    const isWatched = isWanted('deadLetters', this.#options) && isWanted('deadLettersLost', this.#options);
    const isReportedOtherwise = retries === 0 && deadLetters.hasRuns && isWatched;
    if (!isReportedOtherwise || this.#options.failed) {
      this.#addOnNumber('failed', {
        // Lambda's own metric, because a run that was killed cannot write that it failed.
        metric: fn.metricErrors({ period: FIVE_MINUTES }),
        ...this.#oncePerTick(),
        alarmDescription: `${path}: a run failed, was killed at its timeout, or could not reach the lock table. See the function's log.`,
      });
    }
    this.#addOnNumber('longRun', {
      metric: fn.metricDuration({ period: FIVE_MINUTES, statistic: 'Maximum' }),
      threshold: NEARLY * timeout.toMilliseconds(),
      ...this.#oncePerTick(),
      alarmDescription: `${path}: a run took over ${NEARLY * 100} % of the timeout of ${timeout.toHumanString()}, at which it is killed. Raise the timeout, or make the job shorter.`,
    });
    this.#addOnNumber('clockSkew', {
      metric: this.#functionMetric('ClockSkew', 'Maximum'),
      alarmDescription: `${path}: a host's clock is off by more than maxClockSkew. No two runs overlap because of it; lockAtLeastFor and takeovers are off by as much. See the log for "clock-skew".`,
    });
  }

  /**
   * Settings with which a tick and its retries set off one alarm, not several. The alarm lasts until Lambda has
   * reported the next try, at the end of that try.
   */
  #oncePerTick(): Pick<AlarmProps, 'evaluationPeriods' | 'datapointsToAlarm'> {
    const [timeoutMs, retryMs] = [this.#props.timeout.toMilliseconds(), RETRY_DELAYS_MS[1]];
    const nextTryMs = 2 * timeoutMs + retryMs + DELAY_MS;
    return { evaluationPeriods: Math.ceil(nextTryMs / FIVE_MINUTES.toMilliseconds()), datapointsToAlarm: 1 };
  }

  /** Makes the metric that runs write for the function, over all its locks. */
  #functionMetric(metricName: LockMetricName, statistic: string): Metric {
    const { fn, namespace } = this.#props;
    const dimensionsMap = { [EMF_FUNCTION_DIMENSION]: functionBehind(fn).functionName };
    return new Metric({ namespace, metricName, dimensionsMap, statistic, period: FIVE_MINUTES });
  }

  #addWatches(set: WatchedSet): void {
    const { timeout, retries } = this.#props;
    const due = set.schedules.filter(({ enabled }) => enabled);
    if (due.length === 0) return;
    const runMs = lastRunEndsMs(retries, timeout.toMilliseconds());
    const expressions = listed(due.map(({ schedule }) => schedule.expressionString));
    this.#addWatch('didNotRun', set, ({ after }) => didNotRun(set, runMs, after), {
      alarmDescription: `Lock "${set.name}": a tick of ${expressions} was sent, and no run has done it. See whether the function is invoked, and whether its runs are skipped or paused.`,
      otherwise: `no alarm reports that a tick of lock "${set.name}" was not done: its function has other locks too, and deliveries are told apart by the schedule group of each lock; leave out scheduleGroup and via: 'rule', use a function for this lock only, or set alarms: { didNotRun: false }`,
    });
    const gaps = due.flatMap((schedule) => (schedule.end ? [] : (schedule.gaps?.longestMs ?? [])));
    if (gaps.length === 0) return;
    const longestMs = Math.min(...gaps);
    this.#addWatch('notTriggered', set, ({ after }) => notTriggered(set, longestMs + runMs, after), {
      alarmDescription: `Lock "${set.name}": no tick was sent for longer than ${expressions} allows. See whether the schedule is on.`,
      otherwise: `${expressions} can be ${Math.ceil(longestMs / DAY_MS)} days apart, and an alarm looks back 7 at most: nothing reports that no tick of lock "${set.name}" was sent; a tick that was sent and not done is still reported`,
    });
  }

  #addWatch(
    kind: 'didNotRun' | 'notTriggered',
    set: WatchedSet,
    propsOf: (tuning: LockWatchTuning) => Omit<AlarmProps, 'alarmDescription'> | undefined,
    { alarmDescription, otherwise }: { readonly alarmDescription: string; readonly otherwise: string },
  ): void {
    if (!isWanted(kind, this.#options)) return;
    const setId = lockId(set.name);
    const props = propsOf(this.#options[kind] || {});
    if (props) this.#add(kind, { ...props, alarmDescription }, { setId });
    else Annotations.of(this).addWarningV2(`single-execution:${WARNINGS[kind]}:${setId}`, otherwise);
  }

  #addOnNumber(kind: Exclude<LockAlarmKind, 'didNotRun' | 'notTriggered'>, problem: Problem, place: Place = {}): void {
    if (!isWanted(kind, this.#options)) return;
    const tuning: LockAlarmTuning = this.#options[kind] || {};
    const { threshold = problem.threshold ?? 1, evaluationPeriods } = tuning;
    // If the user gives a number of periods, all of them must breach.
    const inARow = evaluationPeriods && { evaluationPeriods, datapointsToAlarm: evaluationPeriods };
    this.#add(kind, { evaluationPeriods: 1, ...problem, threshold, ...inARow }, place);
  }

  #add(
    kind: LockAlarmKind,
    { alarmDescription: described, ...problem }: Problem & Pick<AlarmProps, 'threshold' | 'evaluationPeriods'>,
    { setId, sharedBy }: Place,
  ): void {
    const name = kind.charAt(0).toUpperCase() + kind.slice(1);
    const help = `What to do: docs/on-call.md#${name.toLowerCase()} of single-execution.`;
    const make = (owners: string): Alarm =>
      new Alarm(this, setId === undefined ? name : `${name}:${setId}`, {
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
        alarmDescription: `${typeof described === 'string' ? described : described(owners)} ${help}`,
        ...problem,
      });
    const { notifyOk: ofOk = false, ...options } = this.#options;
    const tuning = options[kind] || {};
    const actions = options[tuning.severity ?? LOCK_ALARMS[kind]] ?? this.#props.actions;
    // Without `sharedBy`, the path keeps other functions from sharing this alarm.
    const key = [kind, sharedBy ?? this.node.path, setId, problem.threshold, problem.evaluationPeriods];
    this.#byKind[kind].push(sharedAlarm(this.#props.fn, key, { actions, ofOk }, make));
  }
}
