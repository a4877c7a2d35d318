import { executeWithLock, type LockOptions } from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { withSingleExecution } from 'single-execution/process';
import { cron, except } from 'single-execution/schedule';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MINUTE, memoryLocks, NOW } from '../../support/memory-locks.js';

let lines: string[];
beforeEach(() => {
  lines = [];
  vi.spyOn(console, 'warn').mockImplementation((line) => {
    lines.push(JSON.parse(line).message);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** NOW is one of its ticks. */
const everyTen = () => cron('*/10 * * * *');
const told = (tickMs: number) =>
  `lock "digest": tick ${new Date(tickMs).toISOString()} is not in its schedule, */10 * * * *: correct the schedule or its time zone, set tick: 'nearest', or set offSchedule: 'skip'`;

function wrapped(more: Partial<LockOptions> = {}) {
  const { options } = memoryLocks();
  let tickMs = NOW;
  const job = withSingleExecution(() => 'done', {
    ...options,
    observers: [],
    schedule: everyTen(),
    tick: () => tickMs,
    ...more,
  });
  return (ms: number) => {
    tickMs = ms;
    return job();
  };
}

describe('row 88: a tick that is not in the schedule', () => {
  test('runs, and is reported once by each wrapper, with both and the remedy', async () => {
    const schedule = everyTen();
    const [run, runToo] = [wrapped({ schedule }), wrapped({ schedule })];

    expect(await run(NOW + MINUTE)).toBe('done');
    expect(await run(NOW + 2 * MINUTE)).toBe('done');
    await runToo(NOW + 3 * MINUTE);

    expect(lines).toEqual([told(NOW + MINUTE), told(NOW + 3 * MINUTE)]);
  });

  test('is reported where it comes from the clock, cut down to an interval', async () => {
    const { clock, options } = memoryLocks();
    await clock.advance(MINUTE);
    await withSingleExecution(() => {}, { ...options, observers: [], schedule: everyTen(), tick: { every: '1m' } })();

    expect(lines).toEqual([told(NOW + MINUTE)]);
  });

  test('is reported once by executeWithLock for one schedule', async () => {
    const { options } = memoryLocks();
    const timed = { ...options, observers: [], schedule: everyTen() };
    for (const minutes of [1, 2]) await executeWithLock(() => {}, { ...timed, tick: NOW + minutes * MINUTE });

    expect(lines).toEqual([told(NOW + MINUTE)]);
  });

  test.each<[string, Partial<LockOptions>, number]>([
    ['a tick of the schedule', {}, NOW + 10 * MINUTE],
    ['a schedule that is a duration', { schedule: '10m' }, NOW + MINUTE],
  ])('nothing is told of %s', async (_, more, tickMs) => {
    await wrapped(more)(tickMs);

    expect(lines).toEqual([]);
  });
});

describe('row 184: a call on a day that except leaves out', () => {
  const closed = () => except(everyTen(), { ranges: [[new Date(NOW), new Date(NOW + 25 * MINUTE)]] });
  const skipped = { status: 'skipped', name: 'digest', reason: 'off-schedule' };

  test("is skipped as off-schedule with offSchedule: 'skip', without a request, and nothing is told", async () => {
    const acquire = vi.fn();
    const run = wrapped({ schedule: closed(), offSchedule: 'skip', store: { ...memoryStore(), acquire } });

    expect(await run(NOW + 10 * MINUTE)).toEqual({ ...skipped, tick: new Date(NOW + 10 * MINUTE).toISOString() });
    expect(acquire).not.toHaveBeenCalled();
    expect(lines).toEqual([]);
  });

  test('runs by default, and is reported once', async () => {
    const run = wrapped({ schedule: closed() });

    expect([await run(NOW + 10 * MINUTE), await run(NOW + 20 * MINUTE)]).toEqual(['done', 'done']);
    expect(lines).toHaveLength(1);
  });

  test('a tick of the schedule runs, and so does a call without a tick', async () => {
    const run = wrapped({ schedule: closed(), offSchedule: 'skip' });

    expect(await run(NOW + 30 * MINUTE)).toBe('done');
    expect(await wrapped({ schedule: closed(), offSchedule: 'skip', tick: 'none' } as never)(NOW)).toBe('done');
  });

  test("does not take the tick before, with tick: 'nearest'", async () => {
    const { clock, options } = memoryLocks();
    const job = withSingleExecution(() => 'done', {
      ...options,
      schedule: closed(),
      offSchedule: 'skip',
      tick: 'nearest',
    });
    await clock.advance(11 * MINUTE);

    expect(await job()).toEqual({ ...skipped, tick: new Date(NOW + 10 * MINUTE).toISOString() });
  });
});
