import fc from 'fast-check';
import { cron, eventBridge, rate, type Schedule } from 'single-execution/schedule';
import { manualClock } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';
import { resolveSettings } from '../../../src/core/options/policy.js';
import { nearestTick } from '../../../src/core/wrap/trigger.js';

const NOON = Date.parse('2026-01-01T12:00:00Z');
const MINUTE = 60_000;

function nearestAt(nowMs: number, schedule: Schedule | string | undefined): Date | undefined {
  const options = schedule === undefined ? {} : { schedule };
  const { tickMs } = nearestTick(resolveSettings({ clock: manualClock(nowMs), ...options }, []))();
  return tickMs === undefined ? undefined : new Date(tickMs);
}

describe("row 88: tick: 'nearest'", () => {
  test.each([
    ['on time', 0, '12:00'],
    ['five minutes early', -5 * MINUTE, '12:00'],
    ['earlier than that', -5 * MINUTE - 1, '11:30'],
    ['late, however late', 25 * MINUTE - 1, '12:00'],
    ['five minutes before the next tick', 25 * MINUTE, '12:30'],
  ])('is the tick that is due for a call that is %s', (_, errorMs, time) => {
    expect(nearestAt(NOON + errorMs, cron('*/30 * * * *'))).toEqual(new Date(`2026-01-01T${time}:00Z`));
  });

  test.each([
    ['nearly half the gap early', -15_000 + 1, '12:00:00'],
    ['more than that early', -15_000 - 1, '11:59:30'],
    ['half the gap late: the tick that has been', 15_000, '12:00:00'],
    ['more than that late', 15_000 + 1, '12:00:30'],
  ])('is the nearest one of ticks that are close, for a clock that is %s', (_, errorMs, time) => {
    const schedule = rate('30s', { start: new Date(NOON - 3_600_000) });
    expect(nearestAt(NOON + errorMs, schedule)).toEqual(new Date(`2026-01-01T${time}Z`));
  });

  test('by hand at 17:34 is the tick of last night, and never that of the night to come', () => {
    const daily = cron('0 2 * * *');
    expect(nearestAt(Date.parse('2026-01-01T17:34:00Z'), daily)).toEqual(new Date('2026-01-01T02:00:00Z'));
    expect(nearestAt(Date.parse('2026-01-02T01:54:59Z'), daily)).toEqual(new Date('2026-01-01T02:00:00Z'));
    expect(nearestAt(Date.parse('2026-01-02T01:55:00Z'), daily)).toEqual(new Date('2026-01-02T02:00:00Z'));
  });

  test('is the last tick of a schedule that is over, and the first of one that has not begun', () => {
    expect(nearestAt(NOON, eventBridge('at(2025-12-31T12:00:00)'))).toEqual(new Date('2025-12-31T12:00:00Z'));
    expect(nearestAt(NOON, eventBridge('at(2026-01-01T12:05:00)'))).toEqual(new Date('2026-01-01T12:05:00Z'));
    expect(nearestAt(NOON, rate('15m', { start: new Date(NOON + 1) }))).toEqual(new Date(NOON + 1));
    expect(nearestAt(NOON, { ...cron('* * * * *'), previous: () => undefined, next: () => undefined })).toBeUndefined();
  });

  test('is refused before the first tick of all', () => {
    expect(() => nearestAt(NOON, eventBridge('at(2026-01-01T12:06:00)'))).toThrow(
      new RangeError(
        'tick is 2026-01-01T12:06:00.000Z, the first of at(2026-01-01T12:06:00), over 5m ahead of 2026-01-01T12:00:00.000Z: call closer to a tick, or give the tick of this call',
      ),
    );
  });

  test('is the same on two hosts whose clocks are wrong by less than half the gap', () => {
    const schedule = cron('*/7 3-22 * * *', { timeZone: 'Europe/Berlin' });
    fc.assert(
      fc.property(
        fc.date({ min: new Date('2026-01-01'), max: new Date('2027-01-01'), noInvalidDate: true }),
        fc.integer({ min: -29_999, max: 29_999 }),
        (at, errorMs) => {
          const tick = schedule.next(at) ?? at;

          expect(nearestAt(tick.getTime() + errorMs, schedule)).toEqual(tick);
        },
      ),
    );
  });

  test.each<[string, Schedule | string | undefined]>([
    ['without a schedule', undefined],
    ['with a duration', '15m'],
    ['with a rate without a start', rate('15m')],
    ['with a rate of EventBridge', eventBridge('rate(15 minutes)')],
  ])('is refused when wrapping %s', (_, schedule) => {
    expect(() => nearestAt(NOON, schedule)).toThrow(
      new TypeError(
        "tick is 'nearest', but no schedule says when ticks are due: give schedule, such as cron('0 9 * * *') or rate('15m', { start })",
      ),
    );
  });
});
