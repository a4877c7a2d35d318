import type { ContractHarness } from './harness.js';
import { type Scene, setScene } from './scene.js';

/** An optional property of the harness that a case can need. */
export type ContractNeed = 'admin' | 'patch';

/** One promise of the lock protocol, to be checked on a store by any test runner. */
export interface ContractCase {
  /** The promise, in one line. Unique. */
  readonly name: string;
  /** Optional properties of the harness that this case needs. */
  readonly needs: readonly ContractNeed[];
  /**
   * Resolves when the store keeps the promise. Each check uses its own lock names, so that cases may share a table.
   *
   * @throws Error with `expected` and `actual` if the store does not keep the promise
   */
  check(harness: ContractHarness): Promise<void>;
}

/** Makes a case from a promise and the scene that shows it. */
export function contractCase(
  name: string,
  play: (scene: Scene) => Promise<void>,
  needs: readonly ContractNeed[] = [],
): ContractCase {
  return { name, needs, check: async (harness) => play(setScene(harness)) };
}

/** Makes a case that needs the admin store. */
export function adminCase(name: string, play: (scene: Scene) => Promise<void>): ContractCase {
  return contractCase(name, play, ['admin']);
}
