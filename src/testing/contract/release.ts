import { newAttemptId } from '../../core/values/names.js';
import { phantomLease } from './extend.js';
import { adminCase, type ContractCase, contractCase } from './stage/case.js';
import { expectFields, expectGranted, expectSame } from './stage/expectation.js';
import { aheadBy, expectHold, HOLD_MS, LEASE_MS, TICK_MS } from './stage/scene.js';

const HOLD = { lockAtLeastForMs: HOLD_MS };

export const releaseCases: readonly ContractCase[] = [
  contractCase('release frees the lock at once', async ({ grant, release }) => {
    expectSame(await release(await grant()), 'released', 'release');
    await grant();
  }),

  contractCase('F56 row 30: a failed run frees the lock at once', async ({ grant, release }) => {
    expectSame(await release(await grant(), { result: 'failed', error: 'TypeError' }), 'released', 'release');
    await grant();
  }),

  contractCase('a lock released by a host whose clock is an hour ahead is free at once', async (scene) => {
    const { store } = scene.harness;
    const ahead = () => aheadBy(3_600_000, scene.harness.call());
    const lease = expectGranted(await store.acquire(scene.claim(), ahead()), 'acquire');
    const completion = { result: 'succeeded', lockAtLeastForMs: 0, markTickDone: false, durationMs: 5 } as const;
    expectSame(await store.release(lease, completion, ahead()), 'released', 'release');
    await scene.grant();
  }),

  contractCase(
    'a lock given back at an instant ahead of every clock is free',
    async ({ run, patch, grant, harness }) => {
      await run();
      const releasedAt = harness.call().clock.now() + LEASE_MS;
      await patch({ releasedAt, lockUntil: releasedAt });
      await grant();
    },
    ['patch'],
  ),

  contractCase(
    'row 4: after a run that succeeds the lock stays held for lockAtLeastFor from its start',
    async (scene) => {
      const lease = await scene.run({ lockedBy: 'a short run' }, HOLD);
      const { lockedAtMs, fencingToken } = lease;
      const { holder } = await scene.refuse('lock-at-least-for');
      expectFields(holder, { lockedBy: 'a short run', lockedAtMs, fencingToken }, 'holder');
      expectHold(scene, holder?.lockUntilMs, lease, HOLD_MS);
    },
  ),

  contractCase('row 30: a failed run can hold the lock as well', async ({ run, refuse }) => {
    await run({}, { result: 'failed', ...HOLD });
    await refuse('lock-at-least-for');
  }),

  contractCase('a hold that is over frees the lock', async ({ grant, release, harness }) => {
    const lease = await grant({ leaseMs: harness.shortLeaseMs });
    await release(lease, { lockAtLeastForMs: harness.shortLeaseMs });
    await harness.expire(lease);
    expectFields((await grant()).previous, { status: 'succeeded' }, 'previous run');
  }),

  contractCase(
    'F55 a tick that is done is refused as already-executed, even while lockAtLeastFor holds the lock',
    async ({ run, refuse }) => {
      await run({ tickMs: TICK_MS }, HOLD);
      await refuse('already-executed', { tickMs: TICK_MS });
    },
  ),

  contractCase('a hold keeps the lock from a failed tick too', async ({ run, refuse }) => {
    await run({ tickMs: TICK_MS }, { result: 'failed', ...HOLD });
    await refuse('lock-at-least-for', { tickMs: TICK_MS });
  }),

  contractCase('a hold counts from the start of the run, not from its extension', async (scene) => {
    const lease = await scene.grant();
    await scene.extend(lease);
    await scene.release(lease, HOLD);
    expectHold(scene, (await scene.refuse('lock-at-least-for')).holder?.lockUntilMs, lease, HOLD_MS);
  }),

  contractCase('row 4: lockAtLeastFor counts from the start of a run, even if it is released late', async (scene) => {
    const lease = await scene.grantAndDie();
    await scene.release(lease, HOLD);
    expectHold(scene, (await scene.refuse('lock-at-least-for')).holder?.lockUntilMs, lease, HOLD_MS);
  }),

  contractCase('F53 a release that is sent again answers released again', async ({ run, release, grant }) => {
    const lease = await run();
    expectSame(await release(lease), 'released', 'release replayed');
    await grant();
  }),

  adminCase('F53 a release that is sent again writes nothing', async ({ run, release, record }) => {
    const lease = await run({ tickMs: TICK_MS });
    const before = (await record()) ?? {};
    await release(lease, { result: 'failed', error: 'TypeError', ...HOLD });
    expectFields<object>(await record(), before, 'record');
  }),

  contractCase(
    'F53 a release that is sent again while a successor runs answers released, and leaves the successor alone',
    async (scene) => {
      const first = await scene.run();
      const successor = await scene.grant();
      expectSame(await scene.release(first), 'released', 'release replayed');
      expectFields((await scene.refuse('locked')).holder, { fencingToken: successor.fencingToken }, 'holder');
      expectSame(await scene.release(successor), 'released', 'release of the successor');
    },
  ),

  contractCase(
    'a release that is sent again after a successor has run answers released',
    async ({ run, release, grant }) => {
      const first = await run();
      const { fencingToken } = await run();
      expectSame(await release(first), 'released', 'release replayed');
      expectFields((await grant()).previous, { fencingToken }, 'previous run');
    },
  ),

  contractCase('a release that is sent again after a catch-up answers released', async ({ run, release }) => {
    const lease = await run({}, { caughtUp: 2 });
    await run();
    expectSame(await release(lease, { caughtUp: 2 }), 'released', 'release replayed');
  }),

  contractCase('releases side by side are all released', async ({ grant, harness }) => {
    const lease = await grant();
    const completion = { result: 'succeeded', lockAtLeastForMs: 0, markTickDone: false, durationMs: 5 } as const;
    const call = harness.call();
    const releases = Array.from({ length: 5 }, () => harness.store.release(lease, completion, call));
    expectSame((await Promise.all(releases)).join(), Array(5).fill('released').join(), 'releases');
  }),

  contractCase(
    'F51 row 5: a release after a takeover answers lost and leaves the successor its lock',
    async (scene) => {
      const late = await scene.grantAndDie();
      const successor = await scene.grant();
      expectSame(await scene.release(late), 'lost', 'late release');
      const { fencingToken, lockUntilMs } = successor;
      expectFields((await scene.refuse('locked')).holder, { fencingToken, lockUntilMs }, 'holder');
      expectSame(await scene.release(successor), 'released', 'release of the successor');
    },
  ),

  contractCase('F51 a release after a successor has run answers lost', async (scene) => {
    const late = await scene.grantAndDie();
    const { fencingToken } = await scene.run();
    expectSame(await scene.release(late), 'lost', 'late release');
    expectFields((await scene.grant()).previous, { status: 'succeeded', fencingToken }, 'previous run');
  }),

  contractCase('F58 a release after expiry succeeds if nobody took over', async ({ grantAndDie, release, grant }) => {
    expectSame(await release(await grantAndDie()), 'released', 'late release');
    await grant();
  }),

  contractCase('a release by another attempt answers lost and leaves the holder its lock', async (scene) => {
    const { attemptId, ...lease } = await scene.grant();
    expectSame(await scene.release({ ...lease, attemptId: newAttemptId() }), 'lost', 'foreign release');
    expectFields((await scene.refuse('locked')).holder, { fencingToken: lease.fencingToken }, 'holder');
    expectSame(await scene.release({ ...lease, attemptId }), 'released', "the holder's release");
  }),

  contractCase('a release without a record answers lost and creates no record', async (scene) => {
    expectSame(await scene.release(await phantomLease(scene)), 'lost', 'release');
    expectFields(await scene.grant({ tickMs: TICK_MS }), { previous: undefined }, 'first lease');
  }),

  adminCase('a release without a record leaves no record', async (scene) => {
    await scene.release(await phantomLease(scene));
    expectSame(await scene.record(), undefined, 'record');
  }),

  adminCase('F61 a release after a force release answers lost and records nothing', async (scene) => {
    const lease = await scene.grant({ tickMs: TICK_MS });
    await scene.force(lease);
    expectSame(await scene.release(lease), 'lost', 'release');
    expectFields(await scene.record(), { state: 'forced', doneTick: undefined, result: undefined }, 'record');
  }),
];
