import { readFileSync } from 'node:fs';
import { isSkipped } from 'single-execution';
import { type Options, withSingleExecution } from 'single-execution/azure';
import { cron } from 'single-execution/schedule';
import { describe, expect, test, vi } from 'vitest';
import { azureHost } from '../support/azure-host.js';
import { memoryLocks } from '../support/memory-locks.js';
import { packagesOf } from '../support/package-sets.js';

/*
 * The newest and the oldest @azure/functions, with the timers of the platform as its source writes them: see
 * docs/platforms/azure.md. Azure itself was never called.
 */

const HOSTS = {
  '4.16.5': azureHost(),
  '4.0.0': azureHost(await packagesOf('test/others'), '@azure/functions-4.0'),
};
const BERLIN = { timeZone: 'Europe/Berlin' };

/** A timer as the host writes it. */
const timer = (Next: string, more: object = {}) => ({
  Schedule: { AdjustForDST: true },
  ScheduleStatus: { Last: '2026-01-01T00:00:00.0032461+01:00', Next, LastUpdated: '2026-01-01T00:00:00.0032461+01:00' },
  IsPastDue: false,
  ...more,
});

let functions = 0;
/** Registers a handler. @returns what calls it at an instant, by default that of its occurrence */
function registered(
  version: keyof typeof HOSTS,
  own: Partial<Options> = {},
  work: (tick?: Date, attempt?: number) => void = () => {},
) {
  const { functions: package_, invoke } = HOSTS[version];
  const { options, clock, item } = memoryLocks();
  const ticks: string[] = [];
  const attempts: unknown[] = [];
  const name = `function${functions++}`;
  package_.app.timer(name, {
    schedule: '0 30 2 * * *',
    retry: { strategy: 'fixedDelay', maxRetryCount: 3, delayInterval: { seconds: 10 } },
    handler: withSingleExecution(
      (_timer, _context, { tick, isManual, attempt }) => {
        ticks.push(isManual ? 'now' : (tick?.toISOString() ?? 'none'));
        attempts.push(attempt);
        work(tick, attempt);
      },
      { ...options, ...own },
    ),
  });
  const at = async (instant: string) => clock.advance(Date.parse(instant) - clock.now());
  return {
    ticks,
    attempts,
    item,
    at,
    call: (given: object, retryCount = 0) =>
      invoke(name, { timer: given, retryContext: { retryCount, maxRetryCount: 3 } }),
  };
}

/**
 * Nights in Berlin: a schedule, the occurrences with which the platform calls, and how many are not in the schedule. The
 * occurrences are computed as in the source of the platform: it takes the next local time of NCrontab, reads one that
 * the clock skips in the offset before the change, and goes on from the local time that this becomes.
 */
const NIGHTS: [string, string, string[], number][] = [
  [
    'spring, a fixed time of the missing hour',
    '30 2 * * *',
    ['2026-03-28T02:30:00+01:00', '2026-03-29T03:30:00+02:00', '2026-03-30T02:30:00+02:00'],
    1,
  ],
  ['spring, each hour', '0 * * * *', ['2026-03-29T01:00:00+01:00', '2026-03-29T03:00:00+02:00'], 0],
  ['spring, each half hour of the missing hour', '*/30 2 * * *', ['2026-03-29T03:00:00+02:00'], 1],
  [
    'autumn, a fixed time of the double hour',
    '30 2 * * *',
    ['2026-10-24T02:30:00+02:00', '2026-10-25T02:30:00+02:00', '2026-10-26T02:30:00+01:00'],
    0,
  ],
  [
    'autumn, each half hour',
    '*/30 * * * *',
    [
      ...['2026-10-25T01:30:00+02:00', '2026-10-25T02:00:00+02:00', '2026-10-25T02:30:00+02:00'],
      ...['2026-10-25T02:00:00+01:00', '2026-10-25T02:30:00+01:00', '2026-10-25T03:00:00+01:00'],
    ],
    0,
  ],
];

