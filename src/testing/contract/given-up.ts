import type { AcquireResult, Claim } from '../../core/ports/lock-store.js';
import { type ContractCase, contractCase } from './stage/case.js';
import { expectGranted, expectRejection, expectSame } from './stage/expectation.js';
import type { Scene } from './stage/scene.js';

export const givenUpCases: readonly ContractCase[] = [
  contractCase('F6 an attempt given up while it was under way is granted, or leaves the lock free', async (scene) => {
    // Whatever a store does once only is done by now, so that the request is on its way when it is given up.
    await scene.run();
    const asked = scene.claim();
    const result = await giveUp(scene, asked).catch(() => undefined);
    if (result === undefined) await scene.grant();
    else expectSame(await scene.release(expectGranted(result, 'acquire')), 'released', 'release');
  }),

  contractCase('F6 an attempt given up after its own release is not granted', async (scene) => {
    const asked = scene.claim();
    await scene.release(expectGranted(await scene.acquire(asked), 'acquire'));
    await expectRejection(giveUp(scene, asked), { name: 'LockStoreError' }, 'acquire that was given up');
    await scene.grant();
  }),
];

/** An acquire whose caller stops waiting as soon as it is sent. */
export function giveUp({ harness }: Scene, asked: Claim): Promise<AcquireResult> {
  const caller = new AbortController();
  const acquire = harness.store.acquire(asked, { ...harness.call(), signal: caller.signal });
  caller.abort();
  return acquire;
}
