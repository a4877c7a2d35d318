import type { Standstill, Worker } from './history.js';

/** Within so long after a process goes on, its timers have told its handlers what they missed. */
const CATCH_UP_MS = 500;

/** How much of this time a worker was awake, so that its handlers could be told to stop, and do so. */
export function awakeMs({ standstills }: Worker, fromMs: number, toMs: number): number {
  let awake = 0;
  let atMs = fromMs;
  for (const still of withCatchUp(standstills)) {
    if (atMs >= toMs) break;
    awake += Math.max(0, Math.min(still.fromMs, toMs) - atMs);
    atMs = Math.max(atMs, still.toMs);
  }
  return awake + Math.max(0, toMs - atMs);
}

/** Whether a worker stood still, or had just gone on, at some moment of this time. */
export function stoodStill({ standstills }: Worker, fromMs: number, toMs: number): boolean {
  return withCatchUp(standstills).some((still) => still.fromMs < toMs && fromMs < still.toMs);
}

function withCatchUp(standstills: readonly Standstill[]): Standstill[] {
  return standstills
    .map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs + CATCH_UP_MS }))
    .sort((a, b) => a.fromMs - b.fromMs);
}
