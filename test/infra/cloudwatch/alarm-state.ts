import type { Series } from './series.js';

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
/** How an alarm treats missing data. CloudWatch also knows `missing` and `breaching`, which no alarm here uses. */
export type MissingData = 'ignore' | 'notBreaching';

export interface AlarmRule {
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm: number;
  readonly treatMissingData: MissingData;
  isBreaching(value: number): boolean;
}

/**
 * The state of an alarm as CloudWatch's user guide defines it (awsdocs/amazon-cloudwatch-user-guide at cc40332,
 * doc_source/AlarmThatSendsEmail.md, "How alarm state is evaluated when data is missing").
 *
 * @param range the evaluation range: the evaluation periods, and the earlier periods that CloudWatch fetches as well
 */
export function alarmState(range: Series, rule: AlarmRule, current: AlarmState): AlarmState {
  const { evaluationPeriods, datapointsToAlarm, treatMissingData } = rule;
  const points = range.filter((value) => value !== undefined).slice(-evaluationPeriods);
  const breaching = points.filter((value) => rule.isBreaching(value)).length;
  if (breaching >= datapointsToAlarm) return 'ALARM';
  if (points.length === evaluationPeriods || treatMissingData === 'notBreaching') return 'OK';
  // Missing points are left out; the existing points decide.
  return breaching < points.length ? 'OK' : current;
}
