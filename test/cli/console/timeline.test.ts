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

const bars = (info: LockInfo) =>
  timelineOf(info, NOON)?.bars.map(({ kind, fromMs, toMs }) => [
    kind,
    (fromMs - NOON) / MINUTE,
    Math.round((toMs - NOON) / MINUTE),
  ]);

describe('the picture of the last runs', () => {
  test('is none where nothing has happened', () => {
    expect(timelineOf(lock({ state: 'unused' }), NOON)).toBeUndefined();
  });

  test('has a bar for each run, from its grant to its end', () => {
    expect(bars(lock({ runs: [run(-60), run(-120, { status: 'failed', durationMs: 2 * MINUTE })] }))).toEqual([
      ['succeeded', -60, -55],
      ['failed', -120, -118],
    ]);
  });

  test('shows a crash up to the end of its lease, or to the run after it', () => {
    const crash = (minutes: number): RunInfo => {
      const { durationMs: _, ...rest } = run(minutes, { status: 'crashed' });
      return rest;
    };
    const runs = [run(-30), crash(-40), crash(-120)];

    expect(bars(lock({ runs, leaseMs: 20 * MINUTE }))).toEqual([
      ['succeeded', -30, -25],
      ['crashed', -40, -30],
      ['crashed', -120, -100],
    ]);
  });

  test.each([
    [
      'held',
      10,
      [
        ['lease', -3, 10],
        ['running', -3, 0],
      ],
    ],
    [
      'expired',
      -1,
      [
        ['lease', -3, -1],
        ['expired', -3, 0],
      ],
    ],
  ] as const)('shows the run that has the lock before its lease: %s', (state, until, expected) => {
    const info = lock({ state, lockedAt: at(-3), lockUntil: at(until), lockedBy: 'web-1', fencingToken: 7 });

    expect(bars(info)).toEqual(expected);
    expect(bars({ ...info, state: 'paused', underlyingState: state })).toEqual(expected);
  });

  test('shows a pause after now, to its end', () => {
    const timeline = timelineOf(
      lock({ state: 'paused', underlyingState: 'free', paused: { until: at(1), by: 'ada' }, runs: [run(-60)] }),
      NOON,
    );

    expect(timeline?.bars[0]).toMatchObject({ kind: 'paused', fromMs: NOON, toMs: NOON + MINUTE });
    expect(timeline?.bars[0]?.words).toBe('paused by ada until 2026-11-20T12:01:00Z');
  });

  test('row 173: tells ticks without a run from those that failed', () => {
    const failed = run(-60, { status: 'failed', tick: at(-60) });
    const timeline = timelineOf(lock({ runs: [failed], openTicks: [at(-90), at(-60)] }), NOON);

    expect(timeline?.marks.map(({ kind, atMs, words }) => [kind, (atMs - NOON) / MINUTE, words])).toEqual([
      ['missed', -90, 'tick 2026-11-20T10:30:00Z: without a run, not done'],
      ['open', -60, 'tick 2026-11-20T11:00:00Z: open, not done'],
    ]);
  });

  test('holds all that it shows, and now', () => {
    const timeline = timelineOf(lock({ runs: [run(-60)], openTicks: [at(-90)] }), NOON);

    expect(timeline?.fromMs).toBeLessThan(at(-90).getTime());
    expect(timeline?.toMs).toBeGreaterThan(NOON);
  });

  test('is told in words', () => {
    const runs = [run(-30, { status: 'failed' }), run(-60, { status: 'crashed' }), run(-90)];

    expect(timelineWords(lock({ runs, failuresInARow: 2, openTicks: [at(-30), at(-60)] }))).toBe(
      'last 3 runs: 1 succeeded, 1 failed, 1 crashed; 2 failures in a row; 2 ticks not done',
    );
  });

  test('a run that was ended by force ends there, and is told in words', () => {
    const forced = run(-30, { status: 'forced', durationMs: 600_000 });

    expect(timelineOf(lock({ state: 'forced', runs: [forced] }), NOON)?.bars).toMatchObject([
      { kind: 'forced', fromMs: at(-30).getTime(), toMs: at(-20).getTime() },
    ]);
    expect(timelineWords(lock({ runs: [forced] }))).toBe(
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

test('a run that cannot have been is not drawn, so that the others are seen', () => {
  const absurd = [run(-60), run(3_000), run(-10, { durationMs: 2 ** 53 }), { ...run(0), lockedAt: new Date(0) }];

  expect(bars(lock({ runs: absurd }))).toEqual([['succeeded', -60, -55]]);
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

describe('the instants below the picture', () => {
  const words = (lengthMs: number) => axisOf({ fromMs: NOON, toMs: NOON + lengthMs }, 6).map((mark) => mark.words);

  test('are round, as many as there is room for', () => {
    expect(words(60 * MINUTE)).toEqual(['12:00', '12:10', '12:20', '12:30', '12:40', '12:50']);
  });

  test('name the day at midnight', () => {
    expect(words(1_440 * MINUTE)).toEqual(['12:00', '18:00', '11-21', '06:00']);
  });

  test('are days where the picture is long', () => {
    expect(words(10 * 1_440 * MINUTE)).toEqual(['11-21', '11-23', '11-25', '11-27', '11-29']);
  });

  test('are few for years as well', () => {
    expect(words(20 * 366 * 1_440 * MINUTE).length).toBeLessThanOrEqual(7);
  });
});
