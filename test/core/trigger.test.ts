import { manualClock } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { resolveSettings } from '../../src/core/policy.js';
import { readInstant, type TickEvery, type TickOption, tickChooser } from '../../src/core/trigger.js';

const NOON = Date.parse('2026-01-01T12:00:00Z');
const DAY = 86_400_000;

type Given = readonly unknown[];

/** The chooser of a host whose clock stands at that instant. */
function chooserAt(nowMs: number, tick: TickOption<Given> | TickEvery, maxClockSkew: number | string = '1s') {
  return tickChooser(tick, resolveSettings({ clock: manualClock(nowMs), maxClockSkew }, []));
}

describe('row 36: readInstant', () => {
  test.each<[string, number]>([
    ['2026-01-01T12:00:00Z', NOON],
    ['2026-01-01T12:00Z', NOON],
    ['2026-01-01T12:00:00.5Z', NOON + 500],
    ['2026-01-01T12:00:00.123456789Z', NOON + 123],
    ['2026-01-01T14:30:00+02:30', NOON],
    ['2026-01-01T07:00:00-0500', NOON],
  ])('reads %s', (time, tickMs) => {
    expect(readInstant(time)).toEqual({ tickMs });
  });

  test.each([[undefined], [null]])('F68 without a time (%o) there is nothing to read and nothing to tell', (time) => {
    expect(readInstant(time)).toEqual({});
  });

  test.each<[unknown, string]>([
    ['', "''"],
    ['noon', "'noon'"],
    ['2026-01-01', "'2026-01-01'"],
    ['2026-01-01T12:00:00', "'2026-01-01T12:00:00'"],
    ['2026-02-30T12:00:00+99:99', "'2026-02-30T12:00:00+99:99'"],
    [' 2026-01-01T12:00:00Z', "' 2026-01-01T12:00:00Z'"],
    ['2026-01-01T12:00:00Z\n', "'2026-01-01T12:00:00Z\n'"],
    ['+057000-01-01T00:00:00Z', "'+057000-01-01T00:00:00Z'"],
    ['Thu, 01 Jan 2026 12:00:00 GMT', "'Thu, 01 Jan 2026 12:00:00 GMT'"],
    [String(NOON), "'1767268800000'"],
    [NOON, '1767268800000'],
    [new Date(NOON), '2026-01-01T12:00:00.000Z'],
    [{}, 'an object'],
    ['9'.repeat(100_000), `'${'9'.repeat(64)}…'`],
  ])('tells of %o, which is no instant with an offset, in few words', (time, unreadableTick) => {
    expect(readInstant(time)).toEqual({ unreadableTick });
  });
});

describe('row 36: the tick of an invocation', () => {
  const read = { tickMs: NOON, scheduleArn: 'arn', attempt: 2 };

  test("with 'event' is what the adapter has read", () => {
    expect(chooserAt(NOON, 'event')(read, [])).toEqual(read);
    expect(chooserAt(NOON, 'event')({ unreadableTick: "'soon'" }, [])).toEqual({ unreadableTick: "'soon'" });
    expect(chooserAt(NOON, 'event')({}, [])).toEqual({});
  });

  test("with 'none' there is none, and its other facts stay", () => {
    expect(chooserAt(NOON, 'none')(read, [])).toEqual({ scheduleArn: 'arn', attempt: 2 });
    expect(chooserAt(NOON, 'none')({ unreadableTick: "'soon'" }, [])).toEqual({});
  });

  test('with a function is what that returns for the arguments, whatever the adapter has read', () => {
    const tick = vi.fn((..._args: Given) => new Date(NOON - 1_000));
    const args = [{ any: 'event' }, 'context'];

    expect(chooserAt(NOON, tick)(read, args)).toEqual({ tickMs: NOON - 1_000, scheduleArn: 'arn', attempt: 2 });
    expect(chooserAt(NOON, tick)({ unreadableTick: "'soon'" }, args)).toEqual({ tickMs: NOON - 1_000 });
    expect(chooserAt(NOON, () => undefined)(read, args)).toEqual({ scheduleArn: 'arn', attempt: 2 });
    expect(tick.mock.calls).toEqual([args, args]);
  });

  test.each<[string, number]>([
    ['seconds for milliseconds', NOON / 1_000],
    ['microseconds for milliseconds', NOON * 1_000],
    ['the year 57000', Date.UTC(57_000, 0)],
    ['more than a day ahead', NOON + DAY + 1],
    ['no instant at all', Number.POSITIVE_INFINITY],
  ])('F71 F94 is refused when it is %s, whoever named it', (_, tickMs) => {
    expect(() => chooserAt(NOON, 'event')({ tickMs }, [])).toThrow(RangeError);
    expect(() => chooserAt(NOON, () => tickMs)({}, [])).toThrow(RangeError);
  });

  test('is judged by the clock of the moment, not of the wrapping', async () => {
    const clock = manualClock(NOON);
    const choose = tickChooser('event', resolveSettings({ clock }, []));
    await clock.advance(2 * DAY);

    expect(choose({ tickMs: NOON + 2 * DAY }, [])).toEqual({ tickMs: NOON + 2 * DAY });
  });
});

