import { executeWithLock } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { describe, expect, test } from 'vitest';
import { kindsOfRun } from '../support/backends/stage.js';
import type { HourlyOrder } from './hourly-job.js';
import { realProcesses } from './real-processes.js';

/*
 * An hourly job after an outage of a day: hour 0 is done, hours 1 to 24 never came. From hour 25 on, each hour has a
 * process of its own.
 */

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 0, 1);
const MAX = 10;

const KINDS = kindsOfRun('processes');
const { on, start, endLease } = realProcesses(new URL('./hourly-job.ts', import.meta.url), KINDS);

const hours = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const hourOf = (tick: unknown) => (Number(tick) - START_MS) / HOUR_MS;

describe.concurrent.each(KINDS)('row 89 on %s: after an outage of a day', (kind) => {
  /** A job under a lock of its own. Its hour 0 is done. */
  const job = async (name: string) => {
    const { store, admin } = on(kind);
    const ask = (hour: number) =>
      executeWithLock(() => undefined, {
        name,
        store,
        lockAtMostFor: '1m',
        tick: START_MS + hour * HOUR_MS,
        observers: [],
      });
    await ask(0);
    const run = async (hour: number, more: Partial<HourlyOrder> = {}) => {
      const order: HourlyOrder = {
        store: on(kind).address,
        name,
        tickMs: START_MS + hour * HOUR_MS,
        ...more,
      };
      const child = start(order);
      const { signal, stderr } = await child.ended;
      const said = child.said();
      const hoursOf = (word: string) =>
        said.filter((line) => line['said'] === word).map(({ tickMs }) => hourOf(tickMs));
      return {
        signal,
        stderr,
        began: hoursOf('began'),
        worked: hoursOf('worked'),
        tokens: [...new Set(said.map(({ fencingToken }) => Number(fencingToken)))],
      };
    };
    const open = async () => (await lockAdmin(admin).open(name)).map(hourOf);
    const history = () => lockAdmin(admin).runs(name);
    return { ask, run, open, history };
  };

  test('without catchUp its ticks are not done: the newest are listed as open, and nobody runs them', async () => {
    const { run, open } = await job(`lost day ${kind}`);

    expect(await run(25)).toMatchObject({ signal: null, stderr: '', worked: [25] });
    expect(await run(26)).toMatchObject({ signal: null, stderr: '', worked: [26] });

    expect(await open()).toEqual(hours(17, 24));
  });

  test('every tick is done once and in order, although the run that catches up is killed at its 7th', async () => {
    const name = `caught-up day ${kind}`;
    const { ask, run, open, history } = await job(name);
    const catchUp = { mode: 'all', within: '2d', max: MAX } as const;

    const killed = await run(25, { catchUp, killAtCall: 7 });
    expect(killed).toMatchObject({ signal: 'SIGKILL', stderr: '', began: hours(1, 7), worked: hours(1, 6) });
    await endLease(kind, name);
    const next = await run(26, { catchUp });
    // The killed run was for hour 25. It never began that hour, so hour 25 is open like the hours that never came.
    expect(next).toMatchObject({ signal: null, stderr: '', worked: [...hours(7, 16), 26] });
    expect(await open()).toEqual(hours(17, 25));
    const last = await run(27, { catchUp });
    expect(last).toMatchObject({ signal: null, stderr: '', worked: [...hours(17, 25), 27] });

    const runs = [killed, next, last];
    expect(await open()).toEqual([]);
    expect(runs.flatMap(({ worked }) => worked).toSorted((a, b) => a - b)).toEqual(hours(1, 27));
    expect(Math.max(...runs.map(({ began }) => began.length))).toBe(MAX + 1);
    const tokens = runs.flatMap((of) => of.tokens);
    expect(tokens).toHaveLength(3);
    expect(tokens).toEqual(tokens.toSorted((a, b) => a - b));
    expect(await history()).toMatchObject([
      { status: 'succeeded', caughtUp: 9, fencingToken: tokens[2] },
      { status: 'succeeded', caughtUp: 10, fencingToken: tokens[1] },
      { status: 'crashed', fencingToken: tokens[0] },
      { status: 'succeeded' },
    ]);
    // A call for an hour that was caught up with is skipped.
    for (const hour of hours(0, 26)) expect(await ask(hour)).toMatchObject({ reason: 'stale-tick' });
    expect(await ask(27)).toMatchObject({ reason: 'already-executed' });
  });
});
