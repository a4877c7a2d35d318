import { expect, test } from 'vitest';
import { metricMath } from './metric-math.js';
import type { Series } from './series.js';

const none = undefined;

function computed(expression: string, series: Readonly<Record<string, Series>>): Series {
  const length = Object.values(series)[0]?.length ?? 0;
  return metricMath(expression, { series, length, startMinute: 10, periodMinutes: 5 });
}

test.each<[string, string, Readonly<Record<string, Series>>, Series]>([
  // The tables of the user guide, "Using IF expressions".
  [
    'IF of three series',
    'IF(a, b, c)',
    { a: [1, 1, 0, 0, none], b: [30, none, 0, 0, 30], c: [0, 0, 20, none, 20] },
    [30, 0, 20, none, none],
  ],
  ['IF of a number', 'IF(a, 5, c)', { a: [1, 1, 0, 0, none], c: [0, 0, 20, none, 20] }, [5, 5, 20, none, none]],
  [
    'IF with a number otherwise',
    'IF(a, b, 5)',
    { a: [1, 1, 0, 0, none], b: [30, none, 0, 0, 30] },
    [30, 0, 5, 5, none],
  ],
  ['IF without otherwise', 'IF(a, b)', { a: [1, 0, none], b: [7, 7, 7] }, [7, none, none]],
  ['a sum, where what is missing counts as 0', 'a + b', { a: [1, none, none], b: [2, 2, none] }, [3, 2, none]],
  ['a difference', 'a - b', { a: [1, none, 5], b: [2, 2, none] }, [-1, -2, 5]],
  ['EPOCH, which has no gaps', 'EPOCH(a)', { a: [1, none, none] }, [600, 900, 1_200]],
  ['FILL, from the first value on', 'FILL(a, REPEAT)', { a: [none, 4, none, 0, none] }, [none, 4, 4, 0, 0]],
  ['what is nested', 'FILL(IF(a + b, b, 0), REPEAT)', { a: [none, 1, none], b: [none, none, 2] }, [none, 0, 2]],
])('metric math: %s', (_, expression, series, value) => {
  expect(computed(expression, series)).toEqual(value);
});

test.each(['MAX(a)', 'a * 2', 'a > 0', 'FILL(a, 0)', 'b', '5', 'IF(a, 1', 'a b', 'EPOCH(5)'])(
  'metric math: %s is refused rather than guessed',
  (expression) => {
    expect(() => computed(expression, { a: [1] })).toThrow(TypeError);
  },
);
