import { type Scene, TICK_MS } from './scene.js';

/** Minutes after {@link TICK_MS} as ticks. */
export function ticks(...minutes: readonly number[]): number[] {
  return minutes.map((minute) => TICK_MS + minute * 60_000);
}

/** What a claim has for the tick of a minute. */
export function tick(minute: number): { readonly tickMs: number } {
  return { tickMs: TICK_MS + minute * 60_000 };
}

/** Lets an older tick than the newest one done run, which must be refused from then on. */
export async function isOpenOnce({ run, refuse }: Scene, minute: number): Promise<void> {
  await run(tick(minute));
  await refuse('stale-tick', tick(minute));
}
