import { DeadlineError, LockLostError } from 'single-execution';
import { manualClock } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { watchLease } from '../../../src/core/run/lease-watch.js';
import { holdUntil, NOW } from '../../support/held-until.js';

const hold = holdUntil(59_400);
const endAt = (atMono: number) => [{ atMono, code: 'DEADLINE' as const }];
const lostReason = new LockLostError('digest', 'its lease is over');
const deadlineReason = new DeadlineError('digest', 'DEADLINE', 'the platform ends it soon');

describe('of several ends', () => {
  const maxHold = (atMono: number) => ({ atMono, code: 'MAX_HOLD' as const });

  test.each<[string, number, number, string]>([
    ['the deadline, when it comes first', 2_000, 3_000, 'DEADLINE'],
    ['maxHold, when it comes first', 3_000, 2_000, 'MAX_HOLD'],
    ['the first that is named, when they come together', 2_000, 2_000, 'DEADLINE'],
  ])('row 23: the signal tells %s', async (_, deadline, limit, code) => {
    const clock = manualClock(NOW);
    const watch = watchLease('digest', clock, { hold, ends: [...endAt(deadline), maxHold(limit)] });
    await clock.advance(1_999);
    expect(watch.signal.aborted).toBe(false);
    await clock.advance(1);

    expect(watch.signal.reason).toMatchObject({ name: 'DeadlineError', code });
    await clock.advance(2_000);
    expect(watch.signal.reason).toMatchObject({ code });
  });
});

describe('renew', () => {
  const later = { ...holdUntil(99_400), firstSentMono: 40_000, firstSentWall: NOW + 40_000, endMono: 100_000 };

  test('row 24: moves the deadline, with one timer at a time', async () => {
    const clock = manualClock(NOW);
    const watch = watchLease('digest', clock, { hold, ends: [] });
    await clock.advance(40_000);
    watch.renew(later);
    expect([watch.hold, clock.pendingTimers()]).toEqual([later, 1]);

    await clock.advance(59_399);
    expect(watch.isLost()).toBe(false);
    await clock.advance(1);
    expect(watch.signal.reason).toEqual(lostReason);
  });

  test('row 18: to a hold that is over already loses the lock at once', () => {
    const clock = manualClock(NOW);
    const onLost = vi.fn();
    const watch = watchLease('digest', clock, { hold, ends: [], onLost });
    watch.renew(holdUntil(0));

    expect([watch.signal.reason, onLost.mock.calls.length, clock.pendingTimers()]).toEqual([lostReason, 1, 0]);
  });

  test('F26 F30 after the end of the old hold, seen only now, brings nothing back', async () => {
    const clock = manualClock(NOW);
    const watch = watchLease('digest', clock, { hold, ends: [] });
    await clock.advance(40_000);
    clock.suspend(30_000);
    watch.renew(later);

    expect([watch.hold, watch.isLost(), watch.signal.reason]).toEqual([hold, true, lostReason]);
  });

  test('F27 F36 after the end of the watch changes nothing and sets no timer', () => {
    const clock = manualClock(NOW);
    const watch = watchLease('digest', clock, { hold, ends: [] });
    watch.stop();
    watch.renew(later);

    expect([watch.hold, clock.pendingTimers()]).toEqual([hold, 0]);
  });
});

describe('lose', () => {
  test('row 25: aborts at once, is reported once, and stays', async () => {
    const clock = manualClock(NOW);
    const onLost = vi.fn();
    const watch = watchLease('digest', clock, { hold, ends: [], onLost });
    watch.lose();
    watch.lose();
    await clock.advance(120_000);

    expect([watch.isLost(), onLost.mock.calls.length, clock.pendingTimers()]).toEqual([true, 1, 0]);
    expect(watch.signal.reason).toEqual(
      new LockLostError('digest', 'somebody else holds it, or an operator has freed it'),
    );
  });

  test('row 25: is reported although the deadline has aborted the run before', async () => {
    const clock = manualClock(NOW);
    const onLost = vi.fn();
    const watch = watchLease('digest', clock, { hold, ends: endAt(1_000), onLost });
    await clock.advance(1_000);
    watch.lose();

    expect([watch.signal.reason, watch.isLost(), onLost.mock.calls.length]).toEqual([deadlineReason, true, 1]);
  });

  test('F27 changes nothing after the end of the watch', () => {
    const clock = manualClock(NOW);
    const onLost = vi.fn();
    const watch = watchLease('digest', clock, { hold, ends: [], onLost });
    watch.stop();
    watch.lose();

    expect([watch.isLost(), watch.signal.aborted, onLost.mock.calls.length]).toEqual([false, false, 0]);
  });
});
