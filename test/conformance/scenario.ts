import type { LockAdminStore, LockStore, MemberStore } from 'single-execution';
import type { ContractHarness } from 'single-execution/testing';

export const KINDS = ['memory', 'DynamoDB', 'Redis', 'Upstash'] as const;
export type Kind = (typeof KINDS)[number];

export interface Ground {
  readonly kind: Kind;
  /** The store for scenarios that wait for real time. */
  readonly store: LockStore & MemberStore;
  readonly admin: LockAdminStore;
  /**
   * The contract's harness, for scenarios in which leases must end. In memory each scenario gets a new store; elsewhere
   * the harness has the same locks as `store`.
   */
  harness(): ContractHarness;
}

/** What another system's tests expect of a lock. */
export interface Scenario {
  readonly name: string;
  /**
   * Resolves if our store does what the other system's test expects. Absent if our library has nothing to test here.
   */
  readonly play?: (ground: Ground) => Promise<void>;
  /** Whether cases of our own contract state what it expects. Such a scenario is not played a second time. */
  readonly isOfContract?: true;
  /** Why our store behaves differently. The scenario must then fail in the other system's version. */
  readonly differs?: string;
  /** The stores for which it differs. @default all */
  readonly differsOn?: readonly Kind[];
}

export interface Suite {
  readonly name: string;
  readonly source: string;
  readonly how: string;
  readonly scenarios: readonly Scenario[];
}

/** Whether there is something to test here. */
export const applies = ({ play, isOfContract }: Scenario): boolean => play !== undefined || isOfContract === true;

/** Why this scenario fails on this store. Undefined if it must pass. */
export function difference({ differs, differsOn }: Scenario, kind: Kind): string | undefined {
  return differsOn === undefined || differsOn.includes(kind) ? differs : undefined;
}
