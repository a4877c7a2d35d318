import type { Duration } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import { shown } from '../props-shape.js';

/** How urgent an alarm is: `page` wakes somebody; `ticket` waits until the morning. */
export type LockAlarmSeverity = 'page' | 'ticket';

/** A kind of alarm. */
export type LockAlarmKind =
  | 'deadLetters'
  | 'deadLettersLost'
  | 'didNotRun'
  | 'notTriggered'
  | 'lockLost'
  | 'failed'
  | 'longRun'
  | 'clockSkew';

/** Every kind of alarm, with its default severity. */
export const LOCK_ALARMS: Readonly<Record<LockAlarmKind, LockAlarmSeverity>> = {
  deadLetters: 'page',
  deadLettersLost: 'page',
  didNotRun: 'page',
  notTriggered: 'page',
  lockLost: 'page',
  failed: 'ticket',
  longRun: 'ticket',
  clockSkew: 'ticket',
};

/**
 * How closely alarms watch a function. Costs are per month, in us-east-1 and without free tiers. A further lock is one
 * that is listed by its whole name.
 *
 * - `ALL`: every kind. Alarms cost $1.10 for one lock and $0.60 for each further lock, metrics $0.60 for each lock.
 * - `ESSENTIAL`: `didNotRun` and `failed`. Alarms cost $0.40 for one lock and $0.30 for each further lock, metrics
 *   $0.60 for each lock.
 * - `FLEET`: only `deadLetters`: $0.10 for each queue. Functions that share a `deadLetterQueue` share its alarm. Runs
 *   write no metrics, unless an option adds a kind that watches them.
 *
 * @example
 * ```ts
 * import { LockAlarmLevel, type LockAlarmsOptions } from 'single-execution/cdk';
 *
 * export const cheap: LockAlarmsOptions = { level: LockAlarmLevel.ESSENTIAL };
 * ```
 */
export const LockAlarmLevel = {
  /** Every kind. */
  ALL: 'all',
  /** `didNotRun` and `failed`. */
  ESSENTIAL: 'essential',
  /** Only `deadLetters`. */
  FLEET: 'fleet',
} as const;

/** A level of `LockAlarmLevel`. */
export type LockAlarmLevel = (typeof LockAlarmLevel)[keyof typeof LockAlarmLevel];

/** The kinds that a level makes. */
const OF_LEVEL: Readonly<Record<LockAlarmLevel, readonly LockAlarmKind[]>> = {
  all: Object.keys(LOCK_ALARMS) as LockAlarmKind[],
  essential: ['didNotRun', 'failed'],
  fleet: ['deadLetters'],
};

/** Kinds that watch the metrics that runs write. */
const OF_METRICS: readonly LockAlarmKind[] = ['didNotRun', 'notTriggered', 'lockLost', 'clockSkew'];

/** Settings of an alarm that watches a number. */
export interface LockAlarmTuning {
  /** How urgent the alarm is. @default the severity of its kind */
  readonly severity?: LockAlarmSeverity;
  /**
   * The lowest value at which the alarm goes off: milliseconds for `longRun` and `clockSkew`, a count for other kinds.
   * @default 1; for `longRun` 90 % of the timeout
   */
  readonly threshold?: number;
  /**
   * How many periods of 5 minutes in a row must breach before the alarm goes off: 1 to 288, which is a day. @default 1;
   * an alarm of the kind `failed` or `longRun` then also lasts until the next try of the tick has been reported
   */
  readonly evaluationPeriods?: number;
}

/** Settings of an alarm on something that did not happen. */
export interface LockWatchTuning {
  /** How urgent the alarm is. @default 'page' */
  readonly severity?: LockAlarmSeverity;
  /**
   * How long the alarm waits: a day at most for `didNotRun`, almost 7 days for `notTriggered`. @default the longest
   * that the schedule, a run and its retries can take
   */
  readonly after?: Duration;
}

/**
 * Which alarms are made, and whom they notify. `false` turns a kind off. Settings of a kind also add it if the level
 * lacks it.
 */
