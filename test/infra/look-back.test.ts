import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lookBack } from '../../infra/constructs/alarms/not-triggered.js';

const DAY = 1_440;

test.each([
  [7, { periodMinutes: 1, periods: 9 }],
  [6 * DAY + 7, { periodMinutes: 60, periods: 147 }],
  [7 * DAY - 120, { periodMinutes: 60, periods: 168 }],
  [7 * DAY, undefined],
])('row 77: %i minutes are looked back in %j', (minutes, found) => {
  expect(lookBack(minutes)).toEqual(found);
});

test("row 77: what is looked back is long enough and no more, within CloudWatch's limits", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 * DAY }), (minutes) => {
      const found = lookBack(minutes);
      if (!found) {
        expect(minutes).toBeGreaterThan(7 * DAY - 120);
        return;
      }
      const { periodMinutes, periods } = found;
      // The oldest period shows when there was news, and the newest may not be over yet: both do not count.
      expect((periods - 2) * periodMinutes).toBeGreaterThanOrEqual(minutes);
      expect((periods - 3) * periodMinutes).toBeLessThan(minutes);
      expect(periodMinutes * periods).toBeLessThanOrEqual(periodMinutes < 60 ? DAY : 7 * DAY);
    }),
  );
});
