import fc from 'fast-check';
import { cron, eventBridge, rate, type Schedule } from 'single-execution/schedule';
import { manualClock } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';
import { resolveSettings } from '../../../src/core/options/policy.js';
import { nearestTick } from '../../../src/core/wrap/nearest-tick.js';

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
    ['nearly half the gap early', -15 * MINUTE + 1, '12:00'],
    ['nearly half the gap late', 15 * MINUTE - 1, '12:00'],
    ['more than that early', -15 * MINUTE - 1, '11:30'],
    ['more than that late', 15 * MINUTE + 1, '12:30'],
    ['half the gap late: the tick that has been', 15 * MINUTE, '12:00'],
  ])('is the tick for a clock that is %s', (_, errorMs, time) => {
    expect(nearestAt(NOON + errorMs, cron('*/30 * * * *'))).toEqual(new Date(`2026-01-01T${time}:00Z`));
  });

  test('measures each gap by itself', () => {
    const workdays = cron('0 9,12 * * MON-FRI');

    // A Friday, and the Saturday after it.
    expect(nearestAt(Date.parse('2026-01-02T10:29:59Z'), workdays)).toEqual(new Date('2026-01-02T09:00:00Z'));
    expect(nearestAt(Date.parse('2026-01-03T20:00:00Z'), workdays)).toEqual(new Date('2026-01-02T12:00:00Z'));
  });

  test('is the last tick of a schedule that is over, and the first of one that has not begun', () => {
    expect(nearestAt(NOON, eventBridge('at(2025-12-31T12:00:00)'))).toEqual(new Date('2025-12-31T12:00:00Z'));
    expect(nearestAt(NOON, eventBridge('at(2026-01-01T18:00:00)'))).toEqual(new Date('2026-01-01T18:00:00Z'));
    expect(nearestAt(NOON, rate('15m', { start: new Date(NOON + 1) }))).toEqual(new Date(NOON + 1));
    expect(nearestAt(NOON, { ...cron('* * * * *'), previous: () => undefined, next: () => undefined })).toBeUndefined();
  });

  test('is refused where it is over a day ahead: a call by hand must not use up a tick that is far away', () => {
    const weekly = cron('0 9 * * MON');
    const sunday = Date.parse('2026-01-04T09:00:00Z');

    expect(nearestAt(sunday, weekly)).toEqual(new Date('2026-01-05T09:00:00Z'));
    expect(() => nearestAt(sunday - 1, weekly)).toThrow(
      new RangeError(
        'tick is 2026-01-05T09:00:00.000Z, the nearest of 0 9 * * MON, over 1d ahead of 2026-01-04T08:59:59.999Z: call closer to a tick, or give the tick of this call',
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
        "tick is 'nearest', but no schedule tells when ticks are due: give schedule, such as cron('0 9 * * *') or rate('15m', { start })",
      ),
    );
  });
});