export interface LockAlarmsOptions {
  /** Which kinds of alarms are made. `LockAlarmLevel` shows the costs of each level. @default LockAlarmLevel.ALL */
  readonly level?: LockAlarmLevel;
  /** Actions of the alarms with the severity `page`. @default alarmActions */
  readonly page?: readonly IAlarmAction[];
  /** Actions of the alarms with the severity `ticket`. @default alarmActions */
  readonly ticket?: readonly IAlarmAction[];
  /**
   * Whether alarms also notify when they return to OK. A new alarm becomes OK too, so each alarm notifies once after it
   * is made. @default false
   */
  readonly notifyOk?: boolean;
  /** The alarm for a tick that was given up after all retries. @default a page */
  readonly deadLetters?: false | LockAlarmTuning;
  /** The alarm for a tick that Scheduler or EventBridge gave up and could not send to the queue. @default a page */
  readonly deadLettersLost?: false | LockAlarmTuning;
  /** The alarm for a tick that was sent, and that no run did. @default a page */
  readonly didNotRun?: false | LockWatchTuning;
  /** The alarm for a schedule that has sent no tick for longer than it allows. @default a page */
  readonly notTriggered?: false | LockWatchTuning;
  /** The alarm for a run that lost its lock. @default a page */
  readonly lockLost?: false | LockAlarmTuning;
  /**
   * The alarm for a run that failed. @default a ticket; no alarm if Lambda does not retry a run and `deadLetters`
   * reports its failure
   */
  readonly failed?: false | LockAlarmTuning;
  /** The alarm for a run that took over 90 % of its timeout. @default a ticket */
  readonly longRun?: false | LockAlarmTuning;
  /** The alarm for a host's clock that is off by more than `maxClockSkew`. @default a ticket */
  readonly clockSkew?: false | LockAlarmTuning;
}

const NUMBERS = ['severity', 'threshold', 'evaluationPeriods'];
const WATCHES = ['severity', 'after'];
/** With periods of 5 minutes an alarm of CloudWatch looks back over a day at most. */
const MOST_PERIODS = 288;
const OWN = ['level', 'page', 'ticket', 'notifyOk'];

/** Whether alarms of a kind are made: by the option of that kind, else by the level. */
export function isWanted(kind: LockAlarmKind, options: LockAlarmsOptions): boolean {
  const { level = LockAlarmLevel.ALL, [kind]: tuning } = options;
  return tuning === undefined ? OF_LEVEL[level].includes(kind) : tuning !== false;
}

/** Whether runs write metrics: always, except at the level `FLEET` if no alarm watches them. */
export function writesMetrics(options: LockAlarmsOptions | false): boolean {
  if (options === false || options.level !== LockAlarmLevel.FLEET) return true;
  return OF_METRICS.some((kind) => isWanted(kind, options));
}

/**
 * @throws TypeError, RangeError for a kind, a setting or a value that is not allowed; the message lists the allowed
 * ones
 */
export function checkAlarmOptions(options: LockAlarmsOptions): void {
  const kinds = Object.keys(LOCK_ALARMS);
  const levels = Object.values(LockAlarmLevel);
  if (options.level !== undefined && !levels.includes(options.level)) {
    throw new TypeError(`alarms.level is ${shown(options.level)}: choose '${levels.join("', '")}'`);
  }
  for (const [name, tuning] of Object.entries(options)) {
    if (OWN.includes(name)) continue;
    if (!kinds.includes(name)) {
      throw new TypeError(`alarms has '${name}': pass ${OWN.join(', ')} or a kind of ${kinds.join(', ')}`);
    }
    if (tuning === false || tuning === undefined) continue;
    const known = name === 'didNotRun' || name === 'notTriggered' ? WATCHES : NUMBERS;
    const stray = Object.keys(tuning).find((setting) => !known.includes(setting));
    if (stray !== undefined) throw new TypeError(`alarms.${name} has '${stray}': pass ${known.join(', ')}, or false`);
    const { severity = 'page' } = tuning;
    if (severity !== 'page' && severity !== 'ticket') {
      throw new TypeError(`alarms.${name}.severity is '${severity}': choose 'page' or 'ticket'`);
    }
    const { evaluationPeriods = 1 } = tuning as LockAlarmTuning;
    if (!Number.isInteger(evaluationPeriods) || evaluationPeriods < 1 || evaluationPeriods > MOST_PERIODS) {
      throw new RangeError(
        `alarms.${name}.evaluationPeriods is ${evaluationPeriods}: pass a whole number from 1 to ${MOST_PERIODS}`,
      );
    }
  }
}
