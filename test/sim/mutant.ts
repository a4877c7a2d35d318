import type { RegimeName, Stage } from './regime.js';
import type { Edit } from './simulate.js';
import type { Kind } from './tally.js';

/** A bug, seeded into the library's text, and the worlds that show it soonest. */
export interface Mutant {
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly shownBy: Kind;
  /** One of these worlds that shows it, or else the first of many that do. */
  readonly seed: number;
}

/** Names the bugs that are shown on one stage. */
export function mutantsOf(stage: Stage): (name: string, regime: RegimeName, seed: number, ...edits: Edit[]) => Mutant {
  return (name, regime, seed, ...edits) => ({ name, edits, shownBy: { stage, regime }, seed });
}
