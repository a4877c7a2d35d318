import type { Findings } from './ledger.js';
import type { RegimeName, Stage } from './regime.js';

/** Most worlds, of a hundred, in which a lock may be left without a runner: see docs/protocol.md, "What can remain". */
export const MOST_REMAINDER = 0.01;
/** So many are chance where few worlds are played. */
export const FEW = 3;

/** Worlds of one kind. */
export interface Kind {
  readonly stage: Stage;
  readonly regime: RegimeName;
}

/** What came of worlds of one kind. */
export interface Tally extends Kind {
  /** Worlds, what was counted in them, and by its letter each kind of remainder that docs/protocol.md names. */
  readonly counts: Record<'seeds' | keyof Counted | (typeof REMAINDERS)[number], number>;
  seedsWithRemainder: number;
  readonly violations: { readonly seed: number; readonly what: string }[];
  /** What happened in the first world with a violation. */
  history: readonly string[];
}

type Counted = Omit<Findings, 'remainder' | 'violations'>;
const REMAINDERS = ['a', 'b', 'c', 'd'] as const;

/** Before the first world. */
export function noWorlds({ stage, regime }: Kind): Tally {
  const counts = { seeds: 0, grants: 0, reopened: 0, caughtUp: 0, runs: 0, skips: 0, told: 0, a: 0, b: 0, c: 0, d: 0 };
  return { stage, regime, counts, seedsWithRemainder: 0, violations: [], history: [] };
}

/** Counts one more world. */
export function count(tally: Tally, seed: number, { remainder, violations, ...counted }: Findings): void {
  const letters = REMAINDERS.map((letter) => [letter, remainder.filter((kind) => kind.startsWith(letter)).length]);
  add(tally.counts, { seeds: 1, ...counted, ...Object.fromEntries(letters) });
  // A delete that forgets a done tick is an operator's doing, and far more frequent here than anywhere else.
  if (remainder.some((kind) => !kind.startsWith('d'))) tally.seedsWithRemainder++;
  if (violations.length > 0) tally.violations.push({ seed, what: violations.slice(0, 3).join('; ') });
}

export function sum(kind: Kind, parts: readonly Tally[]): Tally {
  const total = noWorlds(kind);
  for (const part of parts) {
    add(total.counts, part.counts);
    total.seedsWithRemainder += part.seedsWithRemainder;
    total.violations.push(...part.violations);
    if (total.history.length === 0) total.history = part.history;
  }
  return total;
}

function add(counts: Tally['counts'], more: Partial<Tally['counts']>): void {
  for (const [what, number = 0] of Object.entries(more)) counts[what as keyof typeof counts] += number;
}
