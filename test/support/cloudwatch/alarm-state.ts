import type { Series } from './series.js';

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
export type MissingData = 'missing' | 'ignore' | 'breaching' | 'notBreaching';

export interface AlarmRule {
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm: number;
  readonly treatMissingData: MissingData;
  isBreaching(value: number): boolean;
}

/**
 * The state of an alarm, by CloudWatch's user guide (awsdocs/amazon-cloudwatch-user-guide at cc40332,
 * doc_source/AlarmThatSendsEmail.md, "How alarm state is evaluated when data is missing").
 *
 * @param range the evaluation range: the evaluation periods, and as many before them as CloudWatch fetches besides
 */
export function alarmState(range: Series, rule: AlarmRule, current: AlarmState): AlarmState {
  const { evaluationPeriods, datapointsToAlarm, treatMissingData } = rule;
  const points = range.filter((value) => value !== undefined).slice(-evaluationPeriods);
  const breaching = points.filter((value) => rule.isBreaching(value)).length;
  const filled = evaluationPeriods - points.length;
  if (breaching >= datapointsToAlarm) return 'ALARM';
  if (filled === 0 || treatMissingData === 'notBreaching') return 'OK';
  if (treatMissingData === 'breaching') return breaching + filled >= datapointsToAlarm ? 'ALARM' : 'OK';
  // Both others leave out what is missing, and judge by what there is.
  if (breaching < points.length) return 'OK';
  if (treatMissingData === 'ignore') return current;
  // A breach that is as old as the data points to alarm, and nothing better since: the "premature" alarm.
  const oldest = range.findIndex((value) => value !== undefined);
  return oldest >= 0 && range.length - oldest >= datapointsToAlarm ? 'ALARM' : 'INSUFFICIENT_DATA';
}
