import fc from 'fast-check';
import { cron, eventBridge, except, rate, type Schedule } from 'single-execution/schedule';
import { describe, expect, test } from 'vitest';
import { readSchedule } from '../../src/schedule/read-schedule.js';

const at = (text: string) => new Date(text);
const WORKDAYS = cron('0 9 * * MON-FRI', { timeZone: 'Europe/Berlin' });

/** The local day of an instant, by the platform. */
const dayIn = (timeZone: string, tick: Date) => new Intl.DateTimeFormat('en-CA', { timeZone }).format(tick);

test('row 184: leaves out local days of its time zone', () => {
  const schedule = except(cron('30 23 * * *', { timeZone: 'Asia/Tokyo' }), { dates: ['2026-12-25'] });

  const december = schedule.between(at('2026-12-24T00:00:00Z'), at('2026-12-27T00:00:00Z'));

  expect(december).toEqual([at('2026-12-24T14:30:00Z'), at('2026-12-26T14:30:00Z')]);
  expect(schedule.previous(at('2026-12-26T00:00:00Z'))).toEqual(at('2026-12-24T14:30:00Z'));
  expect(schedule.next(at('2026-12-24T14:30:00Z'))).toEqual(at('2026-12-26T14:30:00Z'));
});

test('leaves out a range from its first instant, included, to its second, excluded', () => {
  const range = [at('2026-01-01T00:00:00Z'), at('2026-01-01T02:00:00Z')] as const;
  const schedule = except(cron('0 * * * *'), { ranges: [range] });

  expect(schedule.between(at('2025-12-31T23:00:00Z'), at('2026-01-01T04:00:00Z'))).toEqual([
    at('2025-12-31T23:00:00Z'),
    at('2026-01-01T02:00:00Z'),
    at('2026-01-01T03:00:00Z'),
  ]);
  expect(schedule.previous(at('2026-01-01T01:30:00Z'))).toEqual(at('2025-12-31T23:00:00Z'));
});

test('leaves out the ticks for which a function is true', () => {
  const schedule = except(WORKDAYS, { when: (tick) => tick.getUTCDate() === 2 });

  expect(schedule.next(at('2026-01-01T12:00:00Z'))).toEqual(at('2026-01-05T08:00:00Z'));
});

test('passes over years of seconds at once', () => {
  const range = [at('2000-01-01T00:00:00Z'), at('2100-01-01T00:00:00Z')] as const;
  const schedule = except(cron('* * * * * *'), { ranges: [range] });

  expect(schedule.next(at('2026-01-01T00:00:00Z'))).toEqual(range[1]);
  expect(schedule.previous(at('2026-01-01T00:00:00Z'))).toEqual(at('1999-12-31T23:59:59Z'));
});

test('leaves out of your own schedule what it leaves out of ours, by days of UTC', () => {
  const whole = cron('0 */5 * * *');
  const own: Schedule = {
    previous: (tick) => whole.previous(tick),
    next: (tick) => whole.next(tick),
    between: (from, to, options) => whole.between(from, to, options),
    toString: () => 'own',
  };
  const dates = ['2026-03-02', '2026-03-04'];
  const [from, to] = [at('2026-03-01T00:00:00Z'), at('2026-03-06T00:00:00Z')];

  expect(except(own, { dates }).between(from, to)).toEqual(except(whole, { dates }).between(from, to));
});

describe('in any time zone, on any day, however long', () => {
  const ZONES = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia', 'Africa/Cairo'];
  const day = fc
    .oneof(
      fc.date({ min: at('2007-01-01'), max: at('2027-12-31'), noInvalidDate: true }),
      // Berlin's 23 and 25 hours; St John's falls back over midnight; a day that Apia skipped; Cairo skips midnight.
      fc.constantFrom(...['2026-03-29', '2026-10-25', '2007-11-04', '2011-12-30', '2024-04-26'].map(at)),
    )
    .map((date) => date.toISOString().slice(0, 10));
  const expression = fc.constantFrom('*/7 * * * *', '1,59 0,23 * * *', '0 0 * * *', '30 2 * * *');

  test('row 184: leaves exactly the ticks of other days, forwards and backwards', () => {
    const world = fc.tuple(expression, fc.constantFrom(...ZONES), fc.uniqueArray(day, { minLength: 1, maxLength: 3 }));
    fc.assert(
      fc.property(world, ([text, timeZone, dates]) => {
        const whole = cron(text, { timeZone });
        const schedule = except(whole, { dates });
        const from = new Date(at(`${dates[0]}T00:00:00Z`).getTime() - 2 * 86_400_000);
        const to = new Date(from.getTime() + 5 * 86_400_000);
        const left = whole.between(from, to).filter((tick) => !dates.includes(dayIn(timeZone, tick)));

        expect(schedule.between(from, to)).toEqual(left);
        const backwards: Date[] = [];
        for (let tick = schedule.previous(new Date(+to - 1)); tick && tick >= from; ) {
          backwards.unshift(tick);
          tick = schedule.previous(new Date(+tick - 1));
        }
        expect(backwards).toEqual(left);
        for (const tick of left) expect(schedule.isOptional?.(tick)).toBe(whole.isOptional?.(tick));
      }),
      { numRuns: 150 },
    );
  });
});

