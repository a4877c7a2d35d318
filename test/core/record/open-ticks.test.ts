import fc from 'fast-check';
import type { Completion, Lease } from 'single-execution';
import { describe, expect, test } from 'vitest';
import { type Item, type LockRecord, readRecord } from '../../../src/core/record/lock-record.js';
import {
  failedTicksAfterCrash,
  listedTick,
  listOf,
  openTicksIn,
  ticksAfterRun,
  ticksDropped,
  ticksDroppedByCrash,
  ticksIn,
  ticksOf,
} from '../../../src/core/record/open-ticks.js';
import { doneReason } from '../../../src/core/record/refusal.js';
import { MOST_LISTED } from '../../../src/core/values/tick.js';
import { claim, GRANTED_AT, lease } from '../lease.js';

/** The tick of minute `n`, `mjuohs00` in base 36 where it is 0. */
const t = (n: number) => GRANTED_AT + n * 60_000;
const all = (...minutes: number[]) => minutes.map(t);

describe('a list', () => {
  test.each<[string, number[], string]>([
    ['of nothing', [], ','],
    ['of one tick', all(0), ',mjuohs00,'],
    ['of two, ascending', all(1, 0), ',mjuohs00,mjuoj2ao,'],
    ['of one tick told twice', all(0, 0), ',mjuohs00,'],
  ])('%s', (_, ticks, list) => {
    expect(listOf(ticks)).toBe(list);
    expect(ticksIn(list)).toEqual([...new Set(ticks)].sort());
  });

  test('keeps the newest eight', () => {
    expect(ticksIn(listOf(all(8, 0, 1, 2, 3, 4, 5, 6, 7)))).toEqual(all(1, 2, 3, 4, 5, 6, 7, 8));
  });

  test.each<[string, unknown, number[]]>([
    ['a number', 1_767_225_600_000, []],
    ['a list without its commas', 'mjuohs00', all(0)],
    ['ticks in disorder, others in seconds or too far ahead', ',mjuoj2ao,t8c1s0,mjuohs00,zzzzzzzzzz,', all(0, 1)],
  ])('that is %s is read as far as it can be', (_, list, ticks) => {
    expect(ticksIn(list)).toEqual(ticks);
  });

  test('is read from its own text, and written anew as one that a record may have, whatever stood there', () => {
    const garbage = fc.oneof(
      fc.string(),
      fc
        .array(
          fc.oneof(
            fc.string(),
            fc.nat(40).map((n) => listedTick(t(-n))),
          ),
        )
        .map(String),
    );
    fc.assert(
      fc.property(garbage, fc.nat(20), (found, n) => {
        const { openTicks = '' } = ticksAfterRun(
          { ...lease, ...ticksOf({ openTicks: found, doneTick: t(0) }), tickMs: t(n + 2) },
          missed(t(1)),
        );

        expect(readRecord('digest', { openTicks })).toBeDefined();
        expect(ticksIn(openTicks)).toContain(t(1));
        expect(listOf(ticksIn(openTicks), MOST_LISTED)).toBe(openTicks);
      }),
    );
  });
});

test('ticksOf leaves out what it has not', () => {
  expect(ticksOf({})).toEqual({});
  expect(ticksOf({ doneTick: 'yesterday', openTicks: 7, failedTicks: '?' })).toEqual({
    openTicksMs: [],
    failedTicksMs: [],
  });
});

describe('a crash, or a force release', () => {
  const held = { state: 'held', tick: t(1) };

  test.each<[string, Item, string | undefined]>([
    ['adds none that is done, as at its start', { ...held, doneTick: t(1) }, undefined],
    ['drops what cannot be read', { ...held, failedTicks: 'what?' }, listOf(all(1))],
    [
      'drops the oldest of nine',
      { ...held, tick: t(9), doneTick: t(0), failedTicks: listOf(all(1, 2, 3, 4, 5, 6, 7, 8)) },
      listOf(all(2, 3, 4, 5, 6, 7, 8, 9)),
    ],
    [
      'drops none of nine before a first tick is done',
      { ...held, tick: t(9), failedTicks: listOf(all(1, 2, 3, 4, 5, 6, 7, 8)) },
      listOf(all(1, 2, 3, 4, 5, 6, 7, 8, 9), MOST_LISTED),
    ],
  ])('%s', (_, item, failedTicks) => {
    expect(failedTicksAfterCrash(item)).toBe(failedTicks);
  });

  test.each<[string, Item, string | undefined, number[]]>([
    ['nothing where the list stays', { failedTicks: listOf(all(1)) }, undefined, []],
    ['nothing where the list has grown', { failedTicks: listOf(all(1)) }, listOf(all(1, 2)), []],
    ['what the new list has not', { failedTicks: listOf(all(1, 2)) }, listOf(all(2, 3)), all(1)],
    ['no tick that is done', { doneTick: t(1), failedTicks: listOf(all(1, 2)) }, listOf(all(3)), all(2)],
  ])('has dropped %s', (_, before, after, dropped) => {
    expect(ticksDroppedByCrash(before, after)).toEqual(dropped);
  });
});

