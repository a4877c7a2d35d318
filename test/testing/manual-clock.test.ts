import { manualClock } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';

const START = Date.UTC(2026, 0, 1);

describe('manualClock', () => {
  test('stands still at the beginning of 2026 until it is turned', () => {
    const clock = manualClock();

    expect([clock.now(), clock.monotonic(), clock.now()]).toEqual([1_767_225_600_000, 0, 1_767_225_600_000]);
  });

  test.each([
    ['a Date', new Date(START + 5)],
    ['milliseconds', START + 5],
  ])('starts at %s', (_, start) => {
    expect(manualClock(start).now()).toBe(START + 5);
  });

  test.each([
    ['an invalid Date', new Date(Number.NaN), 'start is an invalid Date'],
    ['NaN', Number.NaN, 'start is NaN'],
    ['a text', '2026-01-01' as never, "start is '2026-01-01'"],
  ])('refuses to start at %s, at which no time would ever be over', (_, start, problem) => {
    expect(() => manualClock(start)).toThrow(new RangeError(`${problem}: pass a Date, or epoch milliseconds`));
  });

  test('steps the wall clock alone, back as well', () => {
    const clock = manualClock();
    clock.stepWall(-120_000);

    expect([clock.now() - START, clock.monotonic()]).toEqual([-120_000, 0]);
  });

  test('lets the monotonic clock and timers stand still while suspended', async () => {
    const clock = manualClock();
    const fired: number[] = [];
    clock.setTimer(() => fired.push(clock.now() - START), 100);
    clock.suspend(60_000);
    await clock.advance(99);
    expect(fired).toEqual([]);
    await clock.advance(1);

    expect(fired).toEqual([60_100]);
    expect(clock.monotonic()).toBe(100);
  });

  test('refuses to run back', async () => {
    await expect(manualClock().advance(-1)).rejects.toThrow(
      new RangeError('advance by -1 ms: time does not run back; pass 0 or more, or use stepWall'),
    );
    await expect(manualClock().advance(Number.NaN)).rejects.toThrow(RangeError);
  });
});

describe('its timers', () => {
  test('fire at their own instants, in order of time and then of making', async () => {
    const clock = manualClock();
    const fired: string[] = [];
    const note = (name: string) => () => fired.push(`${name} at ${clock.monotonic()}`);
    clock.setTimer(note('late'), 30);
    clock.setTimer(note('first'), 10);
    clock.setTimer(note('second'), 10);
    await clock.advance(30);

    expect(fired).toEqual(['first at 10', 'second at 10', 'late at 30']);
  });

  test('that timers and promises set on the way fire as well', async () => {
    const clock = manualClock();
    const fired: number[] = [];
    const again = async () => {
      fired.push(clock.monotonic());
      await Promise.resolve();
      clock.setTimer(() => void again(), 10);
    };
    clock.setTimer(() => void again(), 10);
    await clock.advance(35);

    expect(fired).toEqual([10, 20, 30]);
  });

  test('with no time to wait fire at the next turn of the clock, even by nothing', async () => {
    const clock = manualClock();
    let fired = false;
    clock.setTimer(() => {
      fired = true;
    }, -5);
    expect(fired).toBe(false);
    await clock.advance(0);

    expect(fired).toBe(true);
  });

  test('do not fire once cancelled', async () => {
    const clock = manualClock();
    const timer = clock.setTimer(() => expect.unreachable(), 10);
    clock.setTimer(() => {}, 20).unref?.();
    expect(clock.pendingTimers()).toBe(2);
    timer.cancel();
    await clock.advance(15);

    expect(clock.pendingTimers()).toBe(1);
  });
});
