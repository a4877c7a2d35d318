import { isSkipped } from 'single-execution';
import { type Options, type Timer, withSingleExecution } from 'single-execution/azure';
import { cron } from 'single-execution/schedule';
import { describe, expect, test, vi } from 'vitest';
import { MINUTE, memoryLocks, NOW } from '../support/memory-locks.js';

/*
 * What only a timer of Azure Functions does. The values of a timer are those of the platform's source: they were never
 * seen on Azure.
 */

const CONTEXT = { invocationId: '0f8fad5b', functionName: 'sendDigest' };
const HOUR = 60 * MINUTE;

/** A timer as .NET writes its times: with an offset, and up to seven digits of a second. */
const timer = (nextMs: number, more: object = {}): Timer => ({
  isPastDue: false,
  scheduleStatus: { last: '0001-01-01T00:00:00+00:00', next: textOf(nextMs), lastUpdated: textOf(NOW) },
  ...more,
});
const textOf = (ms: number) => new Date(ms).toISOString().replace('Z', '0000+00:00');

function setUp(own: Partial<Options> = {}) {
  const { options, item, clock } = memoryLocks();
  const runs: { tick: Date | undefined; isManual: boolean; isPastDue: boolean | undefined }[] = [];
  const call = withSingleExecution(
    ({ isPastDue }, _context, { tick, isManual }) => void runs.push({ tick, isManual, isPastDue }),
    { ...options, ...own },
  );
  return { call, runs, item, clock };
}

describe('row 227: what a timer says', () => {
  test('the occurrence that is being run is the tick, also when it is past due, and once', async () => {
    const { call, runs } = setUp();
    await call(timer(NOW - HOUR, { isPastDue: true }), CONTEXT);
    await call(timer(NOW), CONTEXT);

    expect(runs).toEqual([
      { tick: new Date(NOW - HOUR), isManual: false, isPastDue: true },
      { tick: new Date(NOW), isManual: false, isPastDue: false },
    ]);
    // A second instance, and the platform's own retry, which has the same timer.
    expect(isSkipped(await call(timer(NOW), CONTEXT))).toBe(true);
  });

  test.each([
    ['an hour', HOUR],
    ['two months', 60 * 24 * HOUR],
    ['10 s', 10_000],
  ])('a call %s before its occurrence is a run by hand, and the occurrence still runs', async (_, aheadMs) => {
    const { call, runs, item, clock } = setUp();
    await call(timer(NOW + aheadMs), CONTEXT);
    expect(await item()).not.toHaveProperty('doneTick');
    await clock.advance(aheadMs);
    await call(timer(NOW + aheadMs), CONTEXT);

    expect(runs.map(({ tick, isManual }) => [tick, isManual])).toEqual([
      [undefined, true],
      [new Date(NOW + aheadMs), false],
    ]);
  });

  test('a call that comes less than 5 s early has its tick', async () => {
    const { call, runs } = setUp();
    await call(timer(NOW + 900), CONTEXT);

    expect(runs).toEqual([{ tick: new Date(NOW + 900), isManual: false, isPastDue: false }]);
  });
});

test.each([
  ['absent', {}],
  ['null', { scheduleStatus: null }],
  ['without an occurrence', { scheduleStatus: {} }],
  ["written with .NET's empty time", { scheduleStatus: { next: '0001-01-01T00:00:00+00:00' } }],
  ['the same without an offset', { scheduleStatus: { next: '0001-01-01T00:00:00' } }],
  ['written without an offset', { scheduleStatus: { next: '2025-12-31T19:00:00.0000000' } }],
])(
  'row 228: with a status that is %s, as without useMonitor, the tick is the one of the schedule that is due',
  async (_, status) => {
    const logged = vi.spyOn(console, 'warn').mockReturnValue();
    const { call, runs, clock } = setUp({ schedule: cron('0 * * * *') });
    await clock.advance(2 * MINUTE);
    await call({ isPastDue: false, ...status } as unknown as Timer, CONTEXT);
    await call(timer(NOW), CONTEXT);

    expect(runs).toEqual([{ tick: new Date(NOW), isManual: false, isPastDue: false }]);
    expect(logged).not.toHaveBeenCalled();
  },
);

test('row 228: without a status and a schedule each call runs, and a warning says what to set', async () => {
  const logged = vi.spyOn(console, 'warn').mockReturnValue();
  const { call, runs } = setUp();
  await call({ scheduleStatus: { next: '0001-01-01T00:00:00Z' } }, CONTEXT);

  expect(runs[0]?.tick).toBeUndefined();
  expect(logged).toHaveBeenCalledOnce();
  expect(String(logged.mock.lastCall?.[0])).toContain("keep the timer's useMonitor on, set schedule");
});

test('row 228: tick: none, and a function, count for a timer without a status, too', async () => {
  for (const [tick, expected] of [
    ['none', undefined],
    [() => NOW - HOUR, new Date(NOW - HOUR)],
  ] as const) {
    const { call, runs } = setUp({ schedule: cron('0 * * * *'), tick });
    await call({ isPastDue: false }, CONTEXT);

    expect(runs[0]?.tick).toEqual(expected);
  }
});

test('row 62: a call without a context is a TypeError that says what to pass on', async () => {
  const { call, runs } = setUp();

  await expect(call(timer(NOW), undefined as never)).rejects.toThrow(
    new TypeError('context is undefined: call the wrapped handler with the arguments of the platform'),
  );
  expect(runs).toEqual([]);
});