const succeeded: Completion = { result: 'succeeded', lockAtLeastForMs: 0, markTickDone: true, durationMs: 5 };
const failed: Completion = { ...succeeded, result: 'failed', markTickDone: false, markTickFailed: true };
const missed = (...missedTicksMs: number[]): Completion => ({ ...succeeded, missedTicksMs });

test('the eight newest ticks that never came are listed, beside any that failed among them', () => {
  const failedTicksMs = all(1, 3, 5, 7, 9, 11, 13, 15, 17);
  const never = all(2, 3, 4, 6, 8, 9, 10, 12, 13, 14, 16, 18, 19);

  const { openTicks } = ticksAfterRun({ ...lease, tickMs: t(20), failedTicksMs }, missed(...never));
  expect(ticksIn(openTicks)).toEqual(all(1, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19));
});

// The contract of stores plays what becomes of a tick. Here are the limits of the lists.
describe('ticksAfterRun', () => {
  type Written = Pick<LockRecord, 'doneTick' | 'openTicks' | 'failedTicks'>;
  const eight = all(1, 2, 3, 4, 5, 6, 7, 8);

  test.each<[string, Partial<Lease>, Completion, Written]>([
    ['a tick that was done at its start does not fail', { tickMs: t(1), doneTickMs: t(1) }, failed, {}],
    ['a listed tick that fails again stays', { tickMs: t(1), doneTickMs: t(2), openTicksMs: all(1) }, failed, {}],
    [
      'its success takes it off',
      { tickMs: t(1), failedTicksMs: all(1) },
      succeeded,
      { doneTick: t(1), failedTicks: ',' },
    ],
    [
      'of nine open ticks the oldest falls off',
      { tickMs: t(10), doneTickMs: t(8.5), openTicksMs: eight, failedTicksMs: all(9) },
      succeeded,
      { doneTick: t(10), openTicks: listOf(all(2, 3, 4, 5, 6, 7, 8, 9)), failedTicks: ',' },
    ],
    [
      'of nine failed ticks the oldest falls off',
      { tickMs: t(9), doneTickMs: t(0), failedTicksMs: eight },
      failed,
      { failedTicks: listOf(all(2, 3, 4, 5, 6, 7, 8, 9)) },
    ],
    [
      'of nine failed ticks none falls off before a first tick is done',
      { tickMs: t(9), failedTicksMs: eight },
      failed,
      { failedTicks: listOf(all(1, 2, 3, 4, 5, 6, 7, 8, 9), MOST_LISTED) },
    ],
    [
      'the first success opens all that failed before',
      { tickMs: t(10), failedTicksMs: [...eight, t(9)] },
      succeeded,
      { doneTick: t(10), openTicks: listOf([...eight, t(9)], MOST_LISTED), failedTicks: ',' },
    ],
    [
      'a failed tick that is done by now does not stay when another fails',
      { tickMs: t(3), doneTickMs: t(2), failedTicksMs: all(1, 2) },
      failed,
      { failedTicks: listOf(all(3)) },
    ],
  ])('%s', (_, ticks, completion, written) => {
    expect(ticksAfterRun({ ...lease, ...ticks }, completion)).toEqual(written);
  });
});

