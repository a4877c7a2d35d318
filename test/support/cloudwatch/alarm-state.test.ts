import { describe, expect, test } from 'vitest';
import { type AlarmState, alarmState, type MissingData } from './alarm-state.js';

const TREATMENTS: readonly MissingData[] = ['missing', 'ignore', 'breaching', 'notBreaching'];
const KEPT = 'kept';

/** The state that each treatment gives to five data points, of which three count: `0` is within, `X` breaches. */
function statesOf(points: string, datapointsToAlarm: number): string[] {
  const range = points.split(' ').map((point) => ({ 0: 0, X: 1 })[point]);
  return TREATMENTS.map((treatMissingData) => {
    const rule = {
      evaluationPeriods: 3,
      datapointsToAlarm,
      treatMissingData,
      isBreaching: (value: number) => value > 0,
    };
    const states = (['OK', 'ALARM', 'INSUFFICIENT_DATA'] as const).map((current) => alarmState(range, rule, current));
    const kept = states.join() === 'OK,ALARM,INSUFFICIENT_DATA';
    if (!kept && new Set(states).size > 1) throw new Error(`the current state decides: ${states}`);
    return kept ? KEPT : (states[0] as AlarmState);
  });
}

const [OK, ALARM, NONE] = ['OK', 'ALARM', 'INSUFFICIENT_DATA'];

describe("the state of an alarm is that of AWS's own tables", () => {
  test.each([
    ['0 - X - X', [OK, OK, OK, OK]],
    ['0 - - - -', [OK, OK, OK, OK]],
    ['- - - - -', [NONE, KEPT, ALARM, OK]],
    ['0 X X - X', [ALARM, ALARM, ALARM, ALARM]],
    ['- - X - -', [ALARM, KEPT, ALARM, OK]],
    // From the text below the table.
    ['- - - - X', [NONE, KEPT, ALARM, OK]],
    ['- - - X -', [NONE, KEPT, ALARM, OK]],
  ])('3 of 3: %s', (points, states) => {
    expect(statesOf(points, 3)).toEqual(states);
  });

  test.each([
    ['0 - X - X', [ALARM, ALARM, ALARM, ALARM]],
    ['0 0 X 0 X', [ALARM, ALARM, ALARM, ALARM]],
    ['0 - X - -', [OK, OK, ALARM, OK]],
    ['- - - - 0', [OK, OK, ALARM, OK]],
    ['- - - X -', [ALARM, KEPT, ALARM, OK]],
  ])('2 of 3: %s', (points, states) => {
    expect(statesOf(points, 2)).toEqual(states);
  });
});
