import { manualClock } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';
import { resolveSettings } from '../../../src/core/options/policy.js';
import {
  requiredTick,
  type TickEvery,
  type TickOption,
  type Trigger,
  tickReader,
} from '../../../src/core/wrap/trigger.js';

const NOON = Date.parse('2026-01-01T12:00:00Z');
const DAY = 86_400_000;
const RANGE = 'pass 1s to 366d';
const MISSING =
  "tick is undefined: pass 'event', 'nearest', { every: '5m' } or a function; or 'none', with which a second call may run again";

/** The chooser of a host whose clock stands at that instant. */
function chooserAt(
  nowMs: number,
  tick: TickOption<readonly unknown[]> | TickEvery,
  maxClockSkew: number | string = '1s',
) {
  const settings = resolveSettings({ clock: manualClock(nowMs), maxClockSkew }, []);
  const tickOf = tickReader(requiredTick(tick, settings), settings);
  return (read: Trigger, args: readonly unknown[]) => tickOf(read, args, 'digest');
}

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
    expect(every('1h', NOON + 3_599_000 - 1)).toBe(NOON);
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

describe('row 14: an invalid tick option is refused when wrapping', () => {
  test.each<[unknown, Error]>([
    [{ every: 999 }, new RangeError(`tick.every is 999ms: ${RANGE}`)],
    [{ every: '367d' }, new RangeError(`tick.every is 367d: ${RANGE}`)],
    [{ every: '5m', offset: '1m' }, new TypeError("unknown option 'tick.offset': the only one is every")],
    [{ every: -1 }, new RangeError('tick.every is -1: pass a finite number of milliseconds, 0 or more')],
    [
      {},
      new TypeError(
        "tick.every is undefined: pass milliseconds as a number, or a string such as '90s', '15m', '1h30m' or 'PT15M'",
      ),
    ],
    [undefined, new TypeError(MISSING)],
  ])('%o', (tick, error) => {
    expect(() => chooserAt(NOON, tick as TickEvery)).toThrow(error);
  });

  test('an interval of a second is the shortest, and one of 366 days the longest', () => {
    expect(chooserAt(NOON, { every: '1s' })({}, [])).toEqual({ tickMs: NOON });
    expect(chooserAt(NOON, { every: '366d' })({}, [])).toEqual({ tickMs: Math.floor(NOON / (366 * DAY)) * 366 * DAY });
  });

  test('on the short day a day of UTC holds 19:30 in New York twice, which an hour keeps apart', () => {
    const eastern = [Date.parse('2026-03-07T19:30:00-05:00'), Date.parse('2026-03-08T19:30:00-04:00')];
    const ticks = (every: string) => eastern.map((ms) => chooserAt(ms, { every })({}, []).tickMs);

    expect(new Set(ticks('1d'))).toEqual(new Set([Date.parse('2026-03-08T00:00:00Z')]));
    expect(ticks('1h')).toEqual([Date.parse('2026-03-08T00:00:00Z'), Date.parse('2026-03-08T23:00:00Z')]);
  });
});
