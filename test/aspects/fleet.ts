import { expect, vi } from 'vitest';
import type { ChildProgram, Said } from '../support/child-program.js';

/** What all processes of a fleet have said. */
export const saidBy = (fleet: readonly ChildProgram[]): Said[] => fleet.flatMap((child) => child.said());

/**
 * Waits until a fleet that is ready has run so many ticks more, and checks that none ran twice and none was left out.
 * A process says each of its runs as `ran`, with its `tick`.
 */
export async function expectOneRunPerTick(
  fleet: readonly ChildProgram[],
  ticks: number,
  everyMs: number,
): Promise<void> {
  await Promise.all(fleet.map((child) => child.until('ready')));
  const ran = () =>
    saidBy(fleet)
      .filter(({ said }) => said === 'ran')
      .map(({ tick }) => Date.parse(String(tick)))
      .sort();
  const [{ length: before }, readyMs] = [ran(), Date.now()];
  const enough = () => expect(ran().length).toBeGreaterThanOrEqual(before + ticks);
  await vi.waitFor(enough, { timeout: 60_000, interval: 100 });

  const seen = ran();
  expect(new Set(seen).size).toBe(seen.length);
  const since = seen.filter((tick) => tick > readyMs);
  expect(since).toEqual(since.map((_, n) => (since[0] ?? 0) + n * everyMs));
}
