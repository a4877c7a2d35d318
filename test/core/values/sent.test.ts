import { manualClock } from 'single-execution/testing';
import { expect, test } from 'vitest';
import { sentNow, wallInGrant } from '../../../src/core/values/clock.js';

const sent = { firstSentWall: 1_767_225_600_000, firstSentMono: 5_000 };

test('F28 wall time inside a grant is anchored at the first send and carried on by the monotonic clock, in whole ms', () => {
  expect(wallInGrant(sent, 5_000)).toBe(1_767_225_600_000);
  expect(wallInGrant(sent, 6_000.4)).toBe(1_767_225_601_000);
  expect(wallInGrant({ firstSentWall: 1_767_225_600_000.3, firstSentMono: 0.6 }, 1.2)).toBe(1_767_225_600_001);
});

test('sentNow reads both clocks, the wall clock in whole milliseconds', async () => {
  const clock = manualClock(1_767_225_600_000.6);
  await clock.advance(1_000);

  expect(sentNow(clock)).toEqual({ firstSentWall: 1_767_225_601_001, firstSentMono: 1_000 });
});
