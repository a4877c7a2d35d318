import { cron } from 'single-execution/schedule';
import { expect, vi } from 'vitest';
import { MINUTE, NOW } from '../../support/memory-locks.js';
import { type AdapterCase, adapterCase } from './case.js';

const BY_HAND = { byHand: true };
const HOUR = 60 * MINUTE;

export const byHandCases: readonly AdapterCase[] = [
  adapterCase(
    'row 190: a run by hand runs although the tick is done, without a tick, and no line warns of that',
    async ({ run, logged, observer, verbs }) => {
      await run();
      for (let runs = 0; runs < 2; runs++) {
        const { execution } = await run(BY_HAND);
        expect(execution).toMatchObject({ name: 'digest', isManual: true, isCatchUp: false, missedTicks: [] });
        expect(execution).not.toHaveProperty('tick');
      }

      expect(logged).not.toHaveBeenCalled();
      expect(observer.events.map(({ isManual }) => isManual)).toEqual([
        ...Array(5).fill(undefined),
        ...Array(10).fill(true),
      ]);
      expect(verbs()).toEqual(['acquire', 'release', 'acquire', 'release', 'acquire', 'release']);
    },
  ),

  adapterCase('row 190: a run by hand marks no tick: the delivery of the tick runs, once', async (stage) => {
    const { run, skip, item } = stage;
    await run({ ...BY_HAND, tickMark: 'start' });
    expect(await item()).not.toHaveProperty('doneTick');
    const { execution } = await run();

    expect(execution).toMatchObject({ isManual: false, tick: new Date(NOW), previous: { status: 'succeeded' } });
    expect(await skip()).toMatchObject({ reason: 'already-executed' });
    expect((await stage.admin.runs('digest')).map(({ tick, isManual }) => [tick, isManual])).toEqual([
      [new Date(NOW), undefined],
      [undefined, true],
    ]);
  }),

  adapterCase('row 191: a lock that is held or paused skips a run by hand', async (stage) => {
    const { hold, skip, run, clock } = stage;
    const held = await hold();
    expect(await skip(BY_HAND)).toMatchObject({ reason: 'locked' });
    held.open(stage.result());
    await held.ended;
    await stage.admin.pause('digest', { until: clock.now() + MINUTE });
    expect(await skip(BY_HAND)).toMatchObject({ reason: 'paused' });
    await clock.advance(MINUTE);

    await run(BY_HAND);
  }),

  adapterCase(
    'F183 row 192: lockAtLeastFor of a run by hand keeps out other runs by hand, and no tick',
    async (stage) => {
      const { run, skip, due, clock } = stage;
      const kept = { lockAtLeastFor: '1m' };
      await run({ ...BY_HAND, ...kept });
      expect(await skip({ ...BY_HAND, ...kept })).toMatchObject({ reason: 'lock-at-least-for' });
      await clock.advance(1_000);

      await run(kept, due({ time: NOW + 1_000 }));
      expect(await skip(BY_HAND)).toMatchObject({ reason: 'lock-at-least-for' });
    },
  ),

  adapterCase(
    "row 192: a run by hand that fails keeps out nobody, also with onError: 'hold', and opens no tick",
    async ({ wrap, due, run, item }) => {
      const options = { onError: 'hold', lockAtLeastFor: '1m' };
      const failing = wrap(() => Promise.reject(new Error('no database')), { ...BY_HAND, ...options });
      await expect(failing(...due())).rejects.toThrow('no database');
      expect(await item()).toMatchObject({ state: 'released', result: 'failed' });
      for (const list of ['openTicks', 'failedTicks']) expect(await item()).not.toHaveProperty(list);

      const { execution } = await run(options);
      expect(execution).toMatchObject({ recovering: false, previous: { status: 'failed' } });
    },
  ),

  adapterCase(
    'row 193: neither nearest nor the schedule gives a tick to a run by hand, and the ticks that were missed stay missed',
    async ({ run, due, clock, item }) => {
      const nearest = { tick: 'nearest', schedule: cron('0 * * * *'), offSchedule: 'skip' };
      await run(nearest);
      await clock.advance(3 * HOUR);
      const { execution } = await run({ ...nearest, ...BY_HAND }, due({ time: undefined }));
      expect(execution).toMatchObject({ isManual: true, missedTicks: [] });
      expect(execution).not.toHaveProperty('tick');
      expect(await item()).toMatchObject({ doneTick: NOW, schedule: '0 * * * *' });

      const { execution: next } = await run(nearest);
      expect(next.missedTicks).toEqual([new Date(NOW + HOUR), new Date(NOW + 2 * HOUR)]);
    },
  ),

  adapterCase(
    'row 193: catchUp does nothing in a run by hand, and the next run catches up',
    async ({ run, wrap, due, clock, result }) => {
      const options = { schedule: cron('0 * * * *'), catchUp: { mode: 'all' } };
      await run(options);
      await clock.advance(2 * HOUR);
      await run({ ...options, ...BY_HAND });
      const ticks: unknown[] = [];
      const call = wrap(({ execution }) => {
        ticks.push(execution.tick);
        return result();
      }, options);
      await call(...due({ time: NOW + 2 * HOUR }));

      expect(ticks).toEqual([new Date(NOW + HOUR), new Date(NOW + 2 * HOUR)]);
    },
    ['catch-up'],
  ),

  adapterCase('row 190: switched off, a run by hand is told as one', async ({ run }) => {
    vi.stubEnv('SINGLE_EXECUTION_DISABLED', '1');
    expect((await run(BY_HAND)).execution).toMatchObject({ fencingToken: 0, isManual: true });
  }),
];
