import { expect, test } from 'vitest';
import { runSpan, shortSpan } from '../../src/operate/span.js';

test('spans have two units at most', () => {
  expect([0, 999, 1_000, 130_400, 3_661_000, 90_061_000, -5].map(shortSpan)).toEqual([
    '0ms',
    '999ms',
    '1s',
    '2m10s',
    '1h1m',
    '1d1h',
    '0ms',
  ]);
  expect([20, 1_250, 61_000].map(runSpan)).toEqual(['20ms', '1.3s', '1m1s']);
});
