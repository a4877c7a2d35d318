import { runsOf } from '../../core/record/run-ring.js';
import { BY_HAND, newAttemptId } from '../../core/values/names.js';
import { adminCase, type ContractCase } from './stage/case.js';
import { expectFields, expectSame } from './stage/expectation.js';
import { NEXT_TICK_MS, type Scene, TICK_MS } from './stage/scene.js';

const TICK = { tickMs: TICK_MS };
const NEXT = { tickMs: NEXT_TICK_MS };

/** Makes the part of a claim that makes it a run by hand. */
const byHand = () => ({ attemptId: newAttemptId(BY_HAND) });

/** Reads the runs in the history of a lock, newest first. */
const runs = async ({ record }: Scene) => runsOf((await record()) ?? {});

/** Checks that the record has this tick as the newest one done, and no list of ticks. */
async function expectTicks({ record }: Scene, doneTick: number | undefined): Promise<void> {
  expectFields(await record(), { doneTick, openTicks: undefined, failedTicks: undefined }, 'record');
}

/** How a run by hand, whose attempt id shows that it is one, differs from other runs without a tick. */
export const byHandCases: readonly ContractCase[] = [
  adminCase('row 190: a run by hand is recorded as one, whether it succeeds or fails', async (scene) => {
    await scene.run();
    await scene.run(byHand());
    await scene.run(byHand(), { result: 'failed' });
    await scene.run(TICK);
    const [scheduled, failed, succeeded, untimed] = await runs(scene);
    expectFields(scheduled, { isManual: undefined, tickMs: TICK_MS }, 'run of a tick');
    expectFields(failed, { status: 'failed', isManual: true, tickMs: undefined }, 'run by hand that failed');
    expectFields(succeeded, { status: 'succeeded', isManual: true, tickMs: undefined }, 'run by hand');
    expectFields(untimed, { isManual: undefined, tickMs: undefined }, 'run without a tick');
  }),

  adminCase('row 190: a run by hand marks no tick, and is not refused because a tick is done', async (scene) => {
    await scene.run(TICK);
    await scene.run({ ...byHand(), markTickAtStart: true });
    await expectTicks(scene, TICK_MS);
    await scene.refuse('already-executed', TICK);
    await scene.run(NEXT);
  }),

  adminCase('row 194: a run by hand that fails opens no tick', async (scene) => {
    await scene.run(TICK);
    await scene.run(byHand(), { result: 'failed', markTickFailed: false });
    await expectTicks(scene, TICK_MS);
  }),

  adminCase('row 194: a run by hand that crashed is recorded by its successor, and opens no tick', async (scene) => {
    await scene.run(TICK);
    const { fencingToken } = await scene.grantAndDie(byHand());
    const { previous } = await scene.run(NEXT);
    expectFields(previous, { status: 'crashed', isManual: true, tickMs: undefined, fencingToken }, 'previous run');
    const [, crashed] = await runs(scene);
    expectFields(crashed, { status: 'crashed', isManual: true, tickMs: undefined, fencingToken }, 'row of the crash');
    await expectTicks(scene, NEXT_TICK_MS);
  }),

  adminCase('row 194: a run by hand records the tick of the run that crashed before it', async (scene) => {
    await scene.run(TICK);
    await scene.grantAndDie(NEXT);
    const { previous, failedTicksMs = [] } = await scene.run(byHand());
    expectFields(previous, { status: 'crashed', isManual: undefined, tickMs: NEXT_TICK_MS }, 'previous run');
    expectSame(failedTicksMs.join(), String(NEXT_TICK_MS), 'failed ticks');
    const [, crashed] = await runs(scene);
    expectFields(crashed, { status: 'crashed', isManual: undefined, tickMs: NEXT_TICK_MS }, 'row of the crash');
    await scene.run(NEXT);
  }),

  adminCase('row 194: a run by hand that was forced is recorded as one, and opens no tick', async (scene) => {
    await scene.run(TICK);
    const { fencingToken, ...lease } = await scene.grant(byHand());
    await scene.force({ ...lease, fencingToken });
    const [forced] = await runs(scene);
    expectFields(forced, { status: 'forced', isManual: true, tickMs: undefined, fencingToken }, 'row');
    await expectTicks(scene, TICK_MS);
  }),
];
