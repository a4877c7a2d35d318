import type { Standstill, Worker } from './history.js';

/** Within so long after a process goes on, or its first timer has fired, all timers have told what they missed. */
const CATCH_UP_MS = 300;

/** How much of this time a worker was awake, so that its handlers could be told to stop, and do so. */
export function awakeMs(worker: Worker, fromMs: number, toMs: number): number {
  let awake = 0;
  let atMs = fromMs;
  for (const still of standstills(worker)) {
    if (atMs >= toMs) break;
    awake += Math.max(0, Math.min(still.fromMs, toMs) - atMs);
    atMs = Math.max(atMs, still.toMs);
  }
  return awake + Math.max(0, toMs - atMs);
}

/** Whether a worker stood still, or had just gone on, at some moment of this time. */
export function stoodStill(worker: Worker, fromMs: number, toMs: number): boolean {
  return standstills(worker).some((still) => still.fromMs < toMs && fromMs < still.toMs);
}

/** How often the machine left a worker waiting that nobody had stopped. */
export function stallsOfMachine({ stops, stalls }: Worker): number {
  return stalls.filter((stall) => !stops.some((stop) => stop.fromMs < stall.toMs && stall.fromMs < stop.toMs)).length;
}

function standstills({ stops, stalls }: Worker): Standstill[] {
  return [...stops, ...stalls]
    .map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs + CATCH_UP_MS }))
    .sort((a, b) => a.fromMs - b.fromMs);
}