describe('its text', () => {
  test.each([
    except(WORKDAYS, { dates: ['2026-12-25', '2026-12-24', '2026-12-25'] }),
    except(except(WORKDAYS, { dates: ['2026-12-25'] }), { dates: ['2027-01-01'] }),
    except(eventBridge('cron(0 9 ? * MON-FRI *)', { timeZone: 'Europe/Berlin' }), { dates: ['2026-12-25'] }),
    except(rate('6h', { start: at('2026-01-01T00:00:00Z') }), { dates: ['2026-12-25'] }),
    // A list of holidays may be empty.
    except(WORKDAYS, { dates: [], ranges: [] }),
    except(cron('0 9 1 * MON', { timeZone: 'Europe/Berlin', dialect: 'node-cron' }), { dates: ['2026-12-25'] }),
    eventBridge('rate(1 minutes)'),
    cron('@daily'),
    cron('0 0 9 1 * 1', { dialect: 'croner' }),
    rate('15m', { start: at('2026-01-01T00:00:00Z') }),
    eventBridge('at(2026-12-24T09:00:00)', { timeZone: 'Asia/Tokyo' }),
  ])('%s is read back as the same schedule', (schedule) => {
    const again = readSchedule(String(schedule)) as Schedule;

    expect(String(again)).toBe(String(schedule));
    const [from, to] = [at('2026-12-01T00:00:00Z'), at('2027-02-01T00:00:00Z')];
    expect(again.between(from, to)).toEqual(schedule.between(from, to));
  });

  test('names the days, and counts what cannot be read back', () => {
    const range = [at('2026-01-01T00:00:00Z'), at('2026-01-02T00:00:00Z')] as const;
    const when = () => false;

    expect(String(except(WORKDAYS, { dates: ['2027-01-01', '2026-12-25'] }))).toBe(
      '0 9 * * MON-FRI in Europe/Berlin except 2026-12-25,2027-01-01',
    );
    expect(String(except(WORKDAYS, { dates: ['2026-12-25'], ranges: [range], when }))).toBe(
      '0 9 * * MON-FRI in Europe/Berlin except 2026-12-25, 1 range, a function',
    );
    expect(() => readSchedule(String(except(WORKDAYS, { when })))).toThrow(RangeError);
  });
});

test.each<[string, () => unknown, Error]>([
  ['nothing', () => except(WORKDAYS, {}), new TypeError('except leaves out nothing: pass dates, ranges or when')],
  [
    'a day that does not exist',
    () => except(WORKDAYS, { dates: ['2026-12-25', '2026-02-30'] }),
    new RangeError("dates[1] is '2026-02-30': pass a day such as '2026-12-25'"),
  ],
  [
    'a Date in place of a day',
    () => except(WORKDAYS, { dates: [new Date(0) as never] }),
    new RangeError("dates[0] is 1970-01-01T00:00:00.000Z: pass a day such as '2026-12-25'"),
  ],
  [
    'a day in place of days',
    () => except(WORKDAYS, { dates: '2026-12-25' as never }),
    new TypeError("dates is '2026-12-25': pass an array, such as ['2026-12-25']"),
  ],
  [
    'a range that ends before it begins',
    () => except(WORKDAYS, { ranges: [[at('2026-01-02'), at('2026-01-01')]] }),
    new RangeError(
      'ranges[0] is 2026-01-02T00:00:00.000Z to 2026-01-01T00:00:00.000Z: pass two Dates, such as [from, to], with from before to',
    ),
  ],
  [
    'a rate without a start',
    () => except(rate('15m'), { dates: ['2026-12-25'] }),
    new TypeError('rate(15m) has no fixed instants to leave out: pass a cron, or a rate with its start'),
  ],
  [
    'a text in place of a schedule',
    () => except('0 9 * * *' as never, { dates: ['2026-12-25'] }),
    new TypeError("schedule is a string: pass a schedule, such as cron('0 9 * * MON-FRI')"),
  ],
  [
    'an async function',
    () => except(WORKDAYS, { when: (async () => true) as never }).next(at('2026-01-01')),
    new TypeError('when returned a promise: return the value itself, without async'),
  ],
  [
    'a function that throws',
    () =>
      except(WORKDAYS, {
        when() {
          throw new Error('no list of holidays');
        },
      }).next(at('2026-01-01')),
    new Error('0 9 * * MON-FRI in Europe/Berlin except a function: when threw for the tick 2026-01-01T08:00:00.000Z', {
      cause: new Error('no list of holidays'),
    }),
  ],
])('refuses %s', (_, make, error) => {
  expect(make).toThrow(error);
});
