import type { Duration } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';

/** `page` wakes somebody; `ticket` waits until the morning. */
export type LockAlarmSeverity = 'page' | 'ticket';

/** A kind of alarm. */
export type LockAlarmKind =
  | 'deadLetters'
  | 'didNotRun'
  | 'notTriggered'
  | 'lockLost'
  | 'failed'
  | 'longRun'
  | 'clockSkew';

/** Every kind, and how urgent it is unless it is told otherwise. */
export const LOCK_ALARMS: Readonly<Record<LockAlarmKind, LockAlarmSeverity>> = {
  deadLetters: 'page',
  didNotRun: 'page',
  notTriggered: 'page',
  lockLost: 'page',
  failed: 'ticket',
  longRun: 'ticket',
  clockSkew: 'ticket',
};

/** An alarm on a number. */
export interface LockAlarmTuning {
  /** @default that of its kind */
  readonly severity?: LockAlarmSeverity;
  /** From which value on: milliseconds for `longRun` and `clockSkew`, else how many. @default 1, or 90 % of the time-out */
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

/** Whom alarms tell. Each kind can be turned off with `false`, or tuned. */
export interface LockAlarmsOptions {
  /** Whom the urgent alarms tell. @default alarmActions */
  readonly page?: readonly IAlarmAction[];
  /** Whom the other alarms tell. @default alarmActions */
  readonly ticket?: readonly IAlarmAction[];
  /** Whether they are told as well when it is fine again. @default true */
  readonly notifyOk?: boolean;
  /** A tick was given up after all retries. @default a page */
  readonly deadLetters?: false | LockAlarmTuning;
  /** A tick was sent, and no run did it. @default a page */
  readonly didNotRun?: false | LockWatchTuning;
  /** No tick was sent for longer than the schedule allows. @default a page */
  readonly notTriggered?: false | LockWatchTuning;
  /** A run went on without its lock. @default a page */
  readonly lockLost?: false | LockAlarmTuning;
  /** A run failed. @default a ticket, where Lambda tries it again or its failure is no dead letter */
  readonly failed?: false | LockAlarmTuning;
  /** A run took over 90 % of its time-out. @default a ticket */
  readonly longRun?: false | LockAlarmTuning;
  /** A host's clock is off by more than `maxClockSkew`. @default a ticket */
  readonly clockSkew?: false | LockAlarmTuning;
}

const NUMBERS = ['severity', 'threshold', 'evaluationPeriods'];
const WATCHES = ['severity', 'after'];
/** CloudWatch looks back over a day at most in periods of 5 minutes. */
const MOST_PERIODS = 288;
const OWN = ['page', 'ticket', 'notifyOk'];

/** @throws TypeError, RangeError for a kind, a severity or a setting that does not exist, with those that do */
export function checkAlarmOptions(options: LockAlarmsOptions): void {
  const kinds = Object.keys(LOCK_ALARMS);
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
