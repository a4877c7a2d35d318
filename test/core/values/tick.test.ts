import fc from 'fast-check';
import { cron, type Schedule } from 'single-execution/schedule';
import { describe, expect, test } from 'vitest';
import { checkTick, dateOf, missedTicks, type NewestTicks } from '../../../src/core/values/tick.js';

const NOW = Date.parse('2026-03-29T02:00:00Z');
const DAY = 86_400_000;
const iso = ({ ticksMs }: NewestTicks) => ticksMs.map((ms) => new Date(ms).toISOString());

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
    ['Infinity', Number.POSITIVE_INFINITY, 'tick is Infinity: pass a Date, or epoch milliseconds, or leave it out'],
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
    expect(iso(missedTicks(at('00:00:00'), at('00:25:00'), { everyMs: 300_000 }))).toEqual([
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
    expect(missedTicks(at(last), at(tick), { everyMs: 300_000 })).toEqual({ ticksMs: [], others: 0 });
  });

  test('row 39: a daily job in New York has missed nothing, on the short day as on the long one', () => {
    const missedOn = (before: string, day: string) =>
      iso(missedTicks(Date.parse(before), Date.parse(day), { everyMs: DAY }));

    expect(missedOn('2026-03-07T12:00:00-05:00', '2026-03-08T12:00:00-04:00')).toEqual([]);
    expect(missedOn('2026-10-31T12:00:00-04:00', '2026-11-01T12:00:00-05:00')).toEqual([]);
  });

  test('row 39: a gap counts as the nearest number of whole intervals', () => {
    const missedAfter = (ms: number) =>
      missedTicks(at('00:00:00'), at('00:00:00') + ms, { everyMs: 60_000 }).ticksMs.length;

    expect([89_999, 90_000, 149_999, 150_000].map(missedAfter)).toEqual([0, 1, 1, 2]);
  });

  test.each([
    ['a day', '2025-12-31T00:00:00Z', 1_339],
    ['a year, up to 10,000', '2025-01-01T00:00:00Z', 10_000],
  ])('row 39: lists the newest 100 of a gap of %s, and counts the others', (_, last, others) => {
    const missed = missedTicks(Date.parse(last), at('00:00:00'), { everyMs: 60_000 });

    expect(iso(missed)).toHaveLength(100);
    expect([iso(missed)[0], iso(missed)[99]]).toEqual(['2025-12-31T22:20:00.000Z', '2025-12-31T23:59:00.000Z']);
    expect(missed.others).toBe(others);
  });

  test('row 39: all lie strictly between the last tick and this one, one interval apart', () => {
    const past = fc.integer({ min: 1_420_070_400_000, max: NOW });
    fc.assert(
      fc.property(past, past, fc.integer({ min: 1, max: 31 * DAY }), (last, tick, everyMs) => {
        const missed = missedTicks(last, tick, { everyMs }).ticksMs;

        expect(missed.length).toBeLessThanOrEqual(100);
        expect(missed.every((ms) => ms > last && ms < tick && (ms - last) % everyMs === 0)).toBe(true);
        const newest = missed.at(-1);
        expect(tick - (newest ?? last)).toBeLessThan(1.5 * everyMs);
      }),
    );
  });
});

describe('missedTicks of a schedule', () => {
  const missed = (last: string, tick: string, schedule: Schedule) =>
    iso(missedTicks(Date.parse(last), Date.parse(tick), schedule));

  test('row 39: are exact if ticks are unevenly spaced', () => {
    const working = cron('0 9,17 * * MON-FRI');

    expect(missed('2026-11-20T17:00:00Z', '2026-11-23T09:00:00Z', working)).toEqual([]);
    expect(missed('2026-11-20T09:00:00Z', '2026-11-23T17:00:00Z', working)).toEqual([
      '2026-11-20T17:00:00.000Z',
      '2026-11-23T09:00:00.000Z',
    ]);
  });

  test('row 39: are exact if clocks change', () => {
    const nightly = cron('30 2 * * *', { timeZone: 'Europe/Berlin' });

    // The night of the 29th of March has no half past two.
    expect(missed('2026-03-28T01:30:00Z', '2026-03-30T00:30:00Z', nightly)).toEqual([]);
    expect(missed('2026-10-24T00:30:00Z', '2026-10-26T01:30:00Z', nightly)).toEqual(['2026-10-25T00:30:00.000Z']);
  });

  test('row 39: are an empty list for the same tick, or for an older one', () => {
    const hourly = cron('0 * * * *');

    expect(missed('2026-01-01T12:00:00Z', '2026-01-01T12:00:00Z', hourly)).toEqual([]);
    expect(missed('2026-01-01T12:00:00Z', '2026-01-01T02:00:00Z', hourly)).toEqual([]);
  });

  test.each([
    ['100 minutes', '2025-12-31T22:19:00Z', 0],
    ['101 minutes', '2025-12-31T22:18:00Z', 1],
    ['a day', '2025-12-31T00:00:00Z', 1_339],
    ['a year, up to 10,000', '2025-01-01T00:00:00Z', 10_000],
  ])('row 39: are the newest 100 of a gap of %s, and the count of the others', (_, last, others) => {
    const found = missedTicks(Date.parse(last), Date.parse('2026-01-01T00:00:00Z'), cron('* * * * *'));

    expect(iso(found)).toHaveLength(100);
    expect([iso(found)[0], iso(found)[99]]).toEqual(['2025-12-31T22:20:00.000Z', '2025-12-31T23:59:00.000Z']);
    expect(found.others).toBe(others);
  });

  test('row 39: are what the schedule has between the two', () => {
    const schedule = cron('7 */3 * * *', { timeZone: 'America/New_York' });
    const hours = fc.integer({ min: 0, max: 24 * 365 });
    fc.assert(
      fc.property(hours, fc.integer({ min: 0, max: 200 }), (start, length) => {
        const last = new Date(NOW + start * 3_600_000);
        const tick = new Date(last.getTime() + length * 3_600_000);

        expect(missedTicks(last.getTime(), tick.getTime(), schedule)).toEqual({
          ticksMs: schedule.between(new Date(last.getTime() + 1), tick).map(Number),
          others: 0,
        });
      }),
    );
  });

  test('row 39: end if a schedule of your own returns nothing more, or no Date', () => {
    const of = (previous: unknown): Schedule => ({ ...cron('* * * * *'), previous: () => previous as Date });

    for (const nothing of [undefined, null, 'yesterday', new Date(Number.NaN)]) {
      expect(missed('2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z', of(nothing))).toEqual([]);
    }
    // The same instant again and again is one tick.
    expect(missed('2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z', of(new Date('2025-06-01')))).toHaveLength(1);
  });
});

test('shows an instant as a Date, and none as none', () => {
  expect(dateOf(1_767_225_600_000)).toEqual(new Date('2026-01-01T00:00:00Z'));
  expect(dateOf(0)).toEqual(new Date('1970-01-01T00:00:00Z'));
  expect(dateOf(undefined)).toBeUndefined();
});
