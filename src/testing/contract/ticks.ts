import { listOf } from '../../core/record/open-ticks.js';
import { MOST_LISTED } from '../../core/values/tick.js';
import { adminCase, type ContractCase, contractCase } from './stage/case.js';
import { expectFields, expectSame } from './stage/expectation.js';
import { grantTwice, isOpenOnce, NEXT_TICK_MS, TICK_MS, tick, ticks } from './stage/scene.js';

const TICK = { tickMs: TICK_MS };
const NEXT_TICK = { tickMs: NEXT_TICK_MS };
const AT_START = { markTickAtStart: true };
const FAILED = { result: 'failed' } as const;

export const tickCases: readonly ContractCase[] = [
  contractCase('F63 a tick that is done is refused as already-executed', async ({ run, refuse }) => {
    const { lockedAtMs, fencingToken } = await run({ ...TICK, lockedBy: 'who did it' });
    const { holder } = await refuse('already-executed', TICK);
    expectFields(holder, { lockedBy: 'who did it', lockedAtMs, fencingToken }, 'holder');
  }),

  contractCase('F66 a tick older than the last one done is refused as stale-tick', async ({ run, refuse }) => {
    const { lockedAtMs, fencingToken } = await run({ ...NEXT_TICK, lockedBy: 'the newer' });
    const { holder } = await refuse('stale-tick', TICK);
    expectFields(holder, { lockedBy: 'the newer', lockedAtMs, fencingToken }, 'holder');
  }),

  contractCase('a newer tick is granted, with the last tick done', async ({ run, grant }) => {
    await run(TICK);
    expectFields(await grant(NEXT_TICK), { tickMs: NEXT_TICK_MS, doneTickMs: TICK_MS }, 'lease');
  }),

  contractCase(
    'row 200: a grant that marks its tick at the start has the newest tick done before it',
    async (scene) => {
      await scene.run(TICK);
      expectFields(await scene.grant({ ...NEXT_TICK, ...AT_START }), { doneTickMs: TICK_MS }, 'lease');
    },
  ),

  contractCase('row 200: an acquire that is sent again has the newest tick done before it', async (scene) => {
    await scene.run(TICK);
    expectFields(await grantTwice(scene, scene.claim(NEXT_TICK)), { doneTickMs: TICK_MS }, 'lease');
  }),

  contractCase('row 200: a grant of an open tick has the newer tick that is done', async ({ run, grant }) => {
    await run(TICK, FAILED);
    await run(NEXT_TICK);
    expectFields(await grant(TICK), { doneTickMs: NEXT_TICK_MS }, 'lease');
  }),

  contractCase('F67 a tick whose run failed is still open', async ({ run, grant }) => {
    await run(TICK, FAILED);
    expectFields(await grant(TICK), { tickMs: TICK_MS, doneTickMs: undefined }, 'lease');
  }),

  contractCase('a tick whose run crashed is still open', async ({ grantAndDie, grant }) => {
    await grantAndDie(TICK);
    await grant(TICK);
  }),

  contractCase('a success without a mark leaves its tick open', async ({ run, grant }) => {
    await run(TICK, { markTickDone: false });
    await grant(TICK);
  }),

  contractCase('a tick being run is refused as locked', async ({ grant, refuse }) => {
    await grant(TICK);
    await refuse('locked', TICK);
  }),

  contractCase('a tick that is done is already-executed even while the next one runs', async (scene) => {
    await scene.run(NEXT_TICK);
    await scene.grant({ tickMs: NEXT_TICK_MS + 60_000 });
    await scene.refuse('already-executed', NEXT_TICK);
    await scene.refuse('stale-tick', TICK);
  }),

  contractCase('row 37: a tick marked at the start is done although its run failed', async ({ run, refuse }) => {
    await run({ ...TICK, ...AT_START }, FAILED);
    await refuse('already-executed', TICK);
  }),

  contractCase('F75 a tick marked at the start is done although its run crashed', async ({ grantAndDie, refuse }) => {
    await grantAndDie({ ...TICK, ...AT_START });
    await refuse('already-executed', { ...TICK, ...AT_START });
  }),

  contractCase('a tick marked at the start is already-executed while its run goes on', async ({ grant, refuse }) => {
    await grant({ ...TICK, ...AT_START });
    await refuse('already-executed', { ...TICK, ...AT_START });
  }),

  contractCase('a tick older than one marked at the start is stale', async ({ grantAndDie, refuse }) => {
    await grantAndDie({ ...NEXT_TICK, ...AT_START });
    await refuse('stale-tick', TICK);
  }),

  contractCase(
    'F190 an acquire that is sent again for a tick marked at the start gets its first grant, without that tick as done',
    async (scene) => {
      await scene.run(TICK);
      const { fencingToken, doneTickMs = TICK_MS } = await grantTwice(
        scene,
        scene.claim({ ...NEXT_TICK, ...AT_START }),
      );
      expectFields((await scene.refuse('already-executed', NEXT_TICK)).holder, { fencingToken }, 'holder');
      expectSame(doneTickMs, TICK_MS, 'lease: doneTickMs');
    },
  ),

  contractCase('marking at the start without a tick marks nothing', async ({ run, grant }) => {
    await run(AT_START);
    expectFields(await grant(TICK), { doneTickMs: undefined }, 'lease');
  }),

  contractCase('marking as done without a tick marks nothing', async ({ run, grant }) => {
    await run({}, { markTickDone: true });
    expectFields(await grant(TICK), { doneTickMs: undefined }, 'lease');
  }),

  contractCase('row 55: a run without a tick is never refused because of ticks', async ({ run, grant }) => {
    await run(TICK);
    expectFields(await grant(), { tickMs: undefined, doneTickMs: TICK_MS }, 'lease');
  }),

  contractCase('a run without a tick does not forget the last tick done', async ({ run, refuse }) => {
    await run(TICK);
    await run();
    await refuse('already-executed', TICK);
  }),

  contractCase('a failed run of a newer tick does not forget the last tick done', async ({ run, refuse, grant }) => {
    await run(TICK);
    await run(NEXT_TICK, FAILED);
    await refuse('already-executed', TICK);
    await grant(NEXT_TICK);
  }),

  contractCase('a crash does not forget the last tick done', async ({ run, grantAndDie, refuse }) => {
    await run(TICK);
    await grantAndDie(NEXT_TICK);
    await refuse('already-executed', TICK);
  }),

  contractCase('an older tick is open as long as the newer one only failed', async ({ run, grant }) => {
    await run(NEXT_TICK, FAILED);
    await grant(TICK);
  }),

  contractCase('the last tick done never goes back', async ({ run, grant, release }) => {
    await run(NEXT_TICK);
    const lease = await grant();
    await release({ ...lease, tickMs: TICK_MS });
    expectFields(await grant(), { doneTickMs: NEXT_TICK_MS }, 'lease');
  }),

  contractCase(
    'F57 a run that lost its lock does not mark its tick as done',
    async ({ grantAndDie, run, release, grant }) => {
      const late = await grantAndDie(TICK);
      await run(TICK, FAILED);
      await release(late);
      expectFields(await grant(TICK), { doneTickMs: undefined }, 'lease');
    },
  ),

  contractCase(
    'F58 a run that is released after its lease still marks its tick as done',
    async ({ grantAndDie, release, refuse }) => {
      expectSame(await release(await grantAndDie(TICK)), 'released', 'late release');
      await refuse('already-executed', TICK);
    },
  ),

  contractCase('a run that fails while it catches up leaves its own tick and that one open', async (scene) => {
    await scene.run(tick(0));
    await scene.run(tick(3), { ...FAILED, failedTickMs: tick(1).tickMs });
    await scene.run(tick(4));
    await scene.refuse('stale-tick', tick(2));
    for (const minute of [1, 3]) await isOpenOnce(scene, minute);
  }),

  contractCase('ticks that are given up with a release are stale', async (scene) => {
    for (const minute of [0, 1]) await scene.run(tick(minute), FAILED);
    await scene.run(tick(2));
    await scene.run(tick(3), FAILED);
    await scene.run(tick(5), { givenUpTicksMs: ticks(0, 3) });
    for (const minute of [0, 3]) await scene.refuse('stale-tick', tick(minute));
    await isOpenOnce(scene, 1);
  }),

  contractCase('a run can keep more than eight ticks open, and no later run cuts them off', async (scene) => {
    const missed = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    await scene.run(tick(0));
    await scene.run(tick(11), { missedTicksMs: ticks(...missed), keepTicks: MOST_LISTED });
    await scene.run(tick(12), FAILED);
    await scene.run(tick(13));
    for (const minute of [...missed, 12]) await isOpenOnce(scene, minute);
  }),

  contractCase('until a first tick is done, more than eight that failed or crashed are open', async (scene) => {
    const ten = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    for (const minute of ten) await scene.grantAndDie(tick(minute));
    for (const minute of ten) await scene.run(tick(minute + 10), FAILED);
    await scene.run(tick(20));
    for (const minute of ten) {
      await isOpenOnce(scene, minute);
      await isOpenOnce(scene, minute + 10);
    }
  }),

  adminCase('until a first tick is done, the newest hundred that failed are recorded', async (scene) => {
    await scene.run(tick(0), FAILED);
    await scene.list(hundredFailed(0));
    await scene.run(tick(100), FAILED);
    expectFields(await scene.record(), hundredFailed(1), 'record');
  }),

  adminCase('until a first tick is done, the newest hundred that crashed are recorded', async (scene) => {
    await scene.run(tick(0), FAILED);
    await scene.list(hundredFailed(0));
    const others = await scene.grantAndDie(tick(100));
    expectSame(others.droppedTicksMs, undefined, 'lease without a crash before it: droppedTicksMs');
    const lease = await scene.grant(tick(101));
    expectFields(await scene.record(), hundredFailed(1), 'record');
    expectSame(`${lease.droppedTicksMs}`, `${ticks(0)}`, 'lease: droppedTicksMs');
  }),
];

/** Makes the lists of a record with a hundred failed ticks: one tick for each minute from `minute` on. */
function hundredFailed(minute: number) {
  const minutes = Array.from({ length: MOST_LISTED }, (_, n) => minute + n);
  return { openTicks: ',', failedTicks: listOf(ticks(...minutes), MOST_LISTED) };
}
