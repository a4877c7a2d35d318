import { cron } from 'single-execution/schedule';
import { manualClock } from 'single-execution/testing';
import { expect, vi } from 'vitest';
import { MINUTE, NOW } from '../../support/memory-locks.js';
import { type AdapterCase, adapterCase } from './case.js';
import type { Job } from './platform.js';
import type { Stage, StageOptions } from './stage.js';

/** Makes a call. @returns the tick for which its handler ran */
const tickOf = async ({ run }: Stage, options: StageOptions, args?: unknown[]): Promise<Date | undefined> =>
  (await run(options, args)).execution.tick;

const NO_INSTANTS: readonly (readonly [unknown, string])[] = [
  ['2026-01-01T00:00:00Z', "'2026-01-01T00:00:00Z'"],
  [null, 'null'],
  [true, 'true'],
  [{}, 'an object'],
];

const UNTIMED = 'the trigger has no scheduled time, so a second delivery runs again';
const linesOf = ({ logged }: Stage) => logged.mock.calls.map(([line]) => String(line));

export const tickCases: readonly AdapterCase[] = [
  adapterCase(
    'row 36: the tick is the scheduled time of the trigger, to the millisecond, and not the time of the call',
    async (stage) => {
      expect(await tickOf(stage, {}, stage.due({ time: NOW - 7_001 }))).toEqual(new Date(NOW - 7_001));
    },
  ),

  adapterCase('row 34: F64 a second delivery of a tick is skipped, however late, and the next runs', async (stage) => {
    const { run, due, skip, clock } = stage;
    await run();
    await clock.advance(10 * MINUTE);

    expect(await skip()).toMatchObject({ reason: 'already-executed' });
    await run({}, due({ time: NOW + 10 * MINUTE }));
  }),

  adapterCase('row 36: the tick may come from a function of the arguments', async (stage) => {
    for (const chosen of [new Date(NOW - MINUTE), NOW - 2 * MINUTE, undefined]) {
      const args = stage.due();
      const tick = vi.fn((..._: unknown[]) => chosen);
      const expected = chosen === undefined ? undefined : new Date(chosen);

      expect(await tickOf(stage, { tick, name: `at ${chosen}` }, args)).toEqual(expected);
      expect(tick).toHaveBeenCalledExactlyOnceWith(...args);
      for (const [place, arg] of args.entries()) expect(tick.mock.calls[0]?.[place]).toBe(arg);
    }
    expect(linesOf(stage)).toEqual([]);
  }),

  adapterCase('row 36: what a function of the tick throws is thrown, and nothing is written', async (stage) => {
    const { wrap, due, verbs, result } = stage;
    const error = new Error('no header');
    const tick = () => {
      throw error;
    };

    await expect(wrap(result, { tick })(...due())).rejects.toBe(error);
    expect(verbs()).toEqual([]);
  }),

  adapterCase('row 36: what a function of the tick returns is an instant, or refused', async (stage) => {
    const { wrap, due, verbs, result } = stage;
    for (const [returned, shown] of NO_INSTANTS) {
      const message = `tick returned ${shown}: return a Date, epoch milliseconds, or undefined`;
      await expect(wrap(result, { tick: () => returned })(...due())).rejects.toThrow(new TypeError(message));
    }
    const promised = wrap(result, { tick: () => Promise.resolve(new Date()) })(...due());
    await expect(promised).rejects.toThrow('tick returned a promise: return the value itself, without async');
    expect(verbs()).toEqual([]);
  }),

  ...(
    [
      ['NaN', Number.NaN],
      ['an invalid Date', new Date(Number.NaN)],
    ] as const
  ).map(([value, invalid]) =>
    adapterCase(`F68 a function that returns ${value} gives no tick, and an event reports it`, async (stage) => {
      expect(await tickOf(stage, { tick: () => invalid })).toBeUndefined();
      expect(stage.observer.events[0]).toMatchObject({ type: 'tick-unreadable', name: 'digest', value });
    }),
  ),

  adapterCase("row 55: with tick: 'none' each call runs, under the lock", async (stage) => {
    for (let calls = 0; calls < 2; calls++) expect(await tickOf(stage, { tick: 'none' })).toBeUndefined();
    expect(linesOf(stage)).toEqual([]);
    await stage.hold({ tick: 'none' });

    expect(await stage.skip({ tick: 'none' })).toMatchObject({ reason: 'locked' });
  }),

  ...[-1, 8].map((skew) =>
    adapterCase(
      `row 88: with tick: 'nearest', a host whose clock is wrong by ${skew} minutes agrees on the tick`,
      async (stage) => {
        const nearest = { tick: 'nearest', schedule: cron('*/10 * * * *') };
        const on = (minutes: number) => ({ ...nearest, clock: manualClock(NOW + minutes * MINUTE) });
        const args = () => stage.due({ time: undefined });

        expect(await tickOf(stage, on(10), args())).toEqual(new Date(NOW + 10 * MINUTE));
        expect(await stage.skip(on(10 + skew), args())).toMatchObject({
          reason: 'already-executed',
          tick: new Date(NOW + 10 * MINUTE).toISOString(),
        });
      },
    ),
  ),

  adapterCase(
    'row 36: the tick of the local clock is the same for all calls of an interval',
    async (stage) => {
      const { due, skip, clock } = stage;
      const every = { tick: { every: '10m' } };
      await clock.advance(7 * MINUTE);

      expect(await tickOf(stage, every, due({ time: NOW + MINUTE }))).toEqual(new Date(NOW));
      expect(await skip(every, due({ time: undefined }))).toMatchObject({ reason: 'already-executed' });
    },
    ['tick of the local clock'],
  ),

  ...(
    [
      ['in seconds', NOW / 1_000, []],
      ['more than a day ahead', NOW + 86_400_001, ['a time ahead is wrong']],
      ['of the year 9999', Date.UTC(9999, 11, 31), ['a time ahead is wrong']],
    ] as const
  ).map(([when, time, needs]) =>
    adapterCase(
      `F71 F94 a scheduled time ${when} is refused, and nothing is written`,
      async (stage) => {
        expect(await stage.refusal({}, stage.due({ time }))).toBe(stage.platform.wrongTime ?? 'RangeError');
        expect(stage.verbs()).toEqual([]);
      },
      needs,
    ),
  ),

  adapterCase(
    'row 82: F68 a trigger without a scheduled time is refused, and nothing is written',
    async ({ refusal, due, verbs, platform }) => {
      expect(await refusal({}, due({ time: undefined }))).toBe(platform.noTime);
      expect(verbs()).toEqual([]);
    },
    ['time in the trigger', 'untimed is refused'],
  ),

  adapterCase(
    'rows 55, 82: F68 a trigger without a scheduled time runs under the lock, without a tick, and one log line says so',
    async (stage) => {
      const { due, item, hold, skip, wrap, result } = stage;
      const job = vi.fn<Job>(result);
      const call = wrap(job);
      for (let calls = 0; calls < 2; calls++) await call(...due({ time: undefined }));

      expect(job.mock.calls.map(([{ execution }]) => execution.tick)).toEqual([undefined, undefined]);
      expect(await item()).not.toHaveProperty('doneTick');
      expect(linesOf(stage)).toEqual([expect.stringContaining(UNTIMED)]);
      await hold();
      expect(await skip({}, due({ time: undefined }))).toMatchObject({ reason: 'locked' });
    },
    ['untimed runs'],
  ),

  adapterCase(
    'F68 a scheduled time that cannot be read is no tick, and an event reports it',
    async (stage) => {
      expect(await tickOf(stage, {}, stage.due({ time: 'soon' }))).toBeUndefined();
      expect(stage.observer.events[0]).toMatchObject({ type: 'tick-unreadable', name: 'digest', value: "'soon'" });
      expect(linesOf(stage)).toEqual([]);
    },
    ['untimed runs'],
  ),
];
