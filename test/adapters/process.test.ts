import { createRequire } from 'node:module';
import { Cron, type CronOptions } from 'croner';
import nodeCron from 'node-cron';
import { type Execution, withSingleExecution as ofLambda, type Skipped } from 'single-execution';
import { withSingleExecution as ofRoutes } from 'single-execution/http';
import { withSingleExecution } from 'single-execution/process';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { MINUTE, memoryLocks, NOW } from '../support/memory-locks.js';

const { Cron: Cron10 } = createRequire(import.meta.url)('croner-10') as typeof import('croner');

function setting() {
  const { clock, store, options } = memoryLocks();
  return { clock, store, options: { ...options, tick: 'none' as const } };
}

const execution = expect.objectContaining({ name: 'digest', fencingToken: NOW + 1 });
const collect =
  (seen: unknown[][]) =>
  (...all: unknown[]) =>
    seen.push(all);

afterEach(() => {
  vi.useRealTimers();
});

// Schedulers pass different arguments: croner two, node-cron one, others none.
test.each<[string, (seen: unknown[][]) => (...args: never[]) => void, unknown[], unknown[]]>([
  ['none of one argument', (seen) => () => seen.push([]), ['a'], []],
  [
    'one of none',
    (seen) =>
      (...[e]) =>
        seen.push([e]),
    [],
    [execution],
  ],
  ['one of two', (seen) => (e) => seen.push([e]), ['a', 'b'], [execution]],
  ['two of one', (seen) => (a, e) => seen.push([a, e]), ['a'], ['a', execution]],
  ['two of two', (seen) => (a, e) => seen.push([a, e]), ['a', 'b'], ['a', execution]],
  ['two of none', (seen) => (a, e) => seen.push([a, e]), [], [undefined, execution]],
  ['three of two', (seen) => (a, b, e) => seen.push([a, b, e]), ['a', 'b'], ['a', 'b', execution]],
  ['any number', collect, ['a', 'b'], ['a', 'b', execution]],
])('row 62: is given its arguments and the execution as its last parameter: %s', async (_, make, args, expected) => {
  const seen: unknown[][] = [];
  const job: (...args: unknown[]) => Promise<unknown> = withSingleExecution(
    make(seen) as () => void,
    setting().options,
  );
  await job(...args);

  expect(seen).toEqual([expected]);
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['a string', '2026-01-01T00:00:00Z'],
  ['a context without a date', {}],
  ['a date that is none', { date: new Date(Number.NaN), triggeredAt: new Date(NOW) }],
  ['a date that is a number', { date: NOW, triggeredAt: new Date(NOW) }],
  ['a date of something that is not node-cron’s', { date: new Date(NOW - 60_000) }],
  ['an invalid date', new Date(Number.NaN)],
  ['a croner job that has not run', new Cron('* * * * *', { paused: true })],
  ['a job of croner 10 that has not run', new Cron10('* * * * *', { paused: true })],
])(
  'row 82: F68 a call without a scheduled time is refused, and nothing is written: it passes %s',
  async (_, context) => {
    const { options, store } = setting();
    const acquire = vi.spyOn(store, 'acquire');
    const job = vi.fn((_context: unknown, _execution: Execution) => {});

    await expect(withSingleExecution(job, { ...options, tick: 'event' })(context)).rejects.toThrow(
      new TypeError(
        `lock "digest" is for ticks, and this call has none; croner 10, node-cron 4 and node-schedule pass one: set tick to 'nearest' with the schedule, { every: '5m' }, a function of the arguments, or 'none'`,
      ),
    );
    expect([acquire.mock.calls, job.mock.calls]).toEqual([[], []]);
  },
);

test('row 82: the date that node-schedule passes first is the tick', async () => {
  const { options } = setting();
  const job = withSingleExecution((_due: Date, { tick }: Execution) => tick, { ...options, tick: 'event' });

  expect(await job(new Date(NOW))).toEqual(new Date(NOW));
  expect(await job(new Date(NOW))).toMatchObject({ status: 'skipped', reason: 'already-executed' });
});

