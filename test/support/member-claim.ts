import type { Claim } from 'single-execution';

let count = 0;

/** A claim of its own attempt, for a minute. */
export function claim(name: string): Claim {
  return {
    name,
    attemptId: `a-${process.pid}-${++count}`,
    leaseMs: 60_000,
    lockedBy: 'a test',
    markTickAtStart: false,
  };
}
