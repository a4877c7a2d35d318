import type { Need, Platform } from './platform.js';
import { type Stage, setStage } from './stage.js';

/** One promise of every adapter. */
export interface AdapterCase {
  /** The promise, in one line. Unique. */
  readonly title: string;
  readonly needs: readonly Need[];
  /** Rejects unless the platform's adapter keeps the promise. */
  play(platform: Platform): Promise<void>;
}

export function adapterCase(
  title: string,
  play: (stage: Stage) => Promise<void> | void,
  needs: readonly Need[] = [],
): AdapterCase {
  return { title, needs, play: async (platform) => play(setStage(platform)) };
}
