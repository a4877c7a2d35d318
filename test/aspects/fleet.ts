import { expect, vi } from 'vitest';
import type { ChildProgram, Said } from '../support/child-program.js';

/** What all processes of a fleet have said. */
export const saidBy = (fleet: readonly ChildProgram[]): Said[] => fleet.flatMap((child) => child.said());

/**
 * Waits until a fleet that is ready has run so many ticks more, and checks that each tick that a process was called for
 * ran in one of them. A process says each of its runs as `ran`, and what it skips, with the `tick`. On a busy machine a
 * scheduler may leave a tick out in all processes.
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
  // The newest tick may have begun just now.
  const over = (tick: number) => tick > readyMs && tick < Math.max(...seen);
  const called = [...new Set(ticksOf(saidBy(fleet)))].filter(over).sort((a, b) => a - b);
  expect(seen.filter(over)).toEqual(called);
}