describe('node-cron itself', () => {
  test('row 36: row 34: of two processes with one schedule one runs each tick, and the tick is the minute that was due', async () => {
    vi.useFakeTimers({ now: NOW - 30_000 });
    const { options } = setting();
    const ticks: unknown[] = [];
    const guarded = { ...options, tick: 'event' as const };
    const job = () => withSingleExecution(async (_context: object, { tick }: Execution) => ticks.push(tick), guarded);
    const results: unknown[] = [];
    const tasks = [job(), job()].map((wrapped) =>
      nodeCron.schedule('*/5 * * * *', async (context) => results.push(await wrapped(context)), {
        timezone: 'Etc/UTC',
      }),
    );
    await vi.advanceTimersByTimeAsync(6 * MINUTE);
    await Promise.all(tasks.map((task) => task.destroy()));

    expect(ticks).toEqual([new Date(NOW), new Date(NOW + 5 * MINUTE)]);
    expect(results.map((result) => (result as Partial<Skipped>).status ?? 'ran').sort()).toEqual([
      'ran',
      'ran',
      'skipped',
      'skipped',
    ]);
  });

  test('row 62: accepts the wrapped job and its result without a cast', async () => {
    const { clock, options } = setting();
    await clock.advance(Date.now() - NOW);
    const job = withSingleExecution(({ name }: Execution) => name, { ...options, tick: 'event' });
    const task = nodeCron.createTask('0 0 1 1 *', job);

    expect(await task.execute()).toBe('digest');
    expect(await task.destroy()).toBeUndefined();
  });
});

type Schedule = [pattern: string, cronOptions: CronOptions, dues: readonly string[]];

/** Two ticks in the hour that is repeated when clocks go back. */
const REPEATED: Schedule = [
  '30 * * * *',
  { timezone: 'America/New_York' },
  ['2026-11-01T05:30:00.000Z', '2026-11-01T06:30:00.000Z'],
];

test('row 36: croner 10 leaves out the hour that is repeated when clocks go back', () => {
  const [pattern, options, [first = '']] = REPEATED;
  const cron = new Cron10(pattern, { ...options, paused: true });

  expect(cron.nextRun(new Date(first))).toEqual(new Date('2026-11-01T07:30:00.000Z'));
});

