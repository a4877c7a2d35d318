import type { AcquireResult, Claim } from '../../core/ports/lock-store.js';
import { adminCase, type ContractCase, contractCase } from './stage/case.js';
import {
  expectBetween,
  expectFields,
  expectGranted,
  expectRefused,
  expectRejection,
  expectSame,
} from './stage/expectation.js';
import { LEASE_MS, NEXT_TICK_MS, type Scene, TICK_MS } from './stage/scene.js';

const CONTENDERS = 20;
/** The claim of the run that comes before the run that a case checks. */
const BEFORE = { tickMs: TICK_MS, lockedBy: 'the one before' } as const;

export const acquireCases: readonly ContractCase[] = [
  contractCase('acquire grants a name that was never used', async ({ claim, acquire, harness }) => {
    const asked = claim({ leaseMs: 7_200_000 });
    const lease = expectGranted(await acquire(asked), 'acquire');
    const { name, attemptId } = asked;
    expectFields(lease, { name, attemptId, leaseMs: 7_200_000 }, 'lease');
    expectSame(lease.lockUntilMs, lease.lockedAtMs + 7_200_000 + harness.leasePadMs, 'lockUntilMs');
  }),

  contractCase('acquire returns the instant before its first send on both clocks', async ({ claim, harness }) => {
    const call = harness.call();
    const [wall, mono] = [call.clock.now(), call.clock.monotonic()];
    const lease = expectGranted(await harness.store.acquire(claim(), call), 'acquire');
    expectBetween(lease.firstSentWall, Math.floor(wall), Math.ceil(call.clock.now()), 'firstSentWall');
    expectBetween(lease.firstSentMono, mono, call.clock.monotonic(), 'firstSentMono');
  }),

  contractCase('the first grant of a name knows of no previous run and of no tick done', async ({ grant }) => {
    expectFields(await grant(), { previous: undefined, doneTickMs: undefined }, 'first lease');
  }),

  contractCase(
    'row 44: acquire of a held lock is refused as locked and names its holder',
    async ({ grant, refuse }) => {
      const { lockedAtMs, lockUntilMs, fencingToken } = await grant({ lockedBy: 'the holder' });
      const refused = await refuse('locked');
      expectFields(refused.holder, { lockedBy: 'the holder', lockedAtMs, lockUntilMs, fencingToken }, 'holder');
    },
  ),

  contractCase('F10 a second attempt with the same lockedBy is refused', async ({ grant, refuse }) => {
    await grant({ lockedBy: 'digest $LATEST eu-west-1 request-1' });
    await refuse('locked', { lockedBy: 'digest $LATEST eu-west-1 request-1' });
  }),

  contractCase('F21 a contender with a shorter lease does not take a held lock', async ({ grant, refuse }) => {
    await grant();
    await refuse('locked', { leaseMs: 1 });
  }),

  contractCase('F21 a contender with a longer lease takes an expired lock', async ({ grantAndDie, grant }) => {
    await grantAndDie();
    await grant({ leaseMs: 2 * LEASE_MS });
  }),

  contractCase('row 27: the first acquire after expiry is granted', async ({ grantAndDie, grant, refuse }) => {
    await grantAndDie();
    const { fencingToken } = await grant();
    expectFields((await refuse('locked')).holder, { fencingToken }, 'holder');
  }),

  adminCase('a refused acquire changes nothing in the record', async ({ grant, refuse, record }) => {
    await grant();
    const before = (await record()) ?? {};
    await refuse('locked', { tickMs: Date.UTC(2026, 0, 1), leaseMs: 2 * LEASE_MS });
    const after = (await record()) ?? {};
    expectFields<object>(after, before, 'record after the refusal');
    expectSame(Object.keys(after).length, Object.keys(before).length, 'attributes after the refusal');
  }),

  contractCase('F7 of twenty acquires at one instant exactly one is granted', async ({ claim, harness }) => {
    const contenders = Array.from({ length: CONTENDERS }, () => harness.store.acquire(claim(), harness.call()));
    const results = await Promise.all(contenders);
    const granted = results.filter(({ status }) => status === 'acquired');
    expectSame(granted.length, 1, 'grants');
    for (const result of results) if (result !== granted[0]) expectRefused(result, 'locked', 'the others');
  }),

  contractCase(
    'F7 of twenty contenders for an expired lock exactly one is granted',
    async ({ claim, harness, grantAndDie }) => {
      await grantAndDie();
      const contenders = Array.from({ length: CONTENDERS }, () => harness.store.acquire(claim(), harness.call()));
      const results = await Promise.all(contenders);
      expectSame(results.filter(({ status }) => status === 'acquired').length, 1, 'grants');
    },
  ),

  contractCase('F1 row 8: an acquire that is sent again gets its first grant', async ({ claim, acquire }) => {
    const asked = claim();
    const first = expectGranted(await acquire(asked), 'acquire');
    const { fencingToken, lockedAtMs, lockUntilMs } = first;
    const again = expectGranted(await acquire(asked), 'acquire replayed');
    expectFields(again, { fencingToken, lockedAtMs, lockUntilMs, attemptId: asked.attemptId }, 'lease');
  }),

  contractCase('an acquire that is sent again makes no second grant', async ({ claim, acquire, refuse }) => {
    const asked = claim();
    const { fencingToken, lockUntilMs } = expectGranted(await acquire(asked), 'acquire');
    await acquire(asked);
    expectFields((await refuse('locked')).holder, { fencingToken, lockUntilMs }, 'holder');
  }),

  contractCase('an acquire that is sent again after expiry gets its first grant if nobody took over', async (scene) => {
    const asked = scene.claim({ leaseMs: scene.harness.shortLeaseMs });
    const { fencingToken } = expectGranted(await scene.acquire(asked), 'acquire');
    const again = expectGranted(await scene.acquire(asked), 'acquire replayed');
    await scene.harness.expire(again);
    expectFields(expectGranted(await scene.acquire(asked), 'acquire replayed late'), { fencingToken }, 'lease');
  }),

  contractCase('an acquire that is sent again late does not disturb a successor', async (scene) => {
    const asked = scene.claim({ leaseMs: scene.harness.shortLeaseMs });
    await scene.harness.expire(expectGranted(await scene.acquire(asked), 'acquire'));
    const { fencingToken } = await scene.grant();
    const refused = expectRefused(await scene.acquire(asked), 'locked', 'late acquire');
    expectFields(refused.holder, { fencingToken }, 'holder');
  }),

  contractCase(
    'F5 an acquire that is sent again after its release is not granted',
    async ({ claim, acquire, release }) => {
      const asked = claim();
      await release(expectGranted(await acquire(asked), 'acquire'));
      await expectRejection(acquire(asked), { name: 'LockStoreError' }, 'acquire of an attempt that has ended');
    },
  ),

  contractCase('F6 an attempt that is given up under way is either granted, or leaves the lock free', async (scene) => {
    // Let the store do its one-time work first, so that the next request is already sent when its caller gives up.
    await scene.run();
    const asked = scene.claim();
    const result = await giveUp(scene, asked).catch(() => undefined);
    if (result === undefined) await scene.grant();
    else expectSame(await scene.release(expectGranted(result, 'acquire')), 'released', 'release');
  }),

  contractCase('F6 an attempt given up after its own release is not granted', async (scene) => {
    const asked = scene.claim();
    await scene.release(expectGranted(await scene.acquire(asked), 'acquire'));
    await expectRejection(giveUp(scene, asked), { name: 'LockStoreError' }, 'acquire that was given up');
    await scene.grant();
  }),

  contractCase('a grant reports that the run before it succeeded', async ({ run, grant }) => {
    const { fencingToken, lockedAtMs } = await run(BEFORE);
    const { previous } = await grant({ tickMs: NEXT_TICK_MS });
    expectFields(previous, { status: 'succeeded', ...BEFORE, lockedAtMs, fencingToken }, 'previous run');
  }),

  contractCase('a grant reports that the run before it failed', async ({ run, grant }) => {
    const { fencingToken, lockedAtMs } = await run(BEFORE, { result: 'failed', error: 'TypeError' });
    const { previous } = await grant({ tickMs: TICK_MS });
    expectFields(previous, { status: 'failed', ...BEFORE, lockedAtMs, fencingToken }, 'previous run');
  }),

  contractCase('row 28: a grant reports that the run before it crashed', async ({ grantAndDie, grant }) => {
    const { fencingToken, lockedAtMs } = await grantAndDie(BEFORE);
    const { previous } = await grant({ tickMs: TICK_MS });
    expectFields(previous, { status: 'crashed', ...BEFORE, lockedAtMs, fencingToken }, 'previous run');
  }),

  adminCase('a grant reports that the run before it was forced to end, by its own token', async (scene) => {
    const lease = await scene.grant(BEFORE);
    await scene.force(lease);
    const { previous } = await scene.grant({ tickMs: TICK_MS });
    const { fencingToken, lockedAtMs } = lease;
    expectFields(previous, { status: 'forced', ...BEFORE, lockedAtMs, fencingToken }, 'previous run');
  }),

  contractCase('a crash after a success is reported as a crash', async ({ run, grantAndDie, grant }) => {
    await run();
    const { fencingToken } = await grantAndDie();
    expectFields((await grant()).previous, { status: 'crashed', fencingToken }, 'previous run');
  }),

  contractCase('a success after a crash is reported as a success', async ({ run, grantAndDie, grant }) => {
    await grantAndDie();
    const { fencingToken } = await run();
    expectFields((await grant()).previous, { status: 'succeeded', fencingToken }, 'previous run');
  }),

  contractCase('a run without a tick leaves none to the next one', async ({ run, grant }) => {
    await run({ tickMs: TICK_MS });
    await run();
    expectFields((await grant()).previous, { status: 'succeeded', tickMs: undefined }, 'previous run');
  }),

  contractCase(
    'F58 a run that is released after its lease does not count as a crash',
    async ({ grantAndDie, release, grant }) => {
      const { fencingToken, ...lease } = await grantAndDie();
      await release({ ...lease, fencingToken });
      expectFields((await grant()).previous, { status: 'succeeded', fencingToken }, 'previous run');
    },
  ),
];

/** Sends an acquire whose caller gives up as soon as it is sent. */
export function giveUp({ harness }: Scene, asked: Claim): Promise<AcquireResult> {
  const caller = new AbortController();
  const acquire = harness.store.acquire(asked, { ...harness.call(), signal: caller.signal });
  caller.abort();
  return acquire;
}
