import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkTick, missedTicks } from '../../../src/core/values/tick.js';

const NOW = Date.parse('2026-03-29T02:00:00Z');
const DAY = 86_400_000;
const iso = (dates: Date[]) => dates.map((date) => date.toISOString());

describe('checkTick', () => {
  test.each<[string, number]>([
    ['now', NOW],
    ['the first instant of 2015', 1_420_070_400_000],
    ['a day ahead', NOW + DAY],
  ])('takes %s', (_, tickMs) => {
    expect(checkTick(tickMs, NOW)).toBe(tickMs);
  });

  test.each<[string, number, string]>([
    ['seconds', NOW / 1_000, 'tick is 1774749600 (1970-01-21T12:59:09.600Z), before 2015'],
    ['zero', 0, 'before 2015'],
    ['the last instant of 2014', 1_420_070_399_999, 'before 2015'],
    ['microseconds', NOW * 1_000, 'tick is 1774749600000000 (+058209-'],
    ['nanoseconds, beyond any Date', NOW * 1e6, 'tick is 1774749600000000000, over 1d ahead'],
    ['more than a day ahead', NOW + DAY + 1, 'over 1d ahead of 1774749600000 (2026-03-29T02:00:00.000Z)'],
    ['Infinity', Number.POSITIVE_INFINITY, 'tick is Infinity: give a Date, or epoch milliseconds, or leave it out'],
  ])('F71 refuses %s, which would keep the job from ever running again', (_, tickMs, message) => {
    expect(() => checkTick(tickMs, NOW)).toThrow(RangeError);
    expect(() => checkTick(tickMs, NOW)).toThrow(message);
  });

  test('F94 refuses a tampered far-future time however far', () => {
    fc.assert(
      fc.property(fc.double({ min: NOW + DAY + 1, noNaN: true }), (tickMs) => {
        expect(() => checkTick(tickMs, NOW)).toThrow(RangeError);
      }),
    );
  });

  test('F68 refuses NaN, which would compare with nothing', () => {
    expect(() => checkTick(Number.NaN, NOW)).toThrow(RangeError);
  });

  test('F69 keeps the exact time of a rate() rule: two ticks of one five-minute bucket stay two', () => {
    const early = Date.parse('2026-03-29T01:55:01Z');
    const late = Date.parse('2026-03-29T01:59:59Z');

    expect([checkTick(early, NOW), checkTick(late, NOW)]).toEqual([early, late]);
  });

  test('F70 both runs of the repeated hour in autumn have ticks of their own', () => {
    const summer = Date.parse('2026-10-25T02:30:00+02:00');
    const winter = Date.parse('2026-10-25T02:30:00+01:00');

    expect(checkTick(winter, winter) - checkTick(summer, winter)).toBe(3_600_000);
  });

  test('drops parts of a millisecond', () => {
    expect(checkTick(1_774_749_600_000.9, NOW)).toBe(1_774_749_600_000);
  });
});

describe('missedTicks', () => {
  const at = (time: string) => Date.parse(`2026-01-01T${time}Z`);

  test('row 39: a job of every five minutes that last ran 25 minutes ago has missed four', () => {
    expect(iso(missedTicks(at('00:00:00'), at('00:25:00'), 300_000))).toEqual([
      '2026-01-01T00:05:00.000Z',
      '2026-01-01T00:10:00.000Z',
      '2026-01-01T00:15:00.000Z',
      '2026-01-01T00:20:00.000Z',
    ]);
  });

  test.each<[string, string, string]>([
    ['the tick that was due', '00:00:00', '00:05:00'],
    ['the same tick again', '00:05:00', '00:05:00'],
    ['a tick that came early', '00:00:00', '00:04:58'],
    ['a tick that came a millisecond late', '00:00:00', '00:05:00.001'],
    ['an older tick', '00:10:00', '00:05:00'],
  ])('row 39: nothing is missed before %s', (_, last, tick) => {
    expect(missedTicks(at(last), at(tick), 300_000)).toEqual([]);
  });

  test('row 39: a daily job in New York has missed nothing, on the short day as on the long one', () => {
    const missedOn = (before: string, day: string) => missedTicks(Date.parse(before), Date.parse(day), DAY);

    expect(missedOn('2026-03-07T12:00:00-05:00', '2026-03-08T12:00:00-04:00')).toEqual([]);
    expect(missedOn('2026-10-31T12:00:00-04:00', '2026-11-01T12:00:00-05:00')).toEqual([]);
  });

  test('row 39: a gap counts as the nearest number of whole intervals', () => {
    const missedAfter = (ms: number) => missedTicks(at('00:00:00'), at('00:00:00') + ms, 60_000).length;

    expect([89_999, 90_000, 149_999, 150_000].map(missedAfter)).toEqual([0, 1, 1, 2]);
  });

  test('row 39: lists the newest 100 of a long gap', () => {
    const missed = missedTicks(Date.parse('2025-01-01T00:00:00Z'), at('00:00:00'), 60_000);

    expect(missed).toHaveLength(100);
    expect(missed[0]?.toISOString()).toBe('2025-12-31T22:20:00.000Z');
    expect(missed[99]?.toISOString()).toBe('2025-12-31T23:59:00.000Z');
  });

  test('row 39: all lie strictly between the last tick and this one, one interval apart', () => {
    const past = fc.integer({ min: 1_420_070_400_000, max: NOW });
    fc.assert(
      fc.property(past, past, fc.integer({ min: 1, max: 31 * DAY }), (last, tick, everyMs) => {
        const missed = missedTicks(last, tick, everyMs).map(Number);

        expect(missed.length).toBeLessThanOrEqual(100);
        expect(missed.every((ms) => ms > last && ms < tick && (ms - last) % everyMs === 0)).toBe(true);
        const newest = missed.at(-1);
        expect(tick - (newest ?? last)).toBeLessThan(1.5 * everyMs);
      }),
    );
  });
});
