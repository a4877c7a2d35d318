import { cron } from 'single-execution/schedule';
import { manualClock } from 'single-execution/testing';
import { expect, test } from 'vitest';
import { dueTick, instantIn, runSpan, shortSpan } from '../../src/operate/times.js';

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

test.each([
  ['2026-11-21T02:00:00Z', Date.UTC(2026, 10, 21, 2)],
  ['2026-11-21T03:00:00.5+01:00', Date.UTC(2026, 10, 21, 2, 0, 0, 500)],
  ['1763629200000', 1_763_629_200_000],
  ['2026-11-21T02:00:00', undefined],
  ['tomorrow', undefined],
])('an operator writes an instant with its offset, or in epoch milliseconds: %s', (text, ms) => {
  expect(instantIn(text)?.getTime()).toBe(ms);
});

test('the tick that is due by a clock is the newest past one, or a nearer one to come', () => {
  const at = (hour: number, minute: number) =>
    dueTick(cron('0 * * * *'), manualClock(Date.UTC(2026, 10, 21, hour, minute)));

  expect(at(2, 30)).toEqual(new Date('2026-11-21T02:00:00Z'));
  expect(at(2, 58)).toEqual(new Date('2026-11-21T03:00:00Z'));
});
