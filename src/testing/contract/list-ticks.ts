import { listOf } from '../../core/record/open-ticks.js';
import { MOST_LISTED } from '../../core/values/tick.js';
import { adminCase, type ContractCase, contractCase } from './stage/case.js';
import { expectFields, expectSame } from './stage/expectation.js';
import { isOpenOnce, tick, ticks } from './stage/scene.js';

const FAILED = { result: 'failed' } as const;
const NONE = { openTicks: ',', failedTicks: ',' };
const open = (...minutes: number[]) => ({ ...NONE, openTicks: listOf(ticks(...minutes), MOST_LISTED) });
const failed = (...minutes: number[]) => ({ ...NONE, failedTicks: listOf(ticks(...minutes), MOST_LISTED) });
const TEN = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const;

/** Cases for the changes that operators may make to the ticks of a record. */
export const listTicksCases: readonly ContractCase[] = [
  adminCase('row 93: a tick that an operator lists is open until it is done', async (scene) => {
    await scene.run(tick(0));
    await scene.run(tick(3));
    await scene.refuse('stale-tick', tick(1));
    expectSame(await scene.list(open(1)), 'listed', 'listing');
    await isOpenOnce(scene, 1);
    await scene.refuse('stale-tick', tick(2));
  }),

  adminCase('row 93: a tick that an operator lists as failed is open once a newer one is done', async (scene) => {
    await scene.run(tick(0));
    expectSame(await scene.list(failed(1)), 'listed', 'listing');
    await scene.run(tick(3));
    await isOpenOnce(scene, 1);
    await scene.refuse('stale-tick', tick(2));
  }),

  adminCase('row 93: a tick that an operator takes off the lists is stale', async (scene) => {
    await scene.run(tick(0), FAILED);
    await scene.run(tick(1));
    await scene.run(tick(2), FAILED);
    expectSame(await scene.list(NONE), 'listed', 'listing');
    await scene.refuse('stale-tick', tick(0));
    await scene.run(tick(3));
    await scene.refuse('stale-tick', tick(2));
  }),

  adminCase('a listing changes nothing but the lists', async ({ run, list, record }) => {
    await run(tick(0), FAILED);
    await run(tick(3));
    const before = await record();
    const lists = { openTicks: listOf(ticks(1)), failedTicks: listOf(ticks(4)) };
    await list(lists);
    expectFields(await record(), { ...before, ...lists }, 'record');
  }),

  adminCase('the ticks of a lock that is held are not listed, and its run writes its own lists', async (scene) => {
    await scene.run(tick(0), FAILED);
    const lease = await scene.grant(tick(3));
    expectSame(await scene.list(open(1)), 'changed', 'listing');
    await scene.release(lease);
    expectFields(await scene.record(), { openTicks: listOf(ticks(0)) }, 'record');
  }),

  adminCase('nor are those of a lock whose holder died', async (scene) => {
    await scene.run(tick(3));
    const lease = await scene.grantAndDie(tick(4));
    expectSame(await scene.list(open(1)), 'changed', 'listing');
    await scene.release(lease);
    await scene.refuse('stale-tick', tick(1));
  }),

  adminCase('the ticks of a lock that was forced are listed', async (scene) => {
    await scene.run(tick(3));
    await scene.force(await scene.grant());
    expectSame(await scene.list(open(1)), 'listed', 'listing');
    await isOpenOnce(scene, 1);
  }),

  adminCase('no tick of a lock that has not run is listed', async ({ list, pause, run, remove, record, harness }) => {
    expectSame(await list(failed(1)), 'changed', 'listing for a name without a record');
    expectSame(await record(), undefined, 'record');
    await pause(harness.call().clock.now() - 1);
    expectSame(await list(failed(1)), 'changed', 'listing for a lock that was paused');
    await remove(await run());
    expectSame(await list(failed(1)), 'changed', 'listing for a lock that was deleted');
    expectFields(await record(), { state: 'deleted', failedTicks: undefined }, 'record');
  }),

  adminCase('F62 a late listing changes nothing after a newer run', async ({ run, list, record, refuse }) => {
    await run(tick(3));
    const seen = await record();
    await run();
    expectSame(await list(open(1), seen), 'changed', 'late listing');
    await refuse('stale-tick', tick(1));
  }),

  contractCase(
    'a listing changes nothing if the newest tick done has changed meanwhile',
    async ({ run, list, record, patch }) => {
      await run(tick(3));
      const seen = await record();
      await patch({ doneTick: tick(1).tickMs });
      expectSame(await list(open(1), seen), 'changed', 'listing');
      expectFields(await record(), { openTicks: undefined }, 'record');
    },
    ['admin', 'patch'],
  ),

  adminCase('of listings from the same look exactly one is written', async ({ run, list, record }) => {
    await run(tick(3));
    for (const lists of [
      [open(0), open(1), open(2)],
      [failed(4), failed(5), failed(6)],
    ]) {
      await list(NONE);
      const seen = await record();
      const results = await Promise.all(lists.map((one) => list(one, seen)));
      expectSame(results.filter((result) => result === 'listed').length, 1, 'listed');
    }
  }),

  adminCase(
    'a listing that is sent again answers listed, and does not overwrite a later one',
    async ({ run, list, record }) => {
      await run(tick(3));
      const seen = await record();
      await list(open(1), seen);
      expectSame(await list(open(1), seen), 'listed', 'listing replayed');
      await list(open(2));
      expectSame(await list(open(1), seen), 'changed', 'listing replayed late');
      expectFields(await record(), { openTicks: listOf(ticks(2)) }, 'record');
    },
  ),

  adminCase(
    'a listing that is sent again changes nothing after one of its ticks was done',
    async ({ run, list, record, refuse }) => {
      await run(tick(3));
      await list(NONE);
      const seen = await record();
      await list(open(1), seen);
      await run(tick(1));
      expectSame(await list(open(1), seen), 'changed', 'listing replayed');
      await refuse('stale-tick', tick(1));
    },
  ),

  adminCase('no run cuts off what an operator has listed beyond eight', async (scene) => {
    await scene.run(tick(11));
    await scene.list(open(...TEN));
    await scene.run(tick(12), FAILED);
    await scene.run(tick(13));
    for (const minute of [...TEN, 12]) await isOpenOnce(scene, minute);
  }),

  adminCase('nor what an operator has listed as failed', async (scene) => {
    await scene.run(tick(0));
    await scene.list(failed(...TEN));
    await scene.run(tick(11), FAILED);
    await scene.grantAndDie(tick(12));
    await scene.run();
    await scene.run(tick(13));
    for (const minute of [...TEN, 11, 12]) await isOpenOnce(scene, minute);
  }),
];
