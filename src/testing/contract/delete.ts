import { FORCE_STEP, FOREVER_MS, recordAttributes } from '../../core/record/lock-record.js';
import { newAttemptId } from '../../core/values/names.js';
import { adminCase, type ContractCase, contractCase } from './stage/case.js';
import { expectFields, expectRising, expectSame } from './stage/expectation.js';
import { HOLD_MS, TICK_MS } from './stage/scene.js';

/** The attributes that a delete may leave in a record. */
const LEFT: readonly string[] = ['attemptId', 'state', 'lockUntil', 'fencingToken', 'barredAttempt', 'v'];

export const deleteCases: readonly ContractCase[] = [
  adminCase('F52 the fencing token rises over a delete', async ({ run, remove, grant }) => {
    const first = await run();
    expectSame(await remove(first), 'deleted', 'delete');
    const second = await grant();
    expectRising([first.fencingToken, second.fencingToken], 'fencing tokens');
  }),

  contractCase(
    'F52 the fencing token rises over a delete, even if it is ahead of every clock',
    async ({ run, patch, record, remove, grant, name }) => {
      const lease = await run();
      await patch({ fencingToken: 9_007_199_254_740_101 });
      expectSame(await remove({ ...lease, fencingToken: 9_007_199_254_740_101 }), 'deleted', 'delete');
      expectFields(await record(name), { fencingToken: 9_007_199_254_740_101 }, 'record');
      expectSame((await grant()).fencingToken, 9_007_199_254_740_102, 'fencing token');
    },
    ['admin', 'patch'],
  ),

  adminCase('a delete forgets the run before, its tick and the ticks that are done', async (scene) => {
    const { run, remove, grant } = scene;
    await remove(await run({ tickMs: TICK_MS }));
    const { previous, doneTickMs } = await grant({ tickMs: TICK_MS });
    expectSame(previous, undefined, 'previous run');
    expectSame(doneTickMs, undefined, 'last tick done');
  }),

  adminCase('a delete leaves the token, and nothing of the runs', async ({ run, pause, remove, record }) => {
    const { fencingToken, ...lease } = await run({ tickMs: TICK_MS }, { result: 'failed', error: 'TypeError' });
    await pause(FOREVER_MS);
    await remove({ ...lease, fencingToken });
    const left = (await record()) ?? {};
    expectFields(left, { state: 'deleted', fencingToken }, 'record');
    const ofRuns = recordAttributes().filter((attribute) => !LEFT.includes(attribute) && attribute in left);
    expectSame(ofRuns.join(' '), '', 'attributes of runs');
  }),

  adminCase('a delete ends a pause', async ({ run, pause, remove, grant }) => {
    const lease = await run();
    await pause(FOREVER_MS);
    expectSame(await remove(lease), 'deleted', 'delete');
    await grant();
  }),

  adminCase('a name that was paused and never used is deleted by the token 0', async (scene) => {
    const { pause, remove, grant, claim, record, name } = scene;
    const never = { name, fencingToken: 0 };
    await pause(FOREVER_MS);
    expectSame(await remove({ ...never, fencingToken: 1 }), 'changed', 'delete with another token');
    expectSame(await remove(never), 'deleted', 'delete');
    expectFields(await record(), { fencingToken: undefined }, 'record');
    expectSame((await grant(claim())).previous, undefined, 'previous run');
  }),

  adminCase('a lock that is kept after its run is free at once when it is deleted', async ({ run, remove, grant }) => {
    expectSame(await remove(await run({}, { lockAtLeastForMs: HOLD_MS })), 'deleted', 'delete');
    await grant();
  }),

  adminCase('a lock that was forced is deleted by the token of the force', async ({ grant, force, remove }) => {
    const { name, fencingToken, ...lease } = await grant();
    await force({ ...lease, name, fencingToken });
    expectSame(await remove({ name, fencingToken }), 'changed', 'delete with the token of the run');
    expectSame(await remove({ name, fencingToken: fencingToken + FORCE_STEP }), 'deleted', 'delete');
    expectSame((await grant()).previous, undefined, 'previous run');
  }),

  adminCase('a lock that is held is not deleted', async ({ grant, remove, refuse, release }) => {
    const { fencingToken, ...lease } = await grant();
    expectSame(await remove({ ...lease, fencingToken }), 'held', 'delete');
    expectFields((await refuse('locked')).holder, { fencingToken }, 'holder');
    expectSame(await release({ ...lease, fencingToken }), 'released', 'release');
  }),

  adminCase('a lock whose holder died is deleted, and the holder has lost it', async (scene) => {
    const lease = await scene.grantAndDie();
    expectSame(await scene.remove(lease), 'deleted', 'delete');
    expectSame((await scene.extend(lease)).status, 'lost', 'extend');
    expectSame(await scene.release(lease), 'lost', 'release');
    const next = await scene.grant();
    expectSame(next.previous, undefined, 'previous run');
    expectRising([lease.fencingToken, next.fencingToken], 'fencing tokens');
  }),

  adminCase('F62 a late delete leaves a newer run alone', async ({ run, remove, record, refuse }) => {
    const seen = await run();
    const { fencingToken } = await run({ tickMs: TICK_MS });
    expectSame(await remove(seen), 'changed', 'delete');
    expectFields(await record(), { state: 'released', fencingToken }, 'record');
    await refuse('already-executed', { tickMs: TICK_MS });
  }),

  adminCase('a delete that is sent again answers deleted', async ({ run, remove }) => {
    const lease = await run();
    const adminId = newAttemptId('d');
    await remove(lease, adminId);
    expectSame(await remove(lease, adminId), 'deleted', 'delete replayed');
  }),

  adminCase('of deletes side by side exactly one has deleted', async ({ run, remove }) => {
    const lease = await run();
    const results = await Promise.all(Array.from({ length: 5 }, () => remove(lease)));
    expectSame(results.filter((result) => result === 'deleted').length, 1, 'deleted');
    expectSame(results.filter((result) => result === 'unknown').length, 4, 'unknown');
  }),

  adminCase('a delete of a name never used is unknown, and makes no record', async ({ remove, record, name }) => {
    expectSame(await remove({ name, fencingToken: 0 }), 'unknown', 'delete');
    expectSame(await record(), undefined, 'record');
  }),
];
