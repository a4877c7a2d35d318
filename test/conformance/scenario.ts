import type { LockAdminStore, LockStore, MemberStore } from 'single-execution';
import type { ContractHarness } from 'single-execution/testing';

export const KINDS = ['memory', 'DynamoDB', 'Redis', 'Upstash'] as const;
export type Kind = (typeof KINDS)[number];

/** A store under test, and what a scenario may do around it. */
export interface Ground {
  readonly kind: Kind;
  /** For scenarios that wait for real time. */
  readonly store: LockStore & MemberStore;
  readonly admin: LockAdminStore;
  /** The same locks where the clock can be turned; a new one for each scenario in memory. */
  harness(): ContractHarness;
}

/** What another system's tests expect of a lock. */
export interface Scenario {
  readonly name: string;
  /** Resolves where the store does what the others expect. Absent where there is nothing of ours to ask. */
  readonly play?: (ground: Ground) => Promise<void>;
  /** Why our answer is another one; the scenario must then fail as the others state it. */
  readonly differs?: string;
  /** The only stores for which it differs. @default all */
  readonly differsOn?: readonly Kind[];
}

export interface Suite {
  readonly name: string;
  readonly source: string;
  readonly how: string;
  readonly scenarios: readonly Scenario[];
}

/** Why this scenario ends otherwise on this store; undefined where it must pass. */
export function difference({ differs, differsOn }: Scenario, kind: Kind): string | undefined {
  return differsOn === undefined || differsOn.includes(kind) ? differs : undefined;
}
