import type { Edit, SeededBug } from '../support/seeded-bug.js';
import type { RegimeName, Stage } from './regime.js';
import type { Kind } from './tally.js';

/** A seeded bug and the worlds that show it soonest. */
export interface SimBug extends SeededBug {
  readonly shownBy: Kind;
  /** One of these worlds that shows it, or else the first of many that do. */
  readonly seed: number;
}

/** Names the bugs that are shown on one stage. */
export function bugsOf(stage: Stage): (name: string, regime: RegimeName, seed: number, ...edits: Edit[]) => SimBug {
  return (name, regime, seed, ...edits) => ({ name, edits, shownBy: { stage, regime }, seed });
}
