import type { StoreCall } from 'single-execution';
import { expectSame } from '../../src/testing/contract/stage/expectation.js';
import type { Scene } from '../../src/testing/contract/stage/scene.js';
import { onScene } from './on-scene.js';
import type { Scenario } from './scenario.js';

/** What syncguard expects of aborted calls, in our words. */
export const SIGNAL_SCENARIOS: readonly Scenario[] = [
  onScene('an aborted acquire is refused, and the lock stays free', async (scene) => {
    const { harness, claim, grant } = scene;
    await expectAborted(harness.store.acquire(claim(), aborted(scene)));
    await grant();
  }),
  onScene('an aborted release is refused, and the lock stays held', async (scene) => {
    const completion = { result: 'succeeded', lockAtLeastForMs: 0, markTickDone: false, durationMs: 0 } as const;
    await expectAborted(scene.harness.store.release(await scene.grant(), completion, aborted(scene)));
    await scene.refuse('locked');
  }),
  onScene('an aborted extend is refused', async (scene) => {
    await expectAborted(scene.harness.store.extend(await scene.grant(), { leaseMs: 60_000 }, aborted(scene)));
  }),
  onScene('an aborted look-up is refused', async (scene) => {
    await scene.grant();
    await expectAborted(scene.admin.get(scene.name, aborted(scene)));
  }),
  onScene('with a signal that is not aborted all is as without', async ({ grant, refuse, record, extend, release }) => {
    const lease = await grant();
    await refuse('locked');
    expectSame((await record())?.attemptId, lease.attemptId, 'holder');
    expectSame((await extend(lease)).status, 'extended', 'extend');
    expectSame(await release(lease), 'released', 'release');
  }),
  onScene('an acquire that is aborted under way is over, and leaves the lock free or granted', async (scene) => {
    const { harness, claim, refuse, grant } = scene;
    const controller = new AbortController();
    const asked = harness.store.acquire(claim(), { ...harness.call(), signal: controller.signal });
    controller.abort();
    const result = await asked.catch(() => undefined);
    await (result?.status === 'acquired' ? refuse('locked') : grant());
  }),
  onScene('several calls share one signal', async ({ harness, claim, name }) => {
    const call = harness.call();
    const names = [name, `${name} 2`];
    const results = await Promise.all(names.map((each) => harness.store.acquire(claim({ name: each }), call)));
    expectSame(results.map(({ status }) => status).join(), 'acquired,acquired', 'acquires');
  }),
];

const aborted = ({ harness }: Scene): StoreCall => ({ ...harness.call(), signal: AbortSignal.abort() });

async function expectAborted(asked: Promise<unknown>): Promise<void> {
  const told = await asked.then(
    () => 'answered',
    (error: Error) => error.name,
  );
  expectSame(told, 'LockStoreError', 'call');
}
