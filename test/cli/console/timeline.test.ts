import fc from 'fast-check';
import type { LockInfo, RunInfo } from 'single-execution/admin';
import { describe, expect, test } from 'vitest';
import { lockInfo } from '../../../src/admin/lock-info.js';
import { axisOf } from '../../../src/cli/console/page/scale.js';
import { timelineOf, timelineWords } from '../../../src/cli/console/page/timeline.js';
import { lockFacts } from '../../../src/operate/lock-summary.js';

const NOON = Date.UTC(2026, 10, 20, 12);
const MINUTE = 60_000;
const at = (minutes: number) => new Date(NOON + minutes * MINUTE);

const run = (minutes: number, more: Partial<RunInfo> = {}): RunInfo => ({
  status: 'succeeded',
  lockedAt: at(minutes),
  durationMs: 5 * MINUTE,
  fencingToken: 1_000 + minutes,
  ...more,
});

const lock = (more: Partial<LockInfo> = {}): LockInfo => ({
  name: 'digest',
  state: 'free',
  failuresInARow: 0,
  runs: [],
  ...more,
});

/** The bars of a picture, such as `failed -120..-118`: from and to in minutes from now. */
const bars = (info: LockInfo) =>
  timelineOf(info, NOON)?.bars.map(({ kind, fromMs, toMs }) => {
    const [from, to] = [fromMs, toMs].map((ms) => Math.round((ms - NOON) / MINUTE));
    return `${kind} ${from}..${to}`;
  });

const { durationMs: _, ...CRASH } = run(0, { status: 'crashed' });
const crash = (minutes: number): RunInfo => ({ ...CRASH, lockedAt: at(minutes) });
const lockedFor = (state: 'held' | 'expired', until: number) =>
  ({ state, lockedAt: at(-3), lockUntil: at(until), lockedBy: 'web-1', fencingToken: 7 }) as const;
const pausedIn = (info: LockInfo): LockInfo => ({ ...info, state: 'paused', underlyingState: info.state as 'held' });

describe('the picture of the last runs', () => {
  test('is none where nothing has happened', () => {
    expect(timelineOf(lock({ state: 'unused' }), NOON)).toBeUndefined();
  });

  test.each<[string, Partial<LockInfo>, string[]]>([
    [
      'a bar for each run, from its grant to its end',
      { runs: [run(-60), run(-120, { status: 'failed', durationMs: 2 * MINUTE })] },
      ['succeeded -60..-55', 'failed -120..-118'],
    ],
    [
      'a crash up to the end of its lease, or to the run after it',
      { runs: [run(-30), crash(-40), crash(-120)], leaseMs: 20 * MINUTE },
      ['succeeded -30..-25', 'crashed -40..-30', 'crashed -120..-100'],
    ],
    ['the run that has the lock before its lease', lockedFor('held', 10), ['lease -3..10', 'running -3..0']],
    ['a run whose lease is over', lockedFor('expired', -1), ['lease -3..-1', 'expired -3..0']],
    [
      'a run that was ended by force up to then',
      { state: 'forced', runs: [run(-30, { status: 'forced', durationMs: 10 * MINUTE })] },
      ['forced -30..-20'],
    ],
    [
      'no run that cannot have been, so that the others are seen',
      { runs: [run(-60), run(3_000), run(-10, { durationMs: 2 ** 53 }), { ...run(0), lockedAt: new Date(0) }] },
      ['succeeded -60..-55'],
    ],
  ])('shows %s', (_, info, expected) => {
    expect(bars(lock(info))).toEqual(expected);
    if (info.lockUntil) expect(bars(pausedIn(lock(info)))).toEqual(expected);
  });

  test('shows a pause after now, to its end', () => {
    const info = lock({ paused: { until: at(1), by: 'ada' }, runs: [run(-60)] });
    const [bar] = timelineOf(pausedIn(info), NOON)?.bars ?? [];

    const words = 'paused by ada until 2026-11-20T12:01:00Z';
    expect(bar).toMatchObject({ kind: 'paused', fromMs: NOON, toMs: NOON + MINUTE, words });
  });

  test('row 173: tells ticks without a run from those that failed, and holds all that it shows', () => {
    const failed = run(-60, { status: 'failed', tick: at(-60) });
    const timeline = timelineOf(lock({ runs: [failed], openTicks: [at(-90), at(-60)] }), NOON);

    expect(timeline?.marks.map(({ kind, atMs, words }) => [kind, (atMs - NOON) / MINUTE, words])).toEqual([
      ['missed', -90, 'tick 2026-11-20T10:30:00Z: without a run, not done'],
      ['open', -60, 'tick 2026-11-20T11:00:00Z: open, not done'],
    ]);
    expect(timeline?.fromMs).toBeLessThan(at(-90).getTime());
    expect(timeline?.toMs).toBeGreaterThan(NOON);
  });

  test('is told in words', () => {
    const runs = [run(-30, { status: 'failed' }), run(-60, { status: 'crashed' }), run(-90)];

    expect(timelineWords(lock({ runs, failuresInARow: 2, openTicks: [at(-30), at(-60)] }))).toBe(
      'last 3 runs: 1 succeeded, 1 failed, 1 crashed; 2 failures in a row; 2 ticks not done',
    );
    expect(timelineWords(lock({ runs: [run(-30, { status: 'forced' })] }))).toBe(
      'last 1 runs: 0 succeeded, 0 failed, 0 crashed; 1 ended by force',
    );
  });
});

