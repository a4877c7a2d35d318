import type { Duration } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import { shown } from '../props-shape.js';

/** `page` wakes somebody; `ticket` waits until the morning. */
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

/** Every kind, and how urgent it is unless it is told otherwise. */
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
 * How closely alarms watch a function. What it costs a month, in us-east-1 and without free tiers, for a function of one
 * lock, and for each further lock by its whole name:
 *
 * - `ALL`: every kind. Alarms $1.10 and $0.60, metrics $0.60 a lock.
 * - `ESSENTIAL`: `didNotRun` and `failed`. Alarms $0.40 and $0.30, metrics $0.60 a lock.
 * - `FLEET`: `deadLetters` alone: $0.10 for each queue. Functions that share a `deadLetterQueue` share its alarm. Runs
 *   write no metrics, unless a kind that watches them is asked for.
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
  /** `deadLetters` alone. */
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

/** Kinds that watch what runs write. */
const OF_METRICS: readonly LockAlarmKind[] = ['didNotRun', 'notTriggered', 'lockLost', 'clockSkew'];

/** An alarm on a number. */
export interface LockAlarmTuning {
  /** @default that of its kind */
  readonly severity?: LockAlarmSeverity;
  /** From which value on: milliseconds for `longRun` and `clockSkew`, else how many. @default 1, or 90 % of the timeout */
  readonly threshold?: number;
  /** For how many times 5 minutes in a row; 288 at most, which is a day. @default 1 */
  readonly evaluationPeriods?: number;
}

/** An alarm on something that did not happen. */
export interface LockWatchTuning {
  /** @default 'page' */
  readonly severity?: LockAlarmSeverity;
  /** How long it may take; a day at most for `didNotRun`, almost 7 for `notTriggered`. @default what the schedule, a run and its retries can take */
  readonly after?: Duration;
}

/** Whom alarms tell. Each kind can be turned off with `false`, or tuned, which also makes one that the level lacks. */
export interface LockAlarmsOptions {
  /** Which kinds are made. Costs stand beside each level. @default LockAlarmLevel.ALL */
  readonly level?: LockAlarmLevel;
  /** Whom the urgent alarms tell. @default alarmActions */
  readonly page?: readonly IAlarmAction[];
  /** Whom the other alarms tell. @default alarmActions */
  readonly ticket?: readonly IAlarmAction[];
  /** Whether they are told as well when it is fine again. A new alarm is fine: then each is told of it when it is made. @default false */
  readonly notifyOk?: boolean;
  /** A tick was given up after all retries. @default a page */
  readonly deadLetters?: false | LockAlarmTuning;
  /** EventBridge gave up a tick and could not send it to the queue. @default a page */
  readonly deadLettersLost?: false | LockAlarmTuning;
  /** A tick was sent, and no run did it. @default a page */
  readonly didNotRun?: false | LockWatchTuning;
  /** No tick was sent for longer than the schedule allows. @default a page */
  readonly notTriggered?: false | LockWatchTuning;
  /** A run went on without its lock. @default a page */
  readonly lockLost?: false | LockAlarmTuning;
  /** A run failed. @default a ticket, where Lambda tries it again or its failure is no dead letter */
  readonly failed?: false | LockAlarmTuning;
  /** A run took over 90 % of its timeout. @default a ticket */
  readonly longRun?: false | LockAlarmTuning;
  /** A host's clock is off by more than `maxClockSkew`. @default a ticket */
  readonly clockSkew?: false | LockAlarmTuning;
}

const NUMBERS = ['severity', 'threshold', 'evaluationPeriods'];
const WATCHES = ['severity', 'after'];
/** CloudWatch looks back over a day at most in periods of 5 minutes. */
const MOST_PERIODS = 288;
const OWN = ['level', 'page', 'ticket', 'notifyOk'];

/** Whether a kind is asked for, by itself or by the level. */
export function isWanted(kind: LockAlarmKind, options: LockAlarmsOptions): boolean {
  const { level = LockAlarmLevel.ALL, [kind]: tuning } = options;
  return tuning === undefined ? OF_LEVEL[level].includes(kind) : tuning !== false;
}

/** Whether runs write metrics: always, but at the level that watches none of them. */
export function writesMetrics(options: LockAlarmsOptions | false): boolean {
  if (options === false || options.level !== LockAlarmLevel.FLEET) return true;
  return OF_METRICS.some((kind) => isWanted(kind, options));
}

/** @throws TypeError, RangeError for a kind, a severity or a setting that does not exist, with those that do */
export function checkAlarmOptions(options: LockAlarmsOptions): void {
  const kinds = Object.keys(LOCK_ALARMS);
  const levels = Object.values(LockAlarmLevel);
  if (options.level !== undefined && !levels.includes(options.level)) {
    throw new TypeError(`alarms.level is ${shown(options.level)}: choose '${levels.join("', '")}'`);
  }
  for (const [name, tuning] of Object.entries(options)) {
    if (OWN.includes(name)) continue;
    if (!kinds.includes(name)) {
      throw new TypeError(`alarms has '${name}': give ${OWN.join(', ')} or a kind of ${kinds.join(', ')}`);
    }
    if (tuning === false || tuning === undefined) continue;
    const known = name === 'didNotRun' || name === 'notTriggered' ? WATCHES : NUMBERS;
    const stray = Object.keys(tuning).find((setting) => !known.includes(setting));
    if (stray !== undefined) throw new TypeError(`alarms.${name} has '${stray}': give ${known.join(', ')}, or false`);
    const { severity = 'page' } = tuning;
    if (severity !== 'page' && severity !== 'ticket') {
      throw new TypeError(`alarms.${name}.severity is '${severity}': choose 'page' or 'ticket'`);
    }
    const { evaluationPeriods = 1 } = tuning as LockAlarmTuning;
    if (!Number.isInteger(evaluationPeriods) || evaluationPeriods < 1 || evaluationPeriods > MOST_PERIODS) {
      throw new RangeError(
        `alarms.${name}.evaluationPeriods is ${evaluationPeriods}: give a whole number from 1 to ${MOST_PERIODS}`,
      );
    }
  }
}
