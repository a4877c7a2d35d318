import { FOREVER_MS } from '../../core/record/lock-record.js';
import { adminCase, type ContractCase } from './stage/case.js';
import { expectFields, expectGranted, expectRising, expectSame } from './stage/expectation.js';
import { HOLD_MS, LEASE_MS, TICK_MS } from './stage/scene.js';

export const pauseCases: readonly ContractCase[] = [
  adminCase('row 54: a paused lock is refused as paused and names who ran last', async ({ run, pause, refuse }) => {
    const { lockedAtMs, fencingToken } = await run({ lockedBy: 'the last one' });
    await pause(FOREVER_MS);
    const { holder } = await refuse('paused');
    expectFields(holder, { lockedBy: 'the last one', lockedAtMs, fencingToken }, 'holder');
  }),

  adminCase('row 54: a resumed lock is granted', async ({ run, pause, resume, grant }) => {
    await run();
    await pause(FOREVER_MS);
    expectSame(await resume(), 'resumed', 'resume');
    await grant();
  }),

  adminCase('a name can be paused before its first run', async ({ pause, refuse, name }) => {
    const { name: of, item } = await pause(FOREVER_MS);
    expectSame(of, name, 'name of the record that a pause returns');
    expectFields<object>(item, { pausedUntil: FOREVER_MS, v: 1, state: undefined }, 'record that a pause returns');
    expectSame((await refuse('paused')).holder, undefined, 'holder');
  }),

  adminCase('a name paused before its first run begins like any other', async ({ pause, resume, grant }) => {
    await pause(FOREVER_MS);
    await resume();
    const { fencingToken, lockedAtMs, previous } = await grant();
    expectRising([lockedAtMs - 60_000, fencingToken, lockedAtMs + 60_000], 'first fencing token, in its minute,');
    expectSame(previous, undefined, 'previous run');
  }),

  adminCase('a pause until a time to come refuses, one until a time gone by does not', async (scene) => {
    const now = scene.harness.call().clock.now();
    await scene.pause(now + HOLD_MS);
    await scene.refuse('paused');
    await scene.pause(now - 60_000);
    await scene.grant();
  }),

  adminCase('a pause keeps fencing token, previous run and last tick done', async (scene) => {
    const { fencingToken } = await scene.run({ tickMs: TICK_MS });
    await scene.pause(FOREVER_MS);
    await scene.resume();
    const lease = await scene.grant();
    expectRising([fencingToken, lease.fencingToken], 'fencing tokens');
    expectFields(lease, { doneTickMs: TICK_MS }, 'lease');
    expectFields(lease.previous, { status: 'succeeded', fencingToken }, 'previous run');
  }),

  adminCase('a pause is recorded, and a resume removes it', async ({ pause, resume, record, run }) => {
    const { fencingToken } = await run();
    expectFields<object>((await pause(FOREVER_MS)).item, { fencingToken, pausedUntil: FOREVER_MS }, 'record returned');
    expectFields(await record(), { pausedUntil: FOREVER_MS, pausedBy: 'an operator' }, 'record');
    await resume();
    expectFields(await record(), { pausedUntil: undefined, pausedBy: undefined, state: 'released' }, 'record');
  }),

  adminCase('a pause lets the running holder extend and release', async ({ grant, pause, extend, release, refuse }) => {
    const lease = await grant();
    await pause(FOREVER_MS);
    expectSame((await extend(lease, 2 * LEASE_MS)).status, 'extended', 'extend');
    await refuse('paused');
    expectSame(await release(lease), 'released', 'release');
    await refuse('paused');
  }),

  adminCase('a pause refuses a takeover too', async ({ grantAndDie, pause, refuse, resume, grant }) => {
    await grantAndDie();
    await pause(FOREVER_MS);
    await refuse('paused');
    await resume();
    expectFields((await grant()).previous, { status: 'crashed' }, 'previous run');
  }),

  adminCase('a paused lock is refused as paused even if the tick is done', async ({ run, pause, refuse }) => {
    await run({ tickMs: TICK_MS });
    await pause(FOREVER_MS);
    await refuse('paused', { tickMs: TICK_MS });
  }),

  adminCase('an acquire that is sent again after a pause gets its first grant', async ({ claim, acquire, pause }) => {
    const asked = claim();
    const { fencingToken } = expectGranted(await acquire(asked), 'acquire');
    await pause(FOREVER_MS);
    expectFields(expectGranted(await acquire(asked), 'acquire replayed'), { fencingToken }, 'lease');
  }),

  adminCase('resume of a lock that is not paused changes nothing', async ({ grant, resume, refuse, release }) => {
    const { fencingToken, ...lease } = await grant();
    expectSame(await resume(), 'not-paused', 'resume');
    expectFields((await refuse('locked')).holder, { fencingToken }, 'holder');
    expectSame(await release({ ...lease, fencingToken }), 'released', 'release');
  }),

  adminCase('resume of a name never used says so, and leaves it free', async ({ resume, record, grant }) => {
    expectSame(await resume(), 'unknown', 'resume');
    expectSame(await record(), undefined, 'record');
    expectSame((await grant()).previous, undefined, 'previous run');
  }),

  adminCase('resume of a name paused before its first run leaves a record', async ({ pause, resume, record }) => {
    await pause(FOREVER_MS);
    expectSame(await resume(), 'resumed', 'resume');
    expectSame(await resume(), 'not-paused', 'second resume');
    expectFields(await record(), { pausedUntil: undefined, pausedBy: undefined, v: 1 }, 'record');
  }),

  adminCase('resume of a pause that is over removes it, and says not-paused', async (scene) => {
    await scene.pause(scene.harness.call().clock.now() - 60_000);
    expectSame(await scene.resume(), 'not-paused', 'resume');
    expectFields(await scene.record(), { pausedUntil: undefined }, 'record');
  }),

  adminCase('a deleted lock is unknown to resume, and can be paused', async (scene) => {
    const { run, remove, resume, pause, refuse, grant } = scene;
    const { fencingToken, ...lease } = await run();
    await remove({ ...lease, fencingToken });
    expectSame(await resume(), 'unknown', 'resume');
    const { item } = await pause(FOREVER_MS);
    expectFields<object>(item, { state: 'deleted', fencingToken, pausedUntil: FOREVER_MS }, 'record');
    await refuse('paused');
    expectSame(await resume(), 'resumed', 'resume');
    expectRising([fencingToken, (await grant()).fencingToken], 'fencing tokens');
  }),
];
