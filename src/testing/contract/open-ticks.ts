import { listOf } from '../../core/record/open-ticks.js';
import { newAttemptId } from '../../core/values/names.js';
import { adminCase, type ContractCase, contractCase } from './stage/case.js';
import { expectFields, expectGranted, expectRefused, expectSame } from './stage/expectation.js';
import { grantTwice, isOpenOnce, type Scene, tick, ticks } from './stage/scene.js';

const AT_START = { markTickAtStart: true };
const FAILED = { result: 'failed' } as const;
const UNTIL_MINUTE_9 = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const;

/**
 * Cases for ticks that are older than the newest tick done, but may still run. All other older ticks are stale: see
 * ticks.ts.
 */
export const openTickCases: readonly ContractCase[] = [
  contractCase('F74 a tick that failed is open once a newer one is done, until it is done itself', async (scene) => {
    await scene.run(tick(0), FAILED);
    await scene.run(tick(1));
    await isOpenOnce(scene, 0);
  }),

  contractCase('F74 a tick that crashed is open once a newer one is done, until it is done itself', async (scene) => {
    await scene.grantAndDie(tick(0));
    await scene.run(tick(1));
    await isOpenOnce(scene, 0);
  }),

  adminCase('F74 a tick that was forced is open once a newer one is done, until it is done itself', async (scene) => {
    await scene.force(await scene.grant(tick(0)), { failedTicks: listOf(ticks(0)) });
    await scene.run(tick(1));
    await isOpenOnce(scene, 0);
  }),

  contractCase('a tick that never came is open once a newer one is done, until it is done itself', async (scene) => {
    await scene.run(tick(0));
    await scene.run(tick(3), { missedTicksMs: ticks(1, 2) });
    await isOpenOnce(scene, 1);
    await isOpenOnce(scene, 2);
  }),

  contractCase('no tick is opened as missed that is done, or is not yet passed', async ({ run, refuse }) => {
    await run(tick(1));
    await run(tick(3), { missedTicksMs: ticks(0, 1, 3, 4) });
    await refuse('stale-tick', tick(0));
    await refuse('stale-tick', tick(1));
    await refuse('already-executed', tick(3));
    await run(tick(5));
    await refuse('stale-tick', tick(3));
    await refuse('stale-tick', tick(4));
  }),

  contractCase('open ticks may run in any order', async (scene) => {
    for (const minute of [1, 0, 2]) await scene.run(tick(minute), FAILED);
    await scene.run(tick(3));
    for (const minute of [1, 2, 0]) await isOpenOnce(scene, minute);
  }),

  contractCase('the success of an open tick leaves the newest tick done', async ({ run, refuse, grant }) => {
    await run(tick(0), FAILED);
    await run(tick(1));
    await run(tick(0));
    await refuse('already-executed', tick(1));
    expectFields(await grant(tick(2)), { doneTickMs: tick(1).tickMs }, 'lease');
  }),

  contractCase('an open tick that fails again stays open', async (scene) => {
    await scene.run(tick(0), FAILED);
    await scene.run(tick(1));
    await scene.run(tick(0), FAILED);
    await scene.refuse('already-executed', tick(1));
    await isOpenOnce(scene, 0);
  }),

  contractCase('an open tick that crashes stays open', async (scene) => {
    await scene.run(tick(0), FAILED);
    await scene.run(tick(1));
    await scene.grantAndDie(tick(0));
    await scene.run(tick(2));
    await isOpenOnce(scene, 0);
  }),

  contractCase('an open tick is refused as locked while it runs, and as stale once it is done', async (scene) => {
    await scene.run(tick(0), FAILED);
    await scene.run(tick(1));
    const [asked, other] = [scene.claim(tick(0)), scene.claim(tick(0))];
    const lease = expectGranted(await scene.acquire(asked), 'acquire');
    expectRefused(await scene.acquire(other), 'locked', 'acquire by another attempt');
    await scene.release(lease);
    expectRefused(await scene.acquire(asked), 'stale-tick', 'late copy');
    expectRefused(await scene.acquire(other), 'stale-tick', 'late copy by another attempt');
  }),

  contractCase('a late copy of the release of an open tick opens no other one again', async (scene) => {
    for (const minute of [0, 1]) await scene.run(tick(minute), FAILED);
    await scene.run(tick(2));
    const lease = await scene.run(tick(0));
    await scene.run(tick(1));
    expectSame(await scene.release(lease), 'released', 'late copy');
    await scene.refuse('stale-tick', tick(1));
  }),

  contractCase(
    'an acquire that is sent again for an open tick returns the open ticks and the last one done',
    async (scene) => {
      for (const minute of [0, 1]) await scene.run(tick(minute), FAILED);
      await scene.run(tick(2));
      await scene.run(tick(3), FAILED);
      await scene.release(await grantTwice(scene, scene.claim(tick(0))));
      await scene.refuse('stale-tick', tick(0));
      await scene.refuse('already-executed', tick(2));
      await isOpenOnce(scene, 1);
      await scene.run(tick(4));
      await isOpenOnce(scene, 3);
    },
  ),

  contractCase('an acquire that is sent again after a takeover returns the tick that crashed', async (scene) => {
    await scene.grantAndDie(tick(0));
    await scene.release(await grantTwice(scene, scene.claim(tick(1))));
    await isOpenOnce(scene, 0);
  }),

  ...(['failed', 'crashed'] as const).map((ended) =>
    contractCase(`a tick that ${ended}, and was done then, is stale once a newer one is done`, async (scene) => {
      await (ended === 'failed' ? scene.run(tick(0), FAILED) : scene.grantAndDie(tick(0)));
      for (const minute of [0, 1]) await scene.run(tick(minute));
      await scene.refuse('stale-tick', tick(0));
    }),
  ),

  contractCase('a tick that failed stays open over the success of an older one', async (scene) => {
    await scene.run(tick(1), FAILED);
    await scene.run(tick(0));
    await scene.run(tick(2));
    await isOpenOnce(scene, 1);
  }),

  contractCase('a tick that is to be marked neither as done nor as failed is not open', async ({ run, refuse }) => {
    await run(tick(0), { ...FAILED, markTickFailed: false });
    await run(tick(2), { markTickDone: false, missedTicksMs: ticks(1) });
    await run(tick(3));
    for (const minute of [0, 1, 2]) await refuse('stale-tick', tick(minute));
  }),

  contractCase('a takeover that has no tick remembers the one that crashed', async (scene) => {
    await scene.grantAndDie(tick(0));
    await scene.run();
    await scene.run(tick(1));
    await isOpenOnce(scene, 0);
  }),

  contractCase('each of several crashes in a row is remembered', async (scene) => {
    for (const minute of [0, 0, 2, 1]) await scene.grantAndDie(tick(minute));
    await scene.grantAndDie();
    await scene.run(tick(3));
    for (const minute of [2, 1, 0]) await isOpenOnce(scene, minute);
  }),

  contractCase('a run without a tick changes no list', async (scene) => {
    await scene.run(tick(0), FAILED);
    await scene.run(tick(1));
    await scene.run(tick(2), FAILED);
    await scene.run({}, { missedTicksMs: ticks(1) });
    await scene.run({}, FAILED);
    await scene.run(tick(3));
    await scene.refuse('stale-tick', tick(1));
    for (const minute of [0, 2]) await isOpenOnce(scene, minute);
  }),

  contractCase('of nine ticks that failed the oldest is stale', async (scene) => {
    await scene.run(tick(-1));
    for (const minute of UNTIL_MINUTE_9) await scene.run(tick(minute), FAILED);
    await scene.run(tick(9));
    await opensAllButTheFirst(scene);
  }),

  contractCase('of nine ticks that crashed the oldest is stale', async (scene) => {
    await scene.run(tick(-1));
    for (const minute of UNTIL_MINUTE_9) await scene.grantAndDie(tick(minute));
    await scene.run(tick(9));
    await opensAllButTheFirst(scene);
  }),

  contractCase('of nine ticks that became open one after another the oldest is stale', async (scene) => {
    for (const minute of UNTIL_MINUTE_9) {
      await scene.run(tick(minute), FAILED);
      await scene.run(tick(minute + 0.5));
    }
    await opensAllButTheFirst(scene);
  }),

  contractCase('an open tick is stale for a claim that marks it at its start', async (scene) => {
    await scene.run(tick(0), FAILED);
    await scene.run(tick(1));
    await scene.refuse('stale-tick', { ...tick(0), ...AT_START });
    await isOpenOnce(scene, 0);
  }),

  contractCase('a tick marked at its start is never open again', async ({ run, grantAndDie, refuse }) => {
    await run({ ...tick(0), ...AT_START }, FAILED);
    await grantAndDie({ ...tick(1), ...AT_START });
    await run(tick(2));
    for (const minute of [0, 1]) await refuse('stale-tick', tick(minute));
  }),

  contractCase('F57 a run that lost its lock does not open its tick', async (scene) => {
    const late = await scene.grantAndDie(tick(0));
    await scene.run(tick(0));
    expectSame(await scene.release(late, FAILED), 'lost', 'late release');
    await scene.run(tick(1));
    await scene.refuse('stale-tick', tick(0));
  }),

  adminCase('F62 a force release that is late, or sent again, opens no tick', async (scene) => {
    const failedTicks = listOf(ticks(0));
    const late = await scene.grantAndDie(tick(0));
    const forced = await scene.grant(tick(0));
    const adminId = newAttemptId('f');
    await scene.force(forced, { adminId, failedTicks });
    await scene.run(tick(0));
    expectSame(await scene.force(late, { failedTicks }), 'changed', 'late force release');
    await scene.force(forced, { adminId, failedTicks });
    await scene.run(tick(1));
    await scene.refuse('stale-tick', tick(0));
  }),

  adminCase('a pause keeps what is open', async (scene) => {
    await scene.run(tick(0), FAILED);
    await scene.run(tick(1));
    await scene.run(tick(2), FAILED);
    await scene.pause(scene.harness.call().clock.now() + 3_600_000);
    await scene.refuse('paused', tick(0));
    await scene.resume();
    await isOpenOnce(scene, 0);
    await scene.run(tick(3));
    await isOpenOnce(scene, 2);
  }),

  adminCase('a delete forgets what is open', async (scene) => {
    await scene.run(tick(0), FAILED);
    await scene.run(tick(2));
    expectSame(await scene.remove(await scene.run(tick(3), FAILED)), 'deleted', 'delete');
    await scene.run(tick(1));
    await scene.refuse('stale-tick', tick(0));
    await scene.run(tick(4));
    await scene.refuse('stale-tick', tick(3));
  }),

  adminCase('ticks that failed or crashed are recorded, each once', async ({ run, grantAndDie, grant, record }) => {
    await run(tick(0), FAILED);
    for (let crash = 0; crash < 2; crash++) await grantAndDie(tick(1));
    await grant(tick(3));
    expectFields(await record(), { failedTicks: listOf(ticks(0, 1)), openTicks: undefined }, 'record');
  }),

  adminCase('ticks that crashed are recorded, the newest eight', async ({ run, grantAndDie, grant, record }) => {
    await run(tick(-1));
    for (const minute of UNTIL_MINUTE_9) await grantAndDie(tick(minute));
    const lease = await grant(tick(9));
    expectFields(await record(), { failedTicks: listOf(ticks(1, 2, 3, 4, 5, 6, 7, 8)) }, 'record');
    expectSame(`${lease.droppedTicksMs}`, `${ticks(0)}`, 'lease: droppedTicksMs');
  }),

  contractCase(
    'a list does not open the tick that is done',
    async ({ run, patch, refuse }) => {
      await run(tick(0));
      await patch({ openTicks: listOf(ticks(0)) });
      await refuse('already-executed', tick(0));
    },
    ['patch'],
  ),

  adminCase('ticks that a success has passed are recorded as open', async ({ run, record }) => {
    for (const minute of [0, 3]) await run(tick(minute), FAILED);
    await run(tick(2), { missedTicksMs: ticks(1) });
    const lists = { failedTicks: listOf(ticks(3)), openTicks: listOf(ticks(0, 1)) };
    expectFields(await record(), { doneTick: tick(2).tickMs, ...lists }, 'record');
  }),
];

async function opensAllButTheFirst(scene: Scene): Promise<void> {
  const [first, ...others] = UNTIL_MINUTE_9;
  await scene.refuse('stale-tick', tick(first));
  for (const minute of others) await isOpenOnce(scene, minute);
}
