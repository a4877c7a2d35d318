import { expectRising, expectSame } from '../../src/testing/contract/stage/expectation.js';
import type { Scene } from '../../src/testing/contract/stage/scene.js';
import { isFree } from './on-scene.js';

/*
 * What several suites expect of a lock, each under its own name.
 */

export async function isHeldUntilItsRelease(scene: Scene): Promise<void> {
  const lease = await scene.grant();
  expectSame(await isFree(scene), false, 'free');
  expectSame(await scene.release(lease), 'released', 'release');
  expectSame(await isFree(scene), true, 'free');
}

export async function isRefusedWhileHeld({ grant, refuse }: Scene): Promise<void> {
  const { fencingToken } = await grant();
  expectSame((await refuse('locked')).holder?.fencingToken, fencingToken, 'holder told');
}

export async function isGrantedAfterItsRelease({ run, grant }: Scene): Promise<void> {
  const former = await run();
  expectRising([former.fencingToken, (await grant()).fencingToken], 'tokens');
}

/** A lock is granted after its holder has died and the lease is over. */
export async function isGrantedAfterItsEnd(scene: Scene): Promise<void> {
  const dead = await scene.grantAndDie();
  expectSame((await scene.record())?.attemptId, dead.attemptId, 'holder seen');
  expectSame(await isFree(scene), true, 'free');
  expectRising([dead.fencingToken, (await scene.run()).fencingToken], 'tokens');
}

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
