import { newAttemptId } from '../../core/values/attempt-id.js';
import { adminCase, type ContractCase, contractCase } from './stage/case.js';
import { expectBetween, expectFields, expectSame } from './stage/expectation.js';
import { HOLD_MS, LEASE_MS, TICK_MS } from './stage/scene.js';

export const forceCases: readonly ContractCase[] = [
  adminCase('row 53: a forced lock is free at once', async ({ grant, force }) => {
    expectSame(await force(await grant()), 'forced', 'force release');
    await grant();
  }),

  contractCase(
    'a lock forced at an instant that every clock has yet to reach is free',
    async ({ grant, force, patch, harness }) => {
      await force(await grant());
      await patch({ lockUntil: harness.call().clock.now() + LEASE_MS });
      await grant();
    },
    ['admin', 'patch'],
  ),

  adminCase('a force release fences off what was asked before it', async ({ grant, force, record, harness }) => {
    const lease = await grant();
    harness.call();
    await force(lease);
    const { lockUntil, releasedAt } = (await record()) ?? {};
    expectSame(lockUntil, releasedAt, 'lockUntil');
  }),

  adminCase('F61 a force release raises the fencing token above that of the run it ends', async (scene) => {
    const lease = await scene.grant();
    await scene.force(lease);
    const { fencingToken } = lease;
    expectFields(await scene.record(), { state: 'forced', fencingToken: fencingToken + 1 }, 'record');
  }),

  adminCase('a force release is recorded with its time', async ({ grant, force, record }) => {
    const lease = await grant();
    await force(lease);
    const { releasedAt } = (await record()) ?? {};
    expectBetween(releasedAt, lease.lockedAtMs, lease.lockUntilMs, 'releasedAt');
  }),

  adminCase('a force release replayed is forced, once', async ({ grant, force, record }) => {
    const { fencingToken, ...lease } = await grant();
    const adminId = newAttemptId('f');
    await force({ ...lease, fencingToken }, { adminId });
    expectSame(await force({ ...lease, fencingToken }, { adminId }), 'forced', 'force release replayed');
    expectFields(await record(), { fencingToken: fencingToken + 1 }, 'record');
  }),

  adminCase('a second force release finds the lock changed', async ({ grant, force, record }) => {
    const lease = await grant();
    await force(lease);
    expectSame(await force(lease), 'changed', 'second force release');
    expectFields(await record(), { fencingToken: lease.fencingToken + 1 }, 'record');
  }),

  adminCase('of force releases side by side exactly one is forced', async ({ grant, force }) => {
    const lease = await grant();
    const results = await Promise.all(Array.from({ length: 5 }, () => force(lease)));
    expectSame(results.filter((result) => result === 'forced').length, 1, 'forced');
  }),

  adminCase('F62 a force release late does not end a newer grant', async ({ run, grant, force, refuse }) => {
    const seen = await run();
    const { fencingToken } = await grant();
    expectSame(await force(seen), 'changed', 'force release');
    expectFields((await refuse('locked')).holder, { fencingToken }, 'holder');
  }),

  adminCase('F62 a force release late does not end the grant of a takeover', async (scene) => {
    const seen = await scene.grantAndDie();
    const { fencingToken, ...successor } = await scene.grant();
    expectSame(await scene.force(seen), 'changed', 'force release');
    expectFields((await scene.refuse('locked')).holder, { fencingToken }, 'holder');
    expectSame(await scene.release({ ...successor, fencingToken }), 'released', 'release of the successor');
  }),

  adminCase('a force release of a released lock changes nothing', async ({ run, force, record }) => {
    const lease = await run({}, { lockAtLeastForMs: HOLD_MS });
    expectSame(await force(lease), 'changed', 'force release');
    const { fencingToken } = lease;
    expectFields(await record(), { state: 'released', fencingToken }, 'record');
  }),

  adminCase('a force release of a name never used changes nothing', async ({ grant, force, record, name }) => {
    const lease = await grant({ name: newAttemptId('c') });
    expectSame(await force({ ...lease, name }), 'changed', 'force release');
    expectSame(await record(), undefined, 'record');
  }),

  adminCase('an expired lock can be forced', async ({ grantAndDie, force, grant }) => {
    const { fencingToken, ...lease } = await grantAndDie();
    expectSame(await force({ ...lease, fencingToken }), 'forced', 'force release');
    expectFields((await grant()).previous, { status: 'forced', fencingToken }, 'previous run');
  }),

  adminCase('a forced tick is still open', async ({ grant, force }) => {
    await force(await grant({ tickMs: TICK_MS }));
    await grant({ tickMs: TICK_MS });
  }),

  adminCase('a force release does not forget the last tick done', async ({ run, grant, force, refuse }) => {
    await run({ tickMs: TICK_MS });
    await force(await grant());
    await refuse('already-executed', { tickMs: TICK_MS });
  }),
];
