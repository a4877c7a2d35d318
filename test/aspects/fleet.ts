import { expect, vi } from 'vitest';
import type { ChildProgram, Said } from '../support/child-program.js';

export const saidBy = (fleet: readonly ChildProgram[]): Said[] => fleet.flatMap((child) => child.said());

/**
 * Waits until a fleet is ready and has run `ticks` more ticks. Checks that each tick for which a process was called ran
 * in exactly one process. A process prints its runs as `ran` and its skips, each with the `tick`. On a busy machine,
 * the schedulers of all processes may leave out a tick.
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
  const called = [...new Set(ticksOf(saidBy(fleet)))].filter(over).sort((a, b) => a - b);
  expect(seen.filter(over)).toEqual(called);
}
