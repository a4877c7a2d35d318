import type { Edit, SeededBug } from '../support/seeded-bug.js';
import type { RegimeName, Stage } from './regime.js';
import type { Kind } from './tally.js';

/** A seeded bug and the worlds that show it soonest. */
export interface SimBug extends SeededBug {
  readonly shownBy: Kind;
  /** One of these worlds that shows it, or else the first of many that do. */
  readonly seed: number;
}

/** Errors of a bug whose edit names what is not there: a world that shows one shows a mistake in the edit. */
export const MISTAKEN_EDIT = /\b(ReferenceError|SyntaxError)\b/;

/** Names the bugs that are shown on one stage. */
export function bugsOf(stage: Stage): (name: string, regime: RegimeName, seed: number, ...edits: Edit[]) => SimBug {
  return (name, regime, seed, ...edits) => ({ name, edits, shownBy: { stage, regime }, seed });
}

/* Bugs of what every store shares: both lists show them, each on its own stage. */

export const CANCELS_FOR_DONE_TICKS: Edit = [
  'core/request/attempt.ts#settleAttempt',
  '|| !ambiguous || isDone) return',
  '|| !ambiguous) return',
];
export const CANCELS_NO_REFUSED_ATTEMPT: Edit = [
  'core/request/attempt.ts#settleAttempt',
  'isDone = record !== undefined && doneReason(claim, record) !== undefined;',
  'isDone = record !== undefined;',
];
