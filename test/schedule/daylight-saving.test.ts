import fc from 'fast-check';
import { cron, eventBridge, type Schedule } from 'single-execution/schedule';
import { describe, expect, test } from 'vitest';
import { debianCron } from './debian-cron.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const isos = (dates: readonly Date[]) => dates.map((date) => date.toISOString());

describe('row 88: a schedule in a time zone', () => {
  const berlin = { timeZone: 'Europe/Berlin' };
  const lordHowe = { timeZone: 'Australia/Lord_Howe' };
  const saoPaulo = { timeZone: 'America/Sao_Paulo' };

  test.each<[string, Schedule, from: string, ticks: string[]]>([
    [
      'moves a time that spring skips to the instant of the change',
      cron('30 2 * * *', berlin),
      '2026-03-28',
      ['2026-03-28T01:30:00.000Z', '2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'],
    ],
    [
      "leaves out what spring skips in EventBridge's dialect",
      eventBridge('cron(30 2 * * ? *)', berlin),
      '2026-03-28',
      ['2026-03-28T01:30:00.000Z', '2026-03-30T00:30:00.000Z'],
    ],
    [
      'moves what NestJS moves, also if it follows the clock',
      cron('*/30 2 * * *', { ...berlin, dialect: 'cron' }),
      '2026-03-29',
      [
        '2026-03-29T01:00:00.000Z',
        '2026-03-30T00:00:00.000Z',
        '2026-03-30T00:30:00.000Z',
        '2026-03-31T00:00:00.000Z',
        '2026-03-31T00:30:00.000Z',
      ],
    ],
    [
      'leaves out what node-cron leaves out',
      cron('30 2 * * *', { ...berlin, dialect: 'node-cron' }),
      '2026-03-28',
      ['2026-03-28T01:30:00.000Z', '2026-03-30T00:30:00.000Z'],
    ],
    [
      'knows a half-hour that clocks repeat',
      cron('45 1 * * *', lordHowe),
      '2026-04-04',
      ['2026-04-04T14:45:00.000Z', '2026-04-05T15:15:00.000Z', '2026-04-06T15:15:00.000Z'],
    ],
    [
      'knows a half-hour that clocks skip',
      cron('15 2 * * *', lordHowe),
      '2026-10-02',
      ['2026-10-02T15:45:00.000Z', '2026-10-03T15:30:00.000Z', '2026-10-04T15:15:00.000Z'],
    ],
    [
      'knows clocks that go back over midnight',
      cron('30 23 * * *', saoPaulo),
      '2018-02-17',
      ['2018-02-17T01:30:00.000Z', '2018-02-18T01:30:00.000Z', '2018-02-19T02:30:00.000Z'],
    ],
    [
      'leaves out a day that a country left out',
      cron('0 12 * * *', { timeZone: 'Pacific/Apia' }),
      '2011-12-29',
      ['2011-12-29T22:00:00.000Z', '2011-12-30T22:00:00.000Z', '2011-12-31T22:00:00.000Z'],
    ],
    [
      'knows clocks that are seconds away from UTC',
      cron('0 12 * * *', { timeZone: 'Africa/Monrovia' }),
      '1972-01-05',
      ['1972-01-05T12:44:30.000Z', '1972-01-06T12:44:30.000Z', '1972-01-07T12:00:00.000Z'],
    ],
  ])('%s', (_, schedule, from, ticks) => {
    const midnight = Date.parse(`${from}T00:00:00Z`);

    expect(isos(schedule.between(new Date(midnight), new Date(midnight + 3 * DAY)))).toEqual(ticks);
  });

  test('fires in the repetition as well if it follows the clock, and those ticks are optional', () => {
    const often = cron('*/20 1-3 * * *', berlin);
    const night = often.between(new Date('2026-10-25T00:00:00Z'), new Date('2026-10-25T02:30:00Z'));

    expect(night.map((tick) => [tick.toISOString().slice(11, 16), often.isOptional?.(tick)])).toEqual([
      ['00:00', false],
      ['00:20', false],
      ['00:40', false],
      ['01:00', true],
      ['01:20', true],
      ['01:40', true],
      ['02:00', false],
      ['02:20', false],
    ]);
    expect(often.next(new Date('2026-10-25T01:10:00Z'))).toEqual(new Date('2026-10-25T01:20:00Z'));
    expect(often.previous(new Date('2026-10-25T01:10:00Z'))).toEqual(new Date('2026-10-25T01:00:00Z'));
  });

  test.each<[string, Schedule, boolean]>([
    ['a moved tick', cron('30 2 * * *', berlin), true],
    ['a tick that stands there anyway', cron('30 2,3 * * *', berlin), true],
    ['a moved tick that falls on another one', cron('0 2,3 * * *', berlin), false],
    ['an instant without a tick', cron('15 * * * *', berlin), false],
    ['a time in UTC', cron('0 1 * * *', { timeZone: 'Etc/UTC' }), false],
  ])('says whether it is optional: %s', (_, schedule, isOptional) => {
    expect(schedule.isOptional?.(new Date('2026-03-29T01:00:00Z'))).toBe(isOptional);
  });

  test('refuses to judge what is not an instant', () => {
    expect(() => cron('0 1 * * *', berlin).isOptional?.(0 as never)).toThrow(new TypeError('tick is 0: pass a Date'));
  });

  test('never fires on the day that a country left out', () => {
    expect(() => eventBridge('at(2011-12-30T12:00:00)', { timeZone: 'Pacific/Apia' })).toThrow('never fires');
  });
});

