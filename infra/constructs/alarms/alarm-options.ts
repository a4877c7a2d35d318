import type { Duration } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';

/** `page` wakes somebody; `ticket` waits until the morning. */
export type LockAlarmSeverity = 'page' | 'ticket';

/** Every kind of alarm, and how urgent it is unless it is told otherwise. */
export const LOCK_ALARMS = {
  /** A tick was given up after all retries. */
  deadLetters: 'page',
  /** A tick was sent, and no run did it. */
  didNotRun: 'page',
  /** No tick was sent for longer than the schedule allows. */
  notTriggered: 'page',
  /** A run went on without its lock. */
  lockLost: 'page',
  /** A run failed, and is tried again. */
  failed: 'ticket',
  /** A run took nearly its time-out. */
  longRun: 'ticket',
  /** A host's clock is off. */
  clockSkew: 'ticket',
} as const satisfies Readonly<Record<string, LockAlarmSeverity>>;

export type LockAlarmKind = keyof typeof LOCK_ALARMS;

/** An alarm on a number. */
export interface LockAlarmTuning {
  readonly severity?: LockAlarmSeverity;
  /** From which value on: milliseconds for `longRun` and `clockSkew`, else how many. @default 1, or 90 % of the time-out */
  readonly threshold?: number;
  /** For how many times 5 minutes in a row. @default 1 */
  readonly evaluationPeriods?: number;
}

/** An alarm on something that did not happen. */
export interface LockWatchTuning {
  readonly severity?: LockAlarmSeverity;
  /** How long it may take. @default what the schedule, a run and its retries can take */
  readonly after?: Duration;
}

/** Each kind can be turned off with `false`, or tuned. */
export interface LockAlarmsOptions {
  /** Whom the urgent alarms tell. @default alarmActions */
  readonly page?: readonly IAlarmAction[];
  /** Whom the other alarms tell. @default alarmActions */
  readonly ticket?: readonly IAlarmAction[];
  /** Whether they are told as well when it is fine again. @default true */
  readonly notifyOk?: boolean;
  readonly deadLetters?: false | LockAlarmTuning;
  readonly didNotRun?: false | LockWatchTuning;
  readonly notTriggered?: false | LockWatchTuning;
  readonly lockLost?: false | LockAlarmTuning;
  /** @default made where Lambda tries a failed run again, or where its failure is no dead letter */
  readonly failed?: false | LockAlarmTuning;
  readonly longRun?: false | LockAlarmTuning;
  readonly clockSkew?: false | LockAlarmTuning;
}

const NUMBERS = ['severity', 'threshold', 'evaluationPeriods'];
const WATCHES = ['severity', 'after'];
const OWN = ['page', 'ticket', 'notifyOk'];

/** @throws TypeError for a kind, a severity or a setting that does not exist, with those that do */
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
  }
}