/** A row of the history with any values, as another program may have written it. */
const anyRow = fc
  .tuple(
    fc.constantFrom('s', 'f', 'c'),
    ...Array.from({ length: 5 }, () =>
      fc.oneof(fc.constantFrom(0, 1, 8_640_000_000_000_000, NOON, 2 ** 53 - 1), fc.maxSafeNat()),
    ),
    fc.boolean(),
  )
  .map(([status, ...parts]) => {
    const hasDuration = parts.pop();
    const [tick, lockedAt, duration, token, caughtUp] = parts.map((part) => part.toString(36));
    return [status, tick, lockedAt, hasDuration ? duration : '', token, caughtUp].join('|');
  });

test('any history is drawn, and no instant of it is one that has no date', () => {
  const anyPast = fc.dictionary(fc.constantFrom('r0', 'r1', 'r2', 'r3'), anyRow, { minKeys: 1 });
  fc.assert(
    fc.property(
      anyPast,
      fc.constantFrom({}, { pausedUntil: 8_640_000_000_000_000, pausedBy: 'ada' }),
      (rows, pause) => {
        const info = lockInfo({ name: 'digest', item: { ...rows, ...pause, openTicks: ',mjuohs00,' } }, NOON);
        const timeline = timelineOf(info, NOON);
        if (!timeline) return;

        expect(timeline.toMs).toBeGreaterThan(timeline.fromMs);
        expect(axisOf(timeline, 6).length).toBeLessThanOrEqual(7);
        for (const text of [...lockFacts(info, NOON).flat(), ...timeline.bars.map(({ words }) => words)])
          expect(text).not.toMatch(/NaN|Invalid/);
      },
    ),
    { numRuns: 500 },
  );
});

test('the instants below the picture are round, name the day at midnight, are days in a long one, and few', () => {
  const words = (lengthMs: number) => axisOf({ fromMs: NOON, toMs: NOON + lengthMs }, 6).map((mark) => mark.words);
  const day = 1_440 * MINUTE;

  expect(words(60 * MINUTE)).toEqual(['12:00', '12:10', '12:20', '12:30', '12:40', '12:50']);
  expect(words(day)).toEqual(['12:00', '18:00', '11-21', '06:00']);
  expect(words(10 * day)).toEqual(['11-21', '11-23', '11-25', '11-27', '11-29']);
  expect(words(20 * 366 * day).length).toBeLessThanOrEqual(7);
});
