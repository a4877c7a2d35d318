import { lockStoreContract } from 'single-execution/testing';
import { type Scene, setScene } from '../../src/testing/contract/stage/scene.js';
import type { Scenario } from './scenario.js';

export function onScene(name: string, play: (scene: Scene) => Promise<unknown>): Scenario {
  return {
    name,
    async play(ground) {
      await play(setScene(ground.harness()));
    },
  };
}

/** Scenarios whose expectations are those of cases of our own contract, which every store passes elsewhere. */
export function ofContract(scenarios: Readonly<Record<string, readonly string[]>>): Scenario[] {
  const unknown = Object.values(scenarios)
    .flat()
    .filter((title) => !lockStoreContract.some(({ name }) => name === title));
  if (unknown.length > 0) throw new Error(`the contract has no case '${unknown.join("', '")}'`);
  return Object.keys(scenarios).map((name) => ({ name, isOfContract: true }));
}

export const HELD = 'row 44: acquire of a held lock is refused as locked and names its holder';
export const FREED = 'release frees the lock at once';
export const ENDED = 'row 27: the first acquire after expiry is granted';
export const APART = 'two names do not touch each other';
export const EXTENDED = 'an extension keeps a lock that would have expired';
export const EXTENDED_RELEASED = 'an extended lease is released like any other';

/** Whether another attempt is granted. Such a grant is released at once. */
export async function isFree({ acquire, claim, release }: Scene): Promise<boolean> {
  const result = await acquire(claim());
  if (result.status === 'acquired') await release(result.lease);
  return result.status === 'acquired';
}
