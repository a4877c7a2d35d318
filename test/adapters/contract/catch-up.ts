import { cron } from 'single-execution/schedule';
import { expect, vi } from 'vitest';
import { MINUTE, NOW } from '../../support/memory-locks.js';
import { type AdapterCase, adapterCase } from './case.js';
import type { Given, Job } from './platform.js';
import type { Stage } from './stage.js';

const HOUR = 60 * MINUTE;

/** Runs one tick, then the tick two hours later. The second run catches up with the tick between them. */
async function caughtUp(stage: Stage) {
  const { wrap, due, clock, platform } = stage;
  const results: unknown[] = [];
  const job = vi.fn<Job>(() => {
    results.push(platform.results()[0]);
    return results.at(-1);
  });
  const call = wrap(job, { schedule: cron('0 * * * *'), catchUp: { mode: 'all' } });
  await call(...due());
  await clock.advance(2 * HOUR);
  const args = due({ time: NOW + 2 * HOUR });
  const reply = await call(...args);
  const given = job.mock.calls.map(([one]) => one) as [Given, Given, Given];
  return { args, reply, results, given };
}

export const catchUpCases: readonly AdapterCase[] = [
  adapterCase(
    'row 89: an older tick is caught up with first; the own tick has the very arguments, and the reply is its result',
    async (stage) => {
      const { args, reply, results, given } = await caughtUp(stage);

      const ticks = given.map(({ execution: { tick, isCatchUp } }) => [Number(tick) - NOW, isCatchUp]);
      expect(ticks).toEqual([
        [0, false],
        [HOUR, true],
        [2 * HOUR, false],
      ]);
      for (const [place, arg] of args.entries()) expect(given[2].args[place]).toBe(arg);
      expect(reply).toBe(results[2]);
    },
    ['catch-up'],
  ),

  adapterCase(
    'row 89: a handler that reads the time from its arguments finds what its platform says',
    async (stage) => {
      const { timeOf, timeOfOlderTick } = stage.platform;
      const { given } = await caughtUp(stage);

      const older = timeOfOlderTick === 'its own' ? HOUR : 2 * HOUR;
      const read = given.map(({ args }) => Number(timeOf(...(args as never[]))) - NOW);
      expect(read).toEqual([0, older, 2 * HOUR]);
    },
    ['catch-up'],
  ),
];
