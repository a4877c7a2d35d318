import { type Scene, TICK_MS } from './scene.js';

/** Ticks at these minutes after {@link TICK_MS}. */
export function ticks(...minutes: readonly number[]): number[] {
  return minutes.map((minute) => TICK_MS + minute * 60_000);
}

/** The `tickMs` of a claim for the tick at this minute. */
export function tick(minute: number): { readonly tickMs: number } {
  return { tickMs: TICK_MS + minute * 60_000 };
}

/** Runs a tick older than the newest one done; from then on it must be refused. */
export async function isOpenOnce({ run, refuse }: Scene, minute: number): Promise<void> {
  await run(tick(minute));
  await refuse('stale-tick', tick(minute));
}
