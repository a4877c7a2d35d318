import { expect, vi } from 'vitest';
import type { ChildProgram, Said } from '../support/child-program.js';

/** Why nobody may have run a tick. `not-elected` is what node-cron itself says of each skip. */
const MAY_BE_LEFT_OUT = ['locked', 'stale-tick', 'not-elected'];

export const saidBy = (fleet: readonly ChildProgram[]): Said[] => fleet.flatMap((child) => child.said());

/**
 * Waits until a fleet is ready and has run `ticks` more ticks. Checks that each tick for which a process was called ran
 * in exactly one process. A process prints its runs as `ran` and its skips, each with the `tick` and its `reason`. On a
 * busy machine, the schedulers of all processes may leave out a tick. The run of a tick may also last until the next one,
 * and calls may come when a newer tick is done: then nobody runs the tick, and the skips say why.
 */
export async function expectOneRunPerTick(fleet: readonly ChildProgram[], ticks: number): Promise<void> {
  await Promise.all(fleet.map((child) => child.until('ready')));
  const ticksOf = (lines: readonly Said[]) => lines.flatMap(({ tick }) => (tick ? [Date.parse(String(tick))] : []));
  const ran = () => ticksOf(saidBy(fleet).filter(({ said }) => said === 'ran')).sort((a, b) => a - b);
  const [{ length: before }, readyMs] = [ran(), Date.now()];
  const enough = () => expect(ran().length).toBeGreaterThanOrEqual(before + ticks);
  await vi.waitFor(enough, { timeout: 60_000, interval: 100 });

  const seen = ran();
  expect(new Set(seen).size).toBe(seen.length);
  // Leave out the newest tick: it may have begun just now.
  const over = (tick: number) => tick > readyMs && tick < Math.max(...seen);
  const called = saidBy(fleet).filter(({ reason }) => !MAY_BE_LEFT_OUT.includes(String(reason)));
  expect(seen.filter(over)).toEqual([...new Set(ticksOf(called))].filter(over).sort((a, b) => a - b));
}
