import type { RegimeName } from './regime.js';

/** What came of the worlds of one regime. */
export interface Tally {
  readonly regime: RegimeName;
  seeds: number;
  grants: number;
  runs: number;
  skips: number;
  told: number;
  /** Grants without a runner, by the kinds that docs/protocol.md names. */
  readonly remainder: Record<string, number>;
  seedsWithRemainder: number;
  readonly violations: { readonly seed: number; readonly what: string }[];
}

/** Before the first world. */
export function noWorlds(regime: RegimeName): Tally {
  return {
    regime,
    seeds: 0,
    grants: 0,
    runs: 0,
    skips: 0,
    told: 0,
    remainder: {},
    seedsWithRemainder: 0,
    violations: [],
  };
}

export function sum(regime: RegimeName, parts: readonly Tally[]): Tally {
  const total = noWorlds(regime);
  for (const part of parts) {
    total.seeds += part.seeds;
    total.grants += part.grants;
    total.runs += part.runs;
    total.skips += part.skips;
    total.told += part.told;
    total.seedsWithRemainder += part.seedsWithRemainder;
    for (const [kind, count] of Object.entries(part.remainder)) {
      total.remainder[kind] = (total.remainder[kind] ?? 0) + count;
    }
    total.violations.push(...part.violations);
  }
  return total;
}
