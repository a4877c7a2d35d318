import { type Clock, type Execution, LockLostError, RunEndedError } from 'single-execution';
import { manualClock } from 'single-execution/testing';
import { expect, vi } from 'vitest';
import { pass } from '../../support/clocks.js';
import { MINUTE, NOW } from '../../support/memory-locks.js';
import { type AdapterCase, adapterCase } from './case.js';
import type { Job } from './platform.js';
import type { StageOptions } from './stage.js';

const deadline = new RunEndedError('digest', 'DEADLINE', 'the platform ends it soon');
const DAY = 86_400_000;

/** The reason of a run's signal after `ms - 1` milliseconds, and after `ms`. */
async function reasonsAround(ms: number, { signal }: Execution, clock: Clock): Promise<unknown[]> {
  await pass(clock, ms - 1);
  const before = signal.reason;
  await pass(clock, 1);
  return [before, signal.reason];
}

export const timeCases: readonly AdapterCase[] = [
  ...(
    [
      ['2 s longer than the run can last', 3_000, {}, 5_000],
      ['2 s longer than a long run can last', 900_000, {}, 902_000],
      ['a day at the most', DAY + 1, {}, DAY],
      ['lockAtMostFor when that is given', 3_000, { lockAtMostFor: '10m' }, 600_000],
      ['lockAtLeastFor when that is longer', 3_000, { lockAtLeastFor: '1h' }, 3_600_000],
      ['30 s with keepAlive', 900_000, { keepAlive: true }, 30_000],
      ['lockAtLeastFor with keepAlive if that is longer', 900_000, { keepAlive: true, lockAtLeastFor: '5m' }, 300_000],
      ['lockAtMostFor with keepAlive when that is given', 900_000, { keepAlive: true, lockAtMostFor: '10s' }, 10_000],
    ] as [string, number, StageOptions, number][]
  ).map(([what, limitMs, options, leaseMs]) =>
    adapterCase(`rows 21, 63: the time that a run has sets its lease: ${what}`, async ({ run, due }) => {
      const { execution } = await run({ limitMs, ...options }, due({ limitMs }));

      expect(execution.lockUntil).toEqual(new Date(NOW + leaseMs));
    }),
  ),

  adapterCase('F23 a lease shorter than the run can last causes one warning that names both', async (stage) => {
    const { wrap, due, logged, platform, result } = stage;
    const limitMs = 15 * MINUTE;
    const call = wrap(result, { limitMs, lockAtMostFor: '5m', tick: 'none' });
    for (let calls = 0; calls < 2; calls++) await call(...due({ limitMs }));

    expect(logged.mock.calls).toEqual([
      [
        `{"level":"WARN","source":"single-execution","message":"lockAtMostFor is 5m, shorter than ${platform.limit} 15m: a run that takes longer loses its lock; raise it, leave it out, or set keepAlive"}`,
      ],
    ]);
  }),

  adapterCase('F23 a lease that is as long, longer, renewed or not given causes no warning', async (stage) => {
    const { run, due, logged } = stage;
    const limitMs = 15 * MINUTE;
    const leases = [{ lockAtMostFor: '15m' }, { lockAtMostFor: '16m' }, { lockAtMostFor: '10s', keepAlive: true }, {}];
    for (const lease of leases) await run({ limitMs, tick: 'none', ...lease }, due({ limitMs }));

    expect(logged).not.toHaveBeenCalled();
  }),

  // The default lease is the limit plus 2 s. Above 198 s its guard of 1 % is longer than these 2 s, so that the guard,
  // not the limit, decides when the signal aborts.
  ...(
    [
      [1_000, 900, {}],
      [3_000, 2_700, {}],
      [60_000, 59_000, {}],
      [198_000, 197_000, {}],
      [199_000, 197_990, {}],
      [300_000, 297_980, {}],
      [900_000, 891_980, {}],
      [900_000, 899_000, { keepAlive: true }],
      [60_000, 55_000, { gracePeriod: '5s' }],
      [60_000, 55_000, { gracePeriod: '5s', lockAtMostFor: '2m' }],
      [60_000, 55_000, { gracePeriod: '5s', keepAlive: true }],
    ] as const
  ).map(([limitMs, abortMs, options]) =>
    adapterCase(
      `row 26: of ${limitMs} ms, with ${JSON.stringify(options)}, the signal aborts after ${abortMs} ms, and a handler that obeys is released in time`,
      async ({ wrap, due, clock, item, observer }) => {
        let reasons: unknown[] = [];
        const call = wrap(
          async ({ execution }) => {
            reasons = await reasonsAround(abortMs, execution, clock);
            await pass(clock, limitMs / 10 > 1_000 ? 999 : 99);
            execution.assertHeld();
            execution.signal.throwIfAborted();
          },
          { limitMs, ...options },
        );
        const failed = expect(call(...due({ limitMs }))).rejects.toEqual(deadline);
        await clock.advance(limitMs);
        await failed;

        expect(reasons).toEqual([undefined, deadline]);
        expect(await item()).toMatchObject({ state: 'released', result: 'failed' });
        const told = observer.types().filter((type) => type !== 'extended');
        expect(told).toEqual(['attempted', 'acquired', 'started', 'released', 'failed']);
        expect(clock.pendingTimers()).toBe(0);
      },
    ),
  ),

  adapterCase('row 25: a run that outlasts its lease is told a LockLostError before the end of it', async (stage) => {
    const { wrap, due, clock, result } = stage;
    let reasons: unknown[] = [];
    const call = wrap(async ({ execution }) => {
      reasons = await reasonsAround(59_400, execution, clock);
      return result();
    });
    const ended = Promise.resolve(call(...due({ limitMs: 15 * MINUTE })));
    await clock.advance(MINUTE);
    await ended;

    expect(reasons).toEqual([undefined, new LockLostError('digest', 'its lease is over')]);
  }),

  adapterCase('row 26: an acquire gets at most half of the time that a run has', async (stage) => {
    const { due, store, skip } = stage;
    const acquire = vi.fn<typeof store.acquire>(async () => ({ status: 'refused', reason: 'locked' }));
    await skip({ limitMs: 3_000, store: { ...store, acquire } }, due({ limitMs: 3_000 }));

    expect(acquire.mock.calls[0]?.[1]).toMatchObject({ tryMs: 1_000, budgetMs: 1_500 });
  }),

  adapterCase('F43 nothing is released before the handler settles, however late', async (stage) => {
    const { hold, due, clock, item, verbs, result } = stage;
    const limitMs = 3_000;
    const late = await hold({ limitMs }, due({ limitMs }));
    await clock.advance(4_999);
    expect(verbs()).toEqual(['acquire']);
    expect(await item()).toMatchObject({ state: 'held' });
    const own = result();
    late.open(own);

    expect(await late.ended).toBe(own);
    expect(verbs()).toEqual(['acquire', 'release']);
    expect(await item()).toMatchObject({ state: 'released', result: 'succeeded' });
  }),

  ...(
    [
      ['a run that died, or goes on after its time is up', {}, 3_000, 5_000],
      ['one whose lease was renewed until its time was up', { keepAlive: true }, MINUTE, MINUTE + 20_000],
    ] as const
  ).map(([which, options, limitMs, overMs]) =>
    adapterCase(
      `row 29: F10 F43 the retry of ${which} is kept out until the lease is over, and runs as one that recovers`,
      async ({ wrap, due, clock, skip, run }) => {
        let former: Execution | undefined;
        const forever: Job = ({ execution }) => {
          former = execution;
          return new Promise(() => {});
        };
        void wrap(forever, { limitMs, ...options })(...due({ limitMs }));
        await clock.advance(overMs - 1);
        expect(former?.signal.reason).toEqual(deadline);
        expect(() => former?.assertHeld()).toThrow(LockLostError);
        expect(await skip()).toMatchObject({ reason: 'locked' });
        await clock.advance(1);

        const previous = { status: 'crashed', tick: new Date(NOW) };
        expect((await run()).execution).toMatchObject({ recovering: true, previous });
      },
    ),
  ),

  adapterCase('rows 21, 33: F27 a renewed lease lasts as long as its run, and no timer longer', async (stage) => {
    const { hold, due, clock, skip, verbs, result } = stage;
    const limitMs = 15 * MINUTE;
    const long = await hold({ limitMs, keepAlive: true }, due({ limitMs }));
    await clock.advance(10 * MINUTE);
    expect(await skip()).toMatchObject({ reason: 'locked' });
    long.open(result());
    await long.ended;

    expect(clock.pendingTimers()).toBe(0);
    expect(verbs().at(-1)).toBe('release');
    expect(verbs().filter((verb) => verb === 'extend')).toHaveLength(60);
  }),

  adapterCase(
    'rows 3, 21: F24 a long run that is killed keeps its renewed lock for half a minute at most',
    async (stage) => {
      const { hold, due, clock, skip, run } = stage;
      const [dying, limitMs] = [manualClock(NOW), 15 * MINUTE];
      await hold({ limitMs, keepAlive: true, clock: dying }, due({ limitMs }));
      await dying.advance(10 * MINUTE - 1);
      await clock.advance(10 * MINUTE + 19_999);
      expect(await skip()).toMatchObject({ reason: 'locked' });
      await clock.advance(1);
      await run();
    },
  ),
];