describe.each<[string, typeof Cron, Schedule[]]>([
  ['croner 10', Cron10, []],
  ['croner 11', Cron, [REPEATED]],
])('%s itself', (_, Cron, repeated) => {
  type Job = InstanceType<typeof Cron>;

  test('row 62: the execution comes last, and a job with one parameter gets the execution, not what croner passes', async () => {
    const job = vi.fn();
    const options = { ...setting().options, onSkipped: () => undefined };
    const jobs = [
      withSingleExecution((self: Job, context: undefined, { name }: Execution) => job(self, context, name), options),
      withSingleExecution(({ name }: Execution) => job(name), options),
    ].map((wrapped) => new Cron('0 0 1 1 *', { paused: true }, wrapped));
    for (const cron of jobs) await cron.trigger();
    for (const cron of jobs) cron.stop();

    expect(job.mock.calls).toEqual([[jobs[0], undefined, 'digest'], ['digest']]);
  });

  test.each<Schedule>([
    ['*/5 * * * *', { timezone: 'Etc/UTC' }, ['2026-01-01T00:00:00.000Z', '2026-01-01T00:05:00.000Z']],
    ['*/7 * * * * *', { timezone: 'Asia/Kolkata' }, ['2026-01-01T00:00:49.000Z', '2026-01-01T00:00:56.000Z']],
    ['30 19 * * *', { timezone: 'America/New_York' }, ['2026-03-08T00:30:00.000Z', '2026-03-08T23:30:00.000Z']],
    ...repeated,
  ])(
    'row 36: row 34: of two processes 30 ms apart one runs each tick of %s in %o, and the tick is the time that was due',
    async (pattern, cronOptions, dues) => {
      const [first = Number.NaN, second = Number.NaN] = dues.map((due) => Date.parse(due));
      vi.useFakeTimers({ now: first - 500 });
      const { store } = memoryLocks();
      const ticks: unknown[] = [];
      const reasons: unknown[] = [];
      const startedAt: number[] = [];
      const pods = [0, 1].map(() => {
        const job = withSingleExecution(async ({ tick }: Execution) => void ticks.push(tick?.toISOString()), {
          ...{ name: 'digest', store, lockAtMostFor: '1m', observers: [], tick: 'event' },
          onSkipped: ({ reason }) => void reasons.push(reason),
        });
        return new Cron(pattern, cronOptions, (...args: unknown[]) => {
          startedAt.push(Date.now());
          // Each of the two processes takes 30 ms before the other one is called.
          vi.setSystemTime(Date.now() + 30);
          return (job as (...args: unknown[]) => Promise<undefined>)(...args);
        });
      });
      await vi.advanceTimersByTimeAsync(1_000);
      // croner looks at the clock at least every 30 s.
      const beforeSecond = Math.min(second - Date.now(), 31_000);
      vi.setSystemTime(second - beforeSecond);
      await vi.advanceTimersByTimeAsync(beforeSecond + 500);
      for (const pod of pods) pod.stop();

      expect(startedAt).toHaveLength(4);
      expect(startedAt.map((at) => at % 1_000)).toSatisfy(
        ([a = 0, b = 0, c = 0, d = 0]: number[]) => a + 30 <= b && c + 30 <= d,
      );
      expect(ticks).toEqual(dues);
      expect(reasons).toEqual(['already-executed', 'already-executed']);
    },
  );

  test('row 36: has its time on a 29 February too, before which croner 10 finds no other', async () => {
    const leapDay = new Date('2024-02-29T00:00:00.000Z');
    vi.useFakeTimers({ now: leapDay.getTime() + 4 });
    const ticks: unknown[] = [];
    const { clock: _, ...options } = setting().options;
    const job = withSingleExecution(async ({ tick }: Execution) => void ticks.push(tick), {
      ...{ ...options, tick: 'event' as const },
      onSkipped: () => undefined,
    });
    const cron = new Cron('0 0 29 2 *', { timezone: 'Etc/UTC', paused: true }, job);
    await cron.trigger();
    cron.stop();

    expect(ticks).toEqual([leapDay]);
  });

  test('row 36: a job with an interval counts from its own last run: it has no time that others share', async () => {
    const job = withSingleExecution(() => {}, { ...setting().options, tick: 'event', onSkipped: () => undefined });
    const cron = new Cron('* * * * * *', { interval: 60, paused: true }, job);

    await expect(cron.trigger()).rejects.toThrow('this call has none');
    cron.stop();
  });
});

test('the door of Lambda or of routes, called by croner, names this door', async () => {
  const { options } = setting();
  const { lockAtMostFor: _, ...own } = options;
  const told = vi.spyOn(console, 'warn').mockReturnValue();
  const triggered = async (job: (...args: never[]) => unknown) => {
    const errors: unknown[] = [];
    const cron = new Cron('0 0 1 1 *', { paused: true, catch: (error) => errors.push(error) }, job as () => void);
    await cron.trigger();
    cron.stop();
    return String(errors[0]);
  };
  const route = ofRoutes((async () => 'sent') as never, { ...options, secret: false });

  expect(await triggered(ofLambda(async () => 'sent', { ...own, tick: 'event' }))).toContain(
    'single-execution/process',
  );
  expect(await triggered(route as never)).toContain('single-execution/process');
  const lines = told.mock.calls.map(([line]) => String(line));
  told.mockRestore();
  expect(lines.some((line) => line.includes('needs single-execution/process'))).toBe(true);
});