describe.each(Object.keys(HOSTS) as (keyof typeof HOSTS)[])('a timer of @azure/functions %s', (version) => {
  test.each(NIGHTS)(
    'row 209: with WEBSITE_TIME_ZONE, %s: each call runs once, and none is missed',
    async (_, schedule, nexts, warnings) => {
      const logged = vi.spyOn(console, 'warn').mockClear().mockReturnValue();
      const { ticks, call, at } = registered(version, { schedule: cron(schedule, BERLIN), catchUp: { mode: 'all' } });
      for (const next of nexts) {
        await at(next);
        expect(isSkipped(await call(timer(next)))).toBe(false);
        // A second instance of the host.
        expect(isSkipped(await call(timer(next)))).toBe(true);
      }

      expect(ticks).toEqual(nexts.map((next) => new Date(next).toISOString()));
      expect(logged.mock.calls.map(String)).toHaveLength(warnings);
    },
  );

  test("row 209: an expression with both fields of days has Azure's ticks in the dialect that the page names", async () => {
    const logged = vi.spyOn(console, 'warn').mockClear().mockReturnValue();
    const schedule = cron('0 30 2 1-7 * MON', { ...BERLIN, dialect: 'node-cron' });
    const { ticks, call, at } = registered(version, { schedule, catchUp: { mode: 'all' } });
    for (const monday of ['2026-06-01', '2026-07-06', '2026-08-03']) {
      const next = `${monday}T02:30:00+02:00`;
      await at(next);
      await call(timer(next));
    }

    expect(ticks).toEqual(['2026-06-01', '2026-07-06', '2026-08-03'].map((day) => `${day}T00:30:00.000Z`));
    expect(logged).not.toHaveBeenCalled();
  });

  test('row 210: a retry of the platform has the same timer: it runs what failed, and skips what succeeded', async () => {
    const { ticks, attempts, call, at, item } = registered(version, {}, (_, attempt = 1) => {
      if (attempt < 3) throw new Error('not yet');
    });
    await at('2026-06-01T00:30:00Z');
    const given = timer('2026-06-01T02:30:00+02:00');
    await expect(call(given)).rejects.toThrow('not yet');
    await expect(call(given, 1)).rejects.toThrow('not yet');
    expect(isSkipped(await call(given, 2))).toBe(false);
    expect(isSkipped(await call(given, 3))).toBe(true);

    expect(ticks).toEqual(Array.from({ length: 3 }, () => '2026-06-01T00:30:00.000Z'));
    expect(attempts).toEqual([1, 2, 3]);
    expect(await item()).toMatchObject({ doneTick: Date.parse('2026-06-01T00:30:00Z') });
  });

  test("row 210: with tickMark: 'start' no retry runs, and after lockAtLeastFor a retry is no second run", async () => {
    const fails = () => {
      throw new Error('not yet');
    };
    for (const own of [{ tickMark: 'start' }, { onError: 'hold', lockAtLeastFor: '30s' }] as const) {
      const { ticks, call, at } = registered(version, own, fails);
      await at('2026-06-01T00:30:00Z');
      const given = timer('2026-06-01T02:30:00+02:00');
      await expect(call(given)).rejects.toThrow('not yet');
      expect(isSkipped(await call(given, 1))).toBe(true);

      expect(ticks).toHaveLength(1);
    }
  });

  test('row 210: a retry that outlasts the next occurrence delays it, and both run', async () => {
    const { ticks, call, at } = registered(version, { schedule: cron('*/5 * * * *') }, (_, attempt) => {
      if (attempt === 1) throw new Error('not yet');
    });
    await at('2026-06-01T00:30:00Z');
    await expect(call(timer('2026-06-01T02:30:00+02:00'))).rejects.toThrow('not yet');
    // The exponential pause was longer than the schedule's.
    await at('2026-06-01T00:42:00Z');
    await call(timer('2026-06-01T02:30:00+02:00'), 1);
    await call(timer('2026-06-01T02:35:00+02:00'), 1);

    expect(ticks).toEqual(['2026-06-01T00:30:00.000Z', '2026-06-01T00:30:00.000Z', '2026-06-01T00:35:00.000Z']);
  });

  test('row 211: runOnStartup runs by hand, once per start, and its retry too; the occurrence then runs', async () => {
    let fails = true;
    const { ticks, call, at } = registered(version, { schedule: cron('30 2 * * *', BERLIN) }, () => {
      if (fails) throw new Error('not yet');
    });
    await at('2026-06-01T00:10:00Z');
    const given = timer('2026-06-01T02:30:00+02:00');
    await expect(call(given)).rejects.toThrow('not yet');
    fails = false;
    expect(isSkipped(await call(given, 1))).toBe(false);
    await at('2026-06-01T00:30:00Z');
    expect(isSkipped(await call(given))).toBe(false);

    expect(ticks).toEqual(['now', 'now', '2026-06-01T00:30:00.000Z']);
  });

  test('row 211: an app that was down for three days runs what was missed, once, with catchUp', async () => {
    const { ticks, call, at } = registered(version, {
      schedule: cron('30 2 * * *', BERLIN),
      catchUp: { mode: 'all', within: '7d' },
    });
    await at('2026-06-01T00:30:00Z');
    await call(timer('2026-06-01T02:30:00+02:00'));
    await at('2026-06-04T09:00:00Z');
    // Past due: the platform makes up for the first occurrence that was missed, and two instances start at once.
    const late = timer('2026-06-02T02:30:00+02:00', { IsPastDue: true });
    await Promise.all([call(late), call(late)]);
    await at('2026-06-05T00:30:00Z');
    await call(timer('2026-06-05T02:30:00+02:00'));

    expect(ticks).toEqual([1, 2, 3, 4, 5].map((day) => `2026-06-0${day}T00:30:00.000Z`));
  });

  test('row 228: without useMonitor two instances run each tick of the schedule once, on the nights, too', async () => {
    const { ticks, call, at } = registered(version, { schedule: cron('30 2 * * *', BERLIN) });
    for (const instant of ['2026-03-29T01:30:00Z', '2026-03-30T00:30:00Z', '2026-10-25T00:30:00Z']) {
      await at(instant);
      expect(isSkipped(await call({ Schedule: {}, ScheduleStatus: null, IsPastDue: false }))).toBe(false);
      expect(isSkipped(await call({ Schedule: {}, ScheduleStatus: null, IsPastDue: false }))).toBe(true);
    }

    // In spring the schedule has the tick at the instant of the change.
    expect(ticks).toEqual(['2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z', '2026-10-25T00:30:00.000Z']);
  });
});

test('row 209: the pages say what the platform does on these nights, and which of its calls are not in the schedule', () => {
  const [spring, , half, autumn, each] = NIGHTS.map(([, , nexts, warnings]) => {
    const [changed = '', second] = nexts.filter((next) => /-03-29|-10-25/.test(next));
    return { at: changed.slice(11, 16), isInBothHours: second !== undefined, warnings };
  });
  expect([spring, half, autumn].map((night) => [night?.at, night?.warnings])).toEqual([
    ['03:30', 1],
    ['03:00', 1],
    ['02:30', 0],
  ]);
  expect(each?.isInBothHours).toBe(true);

  const row =
    '| Azure Functions, with `WEBSITE_TIME_ZONE` | 03:30, runs | 03:00, runs | 03:00, runs | first 02:30, runs | each hour, runs |';
  expect(readFileSync('docs/guides/schedules.md', 'utf8')).toContain(row);
  const words =
    'runs an hour later, at 03:30. Your option `schedule` has the tick 03:00 then, so the call runs with a warning.';
  expect(readFileSync('docs/platforms/azure.md', 'utf8')).toContain(words);
});
