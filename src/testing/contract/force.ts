import { FORCE_STEP } from '../../core/record/lock-record.js';
import { runsOf } from '../../core/record/run-ring.js';
import { newAttemptId } from '../../core/values/names.js';
import { adminCase, type ContractCase, contractCase } from './stage/case.js';
import { expectBetween, expectFields, expectSame } from './stage/expectation.js';
import { HOLD_MS, LEASE_MS, NEXT_TICK_MS, TICK_MS } from './stage/scene.js';

export const forceCases: readonly ContractCase[] = [
  adminCase('row 53: a forced lock is free at once', async ({ grant, force }) => {
    expectSame(await force(await grant()), 'forced', 'force release');
    await grant();
  }),

  contractCase(
    'a lock forced at an instant ahead of every clock is free',
    async ({ grant, force, patch, harness }) => {
      await force(await grant());
      await patch({ lockUntil: harness.call().clock.now() + LEASE_MS });
      await grant();
    },
    ['admin', 'patch'],
  ),

  adminCase('a force release fences off what was asked before it', async ({ grant, force, record }) => {
    const lease = await grant();
    await force(lease);
    const { lockUntil } = (await record()) ?? {};
    expectBetween(lockUntil, lease.lockedAtMs, lease.lockUntilMs - 1, 'lockUntil');
  }),

  adminCase('F61 a force release raises the fencing token above the one of the run that it ends', async (scene) => {
    const lease = await scene.grant();
    await scene.force(lease);
    const { fencingToken } = lease;
    expectFields(await scene.record(), { state: 'forced', fencingToken: fencingToken + FORCE_STEP }, 'record');
  }),

  adminCase('row 48: a run that was forced is recorded with its tick, start, duration and token', async (scene) => {
    const { lockedAtMs, fencingToken, ...lease } = await scene.grant({ tickMs: TICK_MS });
    scene.harness.call();
    await scene.force({ ...lease, lockedAtMs, fencingToken });
    const { lockUntil = Number.NaN, ...record } = (await scene.record()) ?? {};
    const rows = runsOf(record);
    expectSame(rows.length, 1, 'rows');
    const durationMs = lockUntil - lockedAtMs;
    expectFields(rows[0], { status: 'forced', tickMs: TICK_MS, lockedAtMs, durationMs, fencingToken }, 'row');
  }),

  adminCase('row 48: a run that was forced and has no tick is recorded', async ({ grant, force, record }) => {
    await force(await grant());
    const [row] = runsOf((await record()) ?? {});
    expectFields(row, { status: 'forced', tickMs: undefined, isManual: undefined }, 'row');
  }),

  adminCase('row 48: the ten newest runs are kept, whether they were forced or not', async (scene) => {
    const tokens: number[] = [];
    for (let n = 0; n < 25; n++) {
      const lease = await scene.grant();
      await (n % 4 === 1 ? scene.force(lease) : scene.release(lease));
      tokens.unshift(lease.fencingToken);
      const kept = runsOf((await scene.record()) ?? {}).map(({ fencingToken }) => fencingToken);
      expectSame(kept.join(), tokens.slice(0, 10).join(), 'tokens of the rows');
    }
  }),

  adminCase('a force release leaves how the last run ended that gave the lock back', async (scene) => {
    await scene.run({ tickMs: TICK_MS }, { result: 'failed', error: 'RangeError' });
    const { result, error, releasedAt } = (await scene.record()) ?? {};
    await scene.force(await scene.grant({ tickMs: NEXT_TICK_MS }));
    expectFields(await scene.record(), { result, error, releasedAt }, 'record');
  }),

  adminCase('F61 a run that was forced stays forced: its own release answers lost', async (scene) => {
    const lease = await scene.grant();
    await scene.force(lease);
    expectSame(await scene.release(lease), 'lost', 'release');
    await scene.run();
    expectSame(await scene.release(lease), 'lost', 'late release');
    const [, row] = runsOf((await scene.record()) ?? {});
    expectFields(row, { status: 'forced', fencingToken: lease.fencingToken }, 'row');
  }),

  adminCase('a force release that is sent again answers forced, and forces once', async ({ grant, force, record }) => {
    const { fencingToken, ...lease } = await grant();
    const adminId = newAttemptId('f');
    await force({ ...lease, fencingToken }, { adminId });
    expectSame(await force({ ...lease, fencingToken }, { adminId }), 'forced', 'force release replayed');
    expectFields(await record(), { fencingToken: fencingToken + FORCE_STEP }, 'record');
  }),

  adminCase('a second force release finds the lock changed', async ({ grant, force, record }) => {
    const lease = await grant();
    await force(lease);
    expectSame(await force(lease), 'changed', 'second force release');
    expectFields(await record(), { fencingToken: lease.fencingToken + FORCE_STEP }, 'record');
  }),

  adminCase('of several force releases at once exactly one frees the lock', async ({ grant, force }) => {
    const lease = await grant();
    const results = await Promise.all(Array.from({ length: 5 }, () => force(lease)));
    expectSame(results.filter((result) => result === 'forced').length, 1, 'forced');
  }),

  adminCase('F62 a late force release does not end a newer grant', async ({ run, grant, force, refuse }) => {
    const seen = await run();
    const { fencingToken } = await grant();
    expectSame(await force(seen), 'changed', 'force release');
    expectFields((await refuse('locked')).holder, { fencingToken }, 'holder');
  }),

  adminCase('F62 a late force release does not end the grant of a takeover', async (scene) => {
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
