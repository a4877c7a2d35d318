import type { Findings } from './ledger.js';
import type { Kind } from './regime.js';

/**
 * The largest fraction of worlds in which a lock may be left without a runner: see docs/protocol.md, "What can remain".
 * Of 4,000 worlds, 0.8 % with skewed clocks and 1.1 % with hostile ones have it.
 */
export const MOST_REMAINDER = 0.015;
/** If few worlds are played, this many cases may be chance. */
export const FEW = 3;

export interface Tally extends Kind {
  /** The number of worlds, what was counted in them, and each kind of remainder by its letter in docs/protocol.md. */
  readonly counts: Record<'seeds' | keyof Counted | (typeof REMAINDERS)[number], number>;
  seedsWithRemainder: number;
  readonly violations: { readonly seed: number; readonly what: string }[];
  /** What happened in the first world with a violation. */
  history: readonly string[];
}

type Counted = Omit<Findings, 'remainder' | 'violations'>;
const REMAINDERS = ['a', 'b', 'c', 'd'] as const;

/** A tally before the first world. */
export function noWorlds({ stage, regime }: Kind): Tally {
  const counts = {
    seeds: 0,
    grants: 0,
    reopened: 0,
    caughtUp: 0,
    runs: 0,
    skips: 0,
    leftHeld: 0,
    a: 0,
    b: 0,
    c: 0,
    d: 0,
  };
  return { stage, regime, counts, seedsWithRemainder: 0, violations: [], history: [] };
}

export function count(tally: Tally, seed: number, { remainder, violations, ...counted }: Findings): void {
  const letters = REMAINDERS.map((letter) => [letter, remainder.filter((kind) => kind.startsWith(letter)).length]);
  add(tally.counts, { seeds: 1, ...counted, ...Object.fromEntries(letters) });
  // Not counted is d, an operator's delete that forgets a done tick: here it is far more frequent than in practice.
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
