import type { Clock } from 'single-execution';

/** Resolves when `ms` have passed on that clock. */
export function pass(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimer(resolve, ms);
  });
}
