import { describe, expect, test } from 'vitest';
import { type AlarmState, alarmState, type MissingData } from './alarm-state.js';

const STATES = ['OK', 'ALARM', 'INSUFFICIENT_DATA'] as const;

/**
 * The state for five data points, of which three count, after each previous state. `0` is within the threshold, `X`
 * breaches it.
 */
function statesOf(points: string, datapointsToAlarm: number, treatMissingData: MissingData): AlarmState[] {
  const range = points.split(' ').map((point) => ({ 0: 0, X: 1 })[point]);
  const rule = { evaluationPeriods: 3, datapointsToAlarm, treatMissingData, isBreaching: (value: number) => value > 0 };
  return STATES.map((current) => alarmState(range, rule, current));
}

describe("the state of an alarm is that of AWS's own tables", () => {
  const [ALL_OK, ALL_ALARM, KEPT] = [STATES.map(() => 'OK'), STATES.map(() => 'ALARM'), STATES];

  test.each([
    [3, '0 - X - X', ALL_OK, ALL_OK],
    [3, '0 - - - -', ALL_OK, ALL_OK],
    [3, '- - - - -', KEPT, ALL_OK],
    [3, '0 X X - X', ALL_ALARM, ALL_ALARM],
    [3, '- - X - -', KEPT, ALL_OK],
    // These rows are from the text below the table.
    [3, '- - - - X', KEPT, ALL_OK],
    [3, '- - - X -', KEPT, ALL_OK],
    [2, '0 - X - X', ALL_ALARM, ALL_ALARM],
    [2, '0 0 X 0 X', ALL_ALARM, ALL_ALARM],
    [2, '0 - X - -', ALL_OK, ALL_OK],
    [2, '- - - - 0', ALL_OK, ALL_OK],
    [2, '- - - X -', KEPT, ALL_OK],
  ] as const)('%i of 3: %s', (datapointsToAlarm, points, ignored, notBreaching) => {
    expect(statesOf(points, datapointsToAlarm, 'ignore')).toEqual(ignored);
    expect(statesOf(points, datapointsToAlarm, 'notBreaching')).toEqual(notBreaching);
  });
});
