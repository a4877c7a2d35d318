import type { Series } from './series.js';

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
/** CloudWatch knows `missing` and `breaching` too, which no alarm here asks for. */
export type MissingData = 'ignore' | 'notBreaching';

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
  if (breaching >= datapointsToAlarm) return 'ALARM';
  if (points.length === evaluationPeriods || treatMissingData === 'notBreaching') return 'OK';
  // What is missing is left out, and what there is decides.
  return breaching < points.length ? 'OK' : current;
}
