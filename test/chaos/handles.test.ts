import { describe, expect, test } from 'vitest';
import { kindsOfRun } from '../support/backends/stage.js';
import { realProcesses } from './real-processes.js';
import type { ThousandRunsOrder } from './thousand-runs.js';

/*
 * A thousand runs in a process of their own: with keepAlive, extended, waiting, skipped, failed, lost, and as handles.
 * Elections with many terms run at the same time.
 */

const RUNS = 1_000;
/** How much the heap may seem to grow for each run although nothing is kept. */
const NOISE_BYTES = 1_000;

const KINDS = kindsOfRun('processes');
const { on, start } = realProcesses(new URL('./thousand-runs.ts', import.meta.url), KINDS);

describe.concurrent('F27, F33, row 33', () => {
  test.each(KINDS)(
    'after a thousand runs on %s nothing is alive, nothing was warned of, and the process ends',
    async (kind) => {
      const order: ThousandRunsOrder = { store: on(kind).address, runs: RUNS, abreast: 8 };
      const child = start(order, ['--unhandled-rejections=strict', '--expose-gc']);
      const end = await child.until('ends');

      const { stderr, ...ended } = await child.ended;
      expect(ended).toEqual({ code: 0, signal: null });
      // `onStarted` of the elections throws, to end each term, and each error is logged.
      const unexpected = stderr
        .split('\n')
        .filter((line) => line !== '' && !line.includes('onStarted or onStopped failed'));
      expect(unexpected).toEqual([]);
      expect(child.said().filter(({ said }) => said === 'warning')).toEqual([]);
      expect(end['after']).toEqual(end['before']);
      // The SIGTERM listener, which stays after the first run of a job.
      expect(end['listeners']).toBe(1);
      expect(end['grownPerRun']).toBeLessThan(NOISE_BYTES);
      const counts = end['counts'] as Record<string, number>;
      const count = (what: string) => counts[what] ?? 0;
      expect(count('acquired')).toBeGreaterThan(RUNS);
      expect(count('started')).toBe(count('acquired'));
      expect(count('finished') + count('failed')).toBe(count('started'));
      // A run can see its lease end, and give its lock back all the same.
      const ends = count('released') + count('lost') + count('release-failed');
      expect(ends).toBeGreaterThanOrEqual(count('started'));
      expect(count('rejected')).toBeGreaterThan(0);
      expect(count('failed') - count('rejected')).toBeLessThanOrEqual(count('out of reach'));
      for (const what of ['failed', 'skipped', 'refused', 'lost']) expect(count(what), what).toBeGreaterThan(0);
      expect(count('elections')).toBe(4);
      expect(counts).not.toHaveProperty('wrong');
    },
    240_000,
  );
});