/** Days around which clocks changed, and some on which nothing happened. */
const PLACES: readonly (readonly [zone: string, day: string])[] = [
  ['UTC', '2026-03-29'],
  ['Asia/Kolkata', '2026-10-25'],
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['Europe/Berlin', '1980-04-06'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['America/New_York', '1974-01-06'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['America/Sao_Paulo', '2018-02-18'],
  ['America/Sao_Paulo', '2018-11-04'],
  ['Asia/Beirut', '2026-03-29'],
  ['Africa/Cairo', '2026-04-24'],
  ['America/Santiago', '2026-09-06'],
  ['America/Havana', '2026-03-08'],
  ['America/Havana', '2026-11-01'],
  ['America/St_Johns', '2010-11-07'],
  ['America/St_Johns', '2010-03-14'],
  ['Europe/London', '2026-03-29'],
  ['Africa/Casablanca', '2026-03-22'],
  ['Antarctica/Troll', '2026-03-29'],
  ['Antarctica/Troll', '2026-10-25'],
  ['America/Caracas', '2007-12-09'],
  ['Asia/Pyongyang', '2018-05-05'],
  ['Asia/Kathmandu', '1986-01-01'],
  ['Pacific/Apia', '2011-12-30'],
  ['Pacific/Kwajalein', '1993-08-21'],
];

/** One field: its text, and which values it has. */
interface Part {
  readonly text: string;
  readonly has: (value: number) => boolean;
}

const every = fc.constant<Part>({ text: '*', has: () => true });
const some = (first: number, last: number): fc.Arbitrary<Part> =>
  fc.uniqueArray(fc.integer({ min: first, max: last }), { minLength: 1, maxLength: 4 }).map((values) => ({
    text: values.join(','),
    has: (value) => values.includes(value),
  }));
const steps = (last: number): fc.Arbitrary<Part> =>
  fc.integer({ min: 1, max: last }).map((by) => ({ text: `*/${by}`, has: (value) => value % by === 0 }));
const weekdays = fc.oneof(every, some(0, 6));

/** What a clock on the wall shows, by another reading of the platform's calendar than the library's. */
interface Wall {
  readonly text: string;
  readonly minute: number;
  readonly hour: number;
  readonly date: number;
  readonly weekday: number;
}

function clockIn(timeZone: string): (atMs: number) => Wall {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return (atMs) => {
    const text = format.format(atMs);
    const [date = '', time = ''] = text.split(' ');
    const [hour = 0, minute = 0] = time.split(':').map(Number);
    return { text, minute, hour, date: Number(date.slice(-2)), weekday: new Date(`${date}T00:00:00Z`).getUTCDay() };
  };
}

/** Walks through some days minute by minute, and notes each time that the clock shows for the first time. */
function walk(timeZone: string, fromMs: number, toMs: number, isDue: (wall: Wall) => boolean): Date[] {
  const wallAt = clockIn(timeZone);
  const shown = new Set<string>();
  const due: Date[] = [];
  for (let atMs = fromMs - 26 * HOUR; atMs < toMs; atMs += MINUTE) {
    const wall = wallAt(atMs);
    if (shown.has(wall.text)) continue;
    shown.add(wall.text);
    if (atMs >= fromMs && isDue(wall)) due.push(new Date(atMs));
  }
  return due;
}

const schedules = {
  zoned: fc.constantFrom(...PLACES),
  minutes: fc.oneof(every, some(0, 59), steps(59)),
  hours: fc.oneof(every, some(0, 23), steps(23), some(0, 3)),
  minute: fc.nat({ max: 3 * 24 * 60 - 1 }),
};

/** Expects a schedule to have these ticks in three days, and the ones before and after an instant. */
function expectTicks(schedule: Schedule, due: readonly Date[], fromMs: number, at: Date): void {
  expect(isos(schedule.between(new Date(fromMs), new Date(fromMs + 3 * DAY)))).toEqual(isos(due));
  const [before, after] = [due.findLast((date) => date <= at), due.find((date) => date > at)];
  if (before) expect(schedule.previous(at)).toEqual(before);
  if (after) expect(schedule.next(at)).toEqual(after);
}

test('row 88: a schedule of EventBridge fires when a walk along the minutes finds it due, wherever clocks change', () => {
  const { zoned, minutes, hours, minute } = schedules;
  fc.assert(
    fc.property(zoned, minutes, hours, weekdays, minute, ([timeZone, day], minutes, hours, days, minute) => {
      const fromMs = Date.parse(`${day}T00:00:00Z`) - DAY;
      const isDue = (wall: Wall) => minutes.has(wall.minute) && hours.has(wall.hour) && days.has(wall.weekday);
      const weekdayNames = days.text.replace(/\d/g, (digit) => String(Number(digit) + 1));
      const day5 = days.text === '*' ? '* * ? *' : `? * ${weekdayNames} *`;
      const schedule = eventBridge(`cron(${minutes.text} ${hours.text} ${day5})`, { timeZone });

      const due = walk(timeZone, fromMs, fromMs + 3 * DAY, isDue);
      expectTicks(schedule, due, fromMs, new Date(fromMs + minute * MINUTE + 1));
    }),
    { numRuns: 40 },
  );
});

test("row 88: a crontab fires when Debian's cron does, wherever clocks change", () => {
  const { zoned, minutes, hours, minute } = schedules;
  fc.assert(
    fc.property(zoned, minutes, hours, weekdays, minute, ([timeZone, day], minutes, hours, days, minute) => {
      const fromMs = Date.parse(`${day}T00:00:00Z`) - DAY;
      const expression = `${minutes.text} ${hours.text} * * ${days.text}`;
      const schedule = cron(expression, { timeZone });
      const isDue = (wall: Wall) => minutes.has(wall.minute) && hours.has(wall.hour) && days.has(wall.weekday);

      const started = debianCron(expression, timeZone, fromMs, fromMs + 3 * DAY);
      // Several starts in one minute are one tick.
      const due = [...new Set(started.map((date) => date.getTime()))].map((ms) => new Date(ms));
      expectTicks(schedule, due, fromMs, new Date(fromMs + minute * MINUTE + 1));
      const sure = walk(timeZone, fromMs, fromMs + 3 * DAY, isDue);
      expect(isos(due.filter((tick) => !schedule.isOptional?.(tick)))).toEqual(isos(sure));
    }),
    { numRuns: 50 },
  );
});
