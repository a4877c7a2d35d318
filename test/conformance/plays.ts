import { expectSame } from '../../src/testing/contract/stage/expectation.js';
import type { Scene } from '../../src/testing/contract/stage/scene.js';

/*
 * What several suites expect of a lock and our contract does not state, each under its own name.
 */

export async function isNotExtendedAfterItsEnd({ grantAndDie, extend }: Scene): Promise<void> {
  expectSame((await extend(await grantAndDie())).status, 'lost', 'extend');
}

export async function isTakenTenTimes({ grant, refuse, release }: Scene): Promise<void> {
  for (let round = 0; round < 10; round++) {
    const lease = await grant();
    await refuse('locked');
    expectSame(await release(lease), 'released', 'release');
  }
}
