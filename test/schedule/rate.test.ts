import fc from 'fast-check';
import { rate } from 'single-execution/schedule';
import { describe, expect, test } from 'vitest';

const START = new Date('2026-01-01T00:00:30Z');
const iso = (date: Date | undefined) => date?.toISOString();
const isos = (dates: readonly Date[]) => dates.map((date) => date.toISOString());

describe('row 88: the schedule of a rate', () => {
  test('counts from its start, which is the first tick', () => {
    const quarterly = rate('15 minutes', { start: START });

    expect(quarterly.previous(new Date('2026-01-01T00:00:29.999Z'))).toBeUndefined();
    expect(quarterly.previous(START)).toEqual(START);
    expect(iso(quarterly.next(new Date('2020-01-01T00:00:00Z')))).toBe('2026-01-01T00:00:30.000Z');
    expect(iso(quarterly.next(START))).toBe('2026-01-01T00:15:30.000Z');
    expect(iso(quarterly.previous(new Date('2026-11-22T10:07:00Z')))).toBe('2026-11-22T10:00:30.000Z');
    expect(isos(quarterly.between(START, new Date('2026-01-01T00:45:30Z')))).toEqual([
      '2026-01-01T00:00:30.000Z',
      '2026-01-01T00:15:30.000Z',
      '2026-01-01T00:30:30.000Z',
    ]);
    expect(quarterly.everyMs).toBeUndefined();
    expect(String(quarterly)).toBe('rate(15 minutes) from 2026-01-01T00:00:30.000Z');
  });

  test('without a start counts from the instant that is asked about', () => {
    const [hourly, at] = [rate('1 hour'), new Date('2026-11-22T10:07:00Z')];

    expect(hourly.previous(at)).toEqual(at);
    expect(iso(hourly.next(at))).toBe('2026-11-22T11:07:00.000Z');
    expect(isos(hourly.between(at, new Date('2026-11-22T13:07:00Z')))).toEqual([
      '2026-11-22T10:07:00.000Z',
      '2026-11-22T11:07:00.000Z',
      '2026-11-22T12:07:00.000Z',
    ]);
    expect(hourly.everyMs).toBe(3_600_000);
  });

  test.each([
    ['15 minutes', 900_000],
    ['1 minute', 60_000],
    ['2 days', 172_800_000],
    ['15m', 900_000],
    ['PT15M', 900_000],
    [900_000, 900_000],
  ])('takes %o', (duration, everyMs) => {
    expect(rate(duration).everyMs).toBe(everyMs);
  });

  test.each<[unknown, object, Error]>([
    [0, {}, new RangeError('rate is 0: pass the time between two ticks, 1 ms or more')],
    [-1, {}, new RangeError('rate is -1: pass a finite number of milliseconds, 0 or more')],
    [
      'often',
      {},
      new TypeError(
        "rate is 'often': pass milliseconds as a number, or a string such as '90s', '15m', '1h30m' or 'PT15M'",
      ),
    ],
    [
      '15 minute',
      {},
      new RangeError(
        "schedule is '15 minute': EventBridge takes a singular unit with 1 and a plural with more; use rate(15 minutes)",
      ),
    ],
    ['15m', { start: 0 }, new TypeError('start is 0: pass a Date')],
    ['15m', { start: new Date(Number.NaN) }, new RangeError('start is an invalid Date: pass a valid one')],
    ['15m', { from: START }, new TypeError("unknown option 'from' of rate: the option is start")],
  ])('refuses %o with %o', (duration, options, error) => {
    expect(() => rate(duration as string, options)).toThrow(error);
  });
});

test('row 88: previous, next and between of a rate agree with counting', () => {
  const ms = fc.integer({ min: -1_000_000, max: 1_000_000 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), ms, ms, (everyMs, startMs, atMs) => {
      const schedule = rate(everyMs, { start: new Date(startMs) });
      const count = Math.floor((atMs - startMs) / everyMs);
      const tick = (n: number) => new Date(startMs + n * everyMs);

      expect(schedule.previous(new Date(atMs))).toEqual(count < 0 ? undefined : tick(count));
      expect(schedule.next(new Date(atMs))).toEqual(tick(Math.max(0, count + 1)));
      expect(schedule.between(new Date(atMs), tick(Math.max(0, count + 1)))).toEqual(
        count >= 0 && tick(count).getTime() === atMs ? [new Date(atMs)] : [],
      );
    }),
  );
});