describe('over any history of runs', () => {
  const TICKS = Array.from({ length: 14 }, (_, n) => t(n));
  const run = fc.record({
    tickMs: fc.option(fc.constantFrom(...TICKS), { nil: undefined, freq: 8 }),
    markTickAtStart: fc.constantFrom(false, false, false, false, true),
    end: fc.constantFrom('succeeds', 'fails', 'crashes', 'is forced'),
    missedTicksMs: fc.oneof(fc.constant<number[]>([]), fc.subarray(TICKS)),
  });

  test('no tick is done twice, none is listed that is done, lists are ascending, each tick once, and what they drop is known', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(run, { maxLength: 40, size: 'max' }), (isFirstDone, runs) => {
        const done = new Set<number>();
        let record: LockRecord = isFirstDone ? { doneTick: t(-1) } : {};
        for (const { tickMs, markTickAtStart, end, missedTicksMs } of runs) {
          const asked = { ...claim, markTickAtStart, ...(tickMs !== undefined && { tickMs }) };
          if (doneReason(asked, record)) continue;
          if (tickMs !== undefined) expect(done).not.toContain(tickMs);

          const { tick: _, ...kept } = record;
          const crashed = failedTicksAfterCrash(record);
          expectKept(openTicksIn(record), ticksDroppedByCrash(record, crashed), {
            ...record,
            ...(crashed && { failedTicks: crashed }),
          });
          record = { ...kept, state: 'held', ...(crashed && { failedTicks: crashed }) };
          const held = { ...lease, ...ticksOf(record), ...(tickMs !== undefined && { tickMs }) };
          if (tickMs !== undefined) record = { ...record, tick: tickMs, ...(markTickAtStart && { doneTick: tickMs }) };
          if (tickMs !== undefined && (markTickAtStart || end === 'succeeds')) done.add(tickMs);

          if (end === 'is forced') {
            const forced = failedTicksAfterCrash(record);
            record = { ...record, state: 'forced', ...(forced && { failedTicks: forced }) };
          } else if (end !== 'crashes') {
            const byResult = !markTickAtStart && tickMs !== undefined;
            const completion = {
              ...(end === 'succeeds' ? missed(...missedTicksMs.filter((tick) => tick < Number(tickMs))) : failed),
              markTickDone: byResult && end === 'succeeds',
              markTickFailed: byResult && end === 'fails',
            };
            const { doneTick, ...lists } = ticksAfterRun(held, completion);
            const before = openTicksIn(record);
            record = { ...record, state: 'released', ...(doneTick && { doneTick }), ...lists };
            expectKept(
              [...before, ...(byResult && end === 'fails' && Number(tickMs) > (held.doneTickMs ?? 0) ? [tickMs] : [])],
              [...ticksDropped(held, completion), ...(doneTick ? [tickMs] : [])],
              record,
            );
          }

          readRecord('digest', record);
          for (const list of [record.openTicks, record.failedTicks]) {
            const ticks = ticksIn(list);
            expect(ticks).toEqual([...new Set(ticks)].sort());
            if (isFirstDone) expect(ticks.length).toBeLessThanOrEqual(8);
          }
          for (const tick of ticksIn(record.openTicks)) {
            expect(done).not.toContain(tick);
            expect(tick).toBeLessThan(record.doneTick ?? 0);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  /** Ticks that were open are open after a write, or they are dropped or done. */
  function expectKept(before: readonly (number | undefined)[], gone: readonly (number | undefined)[], after: Item) {
    const accounted = [...openTicksIn(after), ...gone];
    for (const tick of before) expect(accounted).toContain(tick);
  }
});

describe('ticksDropped', () => {
  const hundred = Array.from({ length: 100 }, (_, n) => t(n));
  const eight = all(1, 2, 3, 4, 5, 6, 7, 8);

  test.each<[string, Partial<Lease>, Completion, number[]]>([
    ['nothing by a run without a tick', { failedTicksMs: eight }, failed, []],
    ['nothing where all have room', { tickMs: t(3), failedTicksMs: all(1, 2) }, succeeded, []],
    ['the oldest of nine that failed', { tickMs: t(9), doneTickMs: t(0), failedTicksMs: eight }, failed, all(1)],
    ['none of nine before a first one is done', { tickMs: t(9), failedTicksMs: eight }, failed, []],
    ['the oldest of 101 before a first one is done', { tickMs: t(100), failedTicksMs: hundred }, failed, all(0)],
    [
      'the tick that it was catching up with, where that is the oldest of nine',
      { tickMs: t(9), doneTickMs: t(-1), failedTicksMs: all(1, 2, 3, 4, 5, 6, 7) },
      { ...failed, failedTickMs: t(0) },
      all(0),
    ],
    [
      'open ones that newer ones push out',
      { tickMs: t(10), doneTickMs: t(8), openTicksMs: all(0, 1, 2, 3, 4, 5, 6, 7) },
      missed(t(9)),
      all(0),
    ],
    [
      'the oldest of nine missed',
      { tickMs: t(10), doneTickMs: t(0) },
      missed(...all(1, 2, 3, 4, 5, 6, 7, 8, 9)),
      all(1),
    ],
    [
      'none that its run has given up',
      { tickMs: t(10), doneTickMs: t(8.5), openTicksMs: eight, failedTicksMs: all(9) },
      { ...succeeded, givenUpTicksMs: all(1) },
      [],
    ],
    ['no failed tick that is done by now', { tickMs: t(3), doneTickMs: t(2), failedTicksMs: all(1, 2) }, failed, []],
    [
      'nothing by a run that is to be marked neither as done nor as failed',
      { tickMs: t(9), doneTickMs: t(0), failedTicksMs: eight },
      { ...failed, markTickFailed: false },
      [],
    ],
  ])('is %s', (_, ticks, completion, dropped) => {
    expect(ticksDropped({ ...lease, ...ticks }, completion)).toEqual(dropped);
  });
});
