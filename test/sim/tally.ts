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
  seeds: number;
  grants: number;
  /** Grants of a tick that was older than the newest one done. */
  reopened: number;
  /** Ticks that were marked as done while their run went on. */
  caughtUp: number;
  runs: number;
  skips: number;
  told: number;
  /** Grants without a runner, by the kinds that docs/protocol.md names. */
  readonly remainder: Record<string, number>;
  seedsWithRemainder: number;
  readonly violations: { readonly seed: number; readonly what: string }[];
  /** What happened in the first world with a violation. */
  history: readonly string[];
}

/** Before the first world. */
export function noWorlds({ stage, regime }: Kind): Tally {
  return {
    stage,
    regime,
    seeds: 0,
    grants: 0,
    reopened: 0,
    caughtUp: 0,
    runs: 0,
    skips: 0,
    told: 0,
    remainder: {},
    seedsWithRemainder: 0,
    violations: [],
    history: [],
  };
}

export function sum(kind: Kind, parts: readonly Tally[]): Tally {
  const total = noWorlds(kind);
  for (const part of parts) {
    total.seeds += part.seeds;
    total.grants += part.grants;
    total.reopened += part.reopened;
    total.caughtUp += part.caughtUp;
    total.runs += part.runs;
    total.skips += part.skips;
    total.told += part.told;
    total.seedsWithRemainder += part.seedsWithRemainder;
    for (const [kind, count] of Object.entries(part.remainder)) {
      total.remainder[kind] = (total.remainder[kind] ?? 0) + count;
    }
    total.violations.push(...part.violations);
    if (total.history.length === 0) total.history = part.history;
  }
  return total;
}
