import { manualClock } from 'single-execution/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { jittered, pause, sentNow, wallInGrant } from '../../../src/core/values/clock.js';

afterEach(() => {
  vi.restoreAllMocks();
});

function pausing(signal?: AbortSignal) {
  const clock = manualClock();
  const over = vi.fn();
  const paused = pause(1_000, clock, signal).then(over);
  return { clock, over, paused };
}

describe('pause', () => {
  test('is over when the time has passed, not before', async () => {
    const { clock, over } = pausing();
    await clock.advance(999);
    expect(over).not.toHaveBeenCalled();
    await clock.advance(1);

    expect(over).toHaveBeenCalledOnce();
  });

  test('row 31: is over as soon as the signal aborts, and leaves no timer', async () => {
    const controller = new AbortController();
    const { clock, over, paused } = pausing(controller.signal);
    await clock.advance(400);
    controller.abort();
    await paused;

    expect([over.mock.calls.length, clock.pendingTimers()]).toEqual([1, 0]);
  });

  test('row 31: with a signal that has aborted already it is over at once, and sets no timer', async () => {
    const { clock, paused } = pausing(AbortSignal.abort());

    expect(clock.pendingTimers()).toBe(0);
    await paused;
  });

  test('F27 leaves no listener behind, however it ends', async () => {
    for (const end of ['time', 'signal']) {
      const controller = new AbortController();
      const [add, remove] = [
        vi.spyOn(controller.signal, 'addEventListener'),
        vi.spyOn(controller.signal, 'removeEventListener'),
      ];
      const { clock, paused } = pausing(controller.signal);
      if (end === 'signal') controller.abort();
      else await clock.advance(1_000);
      await paused;

      expect(remove.mock.calls.map(([, listener]) => listener)).toEqual(add.mock.calls.map(([, listener]) => listener));
      expect(add).toHaveBeenCalledOnce();
    }
  });
});

test.each([
  [0, 100],
  [0.25, 200],
  [0.999, 499.6],
])('row 10: jittered lies as far between the two as chance says: %d gives %d ms', (chance, ms) => {
  vi.spyOn(Math, 'random').mockReturnValue(chance);

  expect(jittered(100, 500)).toBeCloseTo(ms);
});

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