describe('row 36: the tick of the local clock, where it is asked for by its interval', () => {
  const every = (interval: number | string, nowMs: number, maxClockSkew?: number | string) =>
    chooserAt(nowMs, { every: interval }, maxClockSkew)({}, []).tickMs;

  test.each([0, 1, 500, 59_999, 298_999])('five minutes that began %i ms ago are one tick', (ms) => {
    expect(every('5m', NOON + ms)).toBe(NOON);
  });

  test.each<[string, number, number | string | undefined]>([
    ['a second, by default', 1_000, undefined],
    ['250 ms, where that is allowed', 250, 250],
    ['a minute, where that is allowed', 60_000, '1m'],
    ['half an interval at the most, whatever is allowed', 150_000, '1h'],
  ])('a clock that is late by up to maxClockSkew finds the tick that is due: %s', (_, lateMs, maxClockSkew) => {
    expect(every('5m', NOON - lateMs, maxClockSkew)).toBe(NOON);
    expect(every('5m', NOON - lateMs - 1, maxClockSkew)).toBe(NOON - 300_000);
  });

  test('a clock that is early by up to maxClockSkew finds the same tick as one that is late by as much', () => {
    for (const [interval, everyMs] of [
      ['3s', 3_000],
      ['5m', 300_000],
      ['1h', 3_600_000],
    ] as const) {
      const due = Math.floor(NOON / everyMs) * everyMs;
      const seen = [-1_000, -1, 0, 1, 1_000].map((offMs) => every(interval, due + offMs));

      expect(new Set(seen)).toEqual(new Set([due]));
    }
  });

  test('two ticks one interval apart stay two, whichever way the clock is off', () => {
    for (const offMs of [-1_000, 0, 1_000]) {
      expect(every('5m', NOON + 300_000 + offMs)).toBe(NOON + 300_000);
    }
  });

  test('is a multiple of the interval since 1970 UTC, which every host agrees on', () => {
    expect(every('1d', NOON)).toBe(Date.parse('2026-01-01T00:00:00Z'));
    expect(every('7m', NOON)).toBe(Math.floor(NOON / 420_000) * 420_000);
    expect(every('PT5M', NOON + 1_000)).toBe(every(300_000, NOON + 1_000));
  });

  test('F71 of a clock that was never set is refused like every tick of before 2015, for it would leave a corrupt record', () => {
    expect(() => every('5m', Date.UTC(1970, 0, 2))).toThrow(RangeError);
  });

  test('takes the place of what the trigger says, and leaves its other facts', () => {
    const choose = chooserAt(NOON, { every: '5m' });

    expect(choose({ tickMs: NOON - DAY, scheduleArn: 'arn' }, [])).toEqual({ tickMs: NOON, scheduleArn: 'arn' });
    expect(choose({ unreadableTick: "'soon'" }, [])).toEqual({ tickMs: NOON });
  });
});

describe('row 14: a tick option that cannot be is refused when wrapping', () => {
  test.each<[unknown, Error]>([
    [{ every: 999 }, new RangeError('tick.every is 999ms: give 1s to 366d')],
    [{ every: 0 }, new RangeError('tick.every is 0ms: give 1s to 366d')],
    [{ every: 366 * DAY + 1 }, new RangeError('tick.every is 366d1ms: give 1s to 366d')],
    [{ every: '30000d' }, new RangeError('tick.every is 30000d: give 1s to 366d')],
    [{ every: '5m', offset: '1m' }, new TypeError("unknown option 'tick.offset': the only one is every")],
    [{ Every: '5m' }, new TypeError("unknown option 'tick.Every': the only one is every")],
    [{ every: -1 }, new RangeError('tick.every is -1: give a finite number of milliseconds, 0 or more')],
    [{ every: Number.NaN }, new RangeError('tick.every is NaN: give a finite number of milliseconds, 0 or more')],
    [
      { every: '10' },
      new TypeError(
        "tick.every is '10': give milliseconds as a number, or a string such as '90s', '15m', '1h30m' or 'PT15M'",
      ),
    ],
    [
      {},
      new TypeError(
        "tick.every is undefined: give milliseconds as a number, or a string such as '90s', '15m', '1h30m' or 'PT15M'",
      ),
    ],
    [null, new TypeError("tick is null: choose 'event' or 'none'")],
    ['every', new TypeError("tick is 'every': choose 'event' or 'none'")],
    [300_000, new TypeError("tick is 300000: choose 'event' or 'none'")],
  ])('%o', (tick, error) => {
    expect(() => chooserAt(NOON, tick as TickEvery)).toThrow(error);
  });

  test('an interval of a second is the shortest, and one of 366 days the longest', () => {
    expect(chooserAt(NOON, { every: '1s' })({}, [])).toEqual({ tickMs: NOON });
    expect(chooserAt(NOON, { every: '366d' })({}, [])).toEqual({ tickMs: Math.floor(NOON / (366 * DAY)) * 366 * DAY });
  });
});
