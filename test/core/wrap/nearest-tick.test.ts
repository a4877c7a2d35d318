import fc from 'fast-check';
import { cron, eventBridge, rate, type Schedule } from 'single-execution/schedule';
import { describe, expect, test } from 'vitest';
import { resolveSchedule } from '../../../src/core/options/policy.js';
import { nearestTick } from '../../../src/core/wrap/trigger.js';

const NOON = Date.parse('2026-01-01T12:00:00Z');
const MINUTE = 60_000;

function nearestAt(nowMs: number, schedule: Schedule | string | undefined): Date | undefined {
  const due = nearestTick(resolveSchedule(schedule), nowMs);
  return due && new Date(due.tickMs);
}

describe("row 88: tick: 'nearest'", () => {
  const SECOND = 1_000;
  const HOUR = 60 * MINUTE;

  test.each([
    ['every 10 seconds', '*/10 * * * * *', 10 * SECOND, SECOND],
    ['every minute', '* * * * *', MINUTE, 6 * SECOND],
    ['every 5 minutes', '*/5 * * * *', 5 * MINUTE, 30 * SECOND],
    ['every 15 minutes', '*/15 * * * *', 15 * MINUTE, 90 * SECOND],
    ['every half hour', '*/30 * * * *', 30 * MINUTE, 3 * MINUTE],
    ['every hour', '0 * * * *', HOUR, 5 * MINUTE],
    ['every day', '0 12 * * *', 24 * HOUR, 5 * MINUTE],
  ])(
    '%s: takes the tick that has been for each delay, and the next one when it is nearly due',
    (_, text, gap, early) => {
      const [schedule, tick, next] = [cron(text), new Date(NOON), new Date(NOON + gap)];

      for (const late of [0, 1, gap / 4, gap / 2, (gap * 35) / 60, gap - early - 1]) {
        expect(nearestAt(NOON + late, schedule)).toEqual(tick);
      }
      for (const late of [gap - early, gap - 1]) expect(nearestAt(NOON + late, schedule)).toEqual(next);
    },
  );

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
        'tick is 2026-01-01T12:06:00.000Z, the first of at(2026-01-01T12:06:00), over 5m ahead of 2026-01-01T12:00:00.000Z: call closer to a tick, or pass the tick of this call',
      ),
    );
  });

  test('is the same on hosts that are late or ahead by less than nine tenths of the gap, or behind by a tenth', () => {
    const schedule = cron('*/7 3-22 * * *', { timeZone: 'Europe/Berlin' });
    fc.assert(
      fc.property(
        fc.date({ min: new Date('2026-01-01'), max: new Date('2027-01-01'), noInvalidDate: true }),
        fc.integer({ min: -6_000, max: 53_999 }),
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
        "tick is 'nearest', but no schedule says when ticks are due: set schedule, such as cron('0 9 * * *') or rate('15m', { start })",
      ),
    );
  });
});
