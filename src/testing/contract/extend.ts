import type { ExtendResult, Lease } from '../../core/ports/lock-store.js';
import { systemClock } from '../../core/values/clock.js';
import { newAttemptId } from '../../core/values/names.js';
import { adminCase, type ContractCase, contractCase } from './stage/case.js';
import { expectBetween, expectFields, expectGranted, expectSame } from './stage/expectation.js';
import { expectHold, LEASE_MS, type Scene, TICK_MS } from './stage/scene.js';

const LONGER_MS = 2 * LEASE_MS;
const MINUTE_MS = 60_000;

/** A step that every holder's margin outweighs: a holder stops 200 ms before the end of its lease, or earlier. */
const SMALL_MS = 100;
/** Longer than two steps of a clock of whole seconds. */
const LOOK_MS = 2_200;

export const extendCases: readonly ContractCase[] = [
  contractCase('extend moves the end of the lease to now + leaseMs', async ({ grant, extend, harness }) => {
    const lease = await grant();
    const until = lease.lockedAtMs + LONGER_MS + harness.leasePadMs;
    expectBetween(untilOf(await extend(lease, LONGER_MS)), until, until + MINUTE_MS, 'lockUntilMs');
  }),

  contractCase('others see the extended end', async ({ grant, extend, refuse }) => {
    const lockUntilMs = untilOf(await extend(await grant(), LONGER_MS));
    expectFields((await refuse('locked')).holder, { lockUntilMs }, 'holder');
  }),

  contractCase('an extension keeps a lock that would have expired', async ({ grant, extend, refuse, harness }) => {
    const lease = await grant({ leaseMs: harness.shortLeaseMs });
    untilOf(await extend(lease));
    await harness.expire(lease);
    await refuse('locked');
  }),

  contractCase('extend returns the instant before its send on both clocks', async ({ grant, harness }) => {
    const lease = await grant();
    const call = harness.call();
    const [wall, mono] = [call.clock.now(), call.clock.monotonic()];
    const extended = await harness.store.extend(lease, { leaseMs: LONGER_MS }, call);
    if (extended.status === 'lost') return expectExtended(extended);
    // A store rounds the wall clock to a whole millisecond in `firstSentWall`.
    expectBetween(extended.firstSentWall, wall - 2, call.clock.now() + 2, 'firstSentWall');
    expectBetween(extended.firstSentMono, mono, call.clock.monotonic(), 'firstSentMono');
  }),

  contractCase('extend never shortens a lease', async ({ grant, extend, refuse }) => {
    const { lockUntilMs, ...lease } = await grant();
    const kept = untilOf(await extend({ ...lease, lockUntilMs }, MINUTE_MS));
    expectSame(kept, lockUntilMs, 'lockUntilMs');
    expectFields((await refuse('locked')).holder, { lockUntilMs }, 'holder');
  }),

  contractCase('F35 an extend that is sent again succeeds again', async ({ grant, extend }) => {
    const lease = await grant();
    const first = untilOf(await extend(lease, LONGER_MS));
    expectBetween(untilOf(await extend(lease, LONGER_MS)), first, first + MINUTE_MS, 'lockUntilMs');
  }),

  contractCase('F34 of several extends at once the longest counts', async ({ grant, harness, refuse }) => {
    const lease = await grant();
    const call = harness.call();
    const lengths = [LONGER_MS, MINUTE_MS, LEASE_MS, LONGER_MS + MINUTE_MS, MINUTE_MS];
    const results = await Promise.all(lengths.map((leaseMs) => harness.store.extend(lease, { leaseMs }, call)));
    const lockUntilMs = Math.max(...results.map(untilOf));
    expectFields((await refuse('locked')).holder, { lockUntilMs }, 'holder');
    expectBetween(lockUntilMs, lease.lockedAtMs + LONGER_MS + MINUTE_MS, Number.POSITIVE_INFINITY, 'lockUntilMs');
  }),

  contractCase('a late extend succeeds if nobody took over', async ({ grantAndDie, extend, refuse }) => {
    const { fencingToken, ...lease } = await grantAndDie();
    untilOf(await extend({ ...lease, fencingToken }));
    expectFields((await refuse('locked')).holder, { fencingToken }, 'holder');
  }),

  contractCase('row 25: an extend after a takeover answers lost and leaves the successor alone', async (scene) => {
    const late = await scene.grantAndDie();
    const { fencingToken, lockUntilMs } = await scene.grant();
    expectLost(await scene.extend(late, LONGER_MS));
    expectFields((await scene.refuse('locked')).holder, { fencingToken, lockUntilMs }, 'holder');
  }),

  contractCase(
    'an extend by another attempt answers lost and leaves the holder alone',
    async ({ grant, extend, refuse }) => {
      const { lockUntilMs, ...lease } = await grant();
      expectLost(await extend({ ...lease, lockUntilMs, attemptId: newAttemptId() }, LONGER_MS));
      expectFields((await refuse('locked')).holder, { lockUntilMs }, 'holder');
    },
  ),

  contractCase(
    'F36 an extend after the release of its run answers lost and locks nothing',
    async ({ run, extend, grant }) => {
      expectLost(await extend(await run(), LONGER_MS));
      await grant();
    },
  ),

  contractCase('extend after a release that holds the lock does not prolong the hold', async (scene) => {
    const lease = await scene.run({}, { lockAtLeastForMs: LEASE_MS });
    expectLost(await scene.extend(lease, LONGER_MS));
    expectHold(scene, (await scene.refuse('lock-at-least-for')).holder?.lockUntilMs, lease, LEASE_MS);
  }),

  contractCase('F37 an extend without a record answers lost and creates no record', async (scene) => {
    expectLost(await scene.extend(await phantomLease(scene)));
    expectFields(await scene.grant(), { previous: undefined }, 'first lease');
  }),

  adminCase('F37 an extend without a record leaves no record', async (scene) => {
    await scene.extend(await phantomLease(scene));
    expectSame(await scene.record(), undefined, 'record');
  }),

  adminCase('F61 an extend after a force release answers lost', async ({ grant, force, extend }) => {
    const lease = await grant();
    await force(lease);
    expectLost(await extend(lease));
  }),

  adminCase('extend changes the end of the lease and nothing else', async ({ grant, extend, record }) => {
    const lease = await grant({ tickMs: TICK_MS });
    const { lockUntil: _, ...before } = (await record()) ?? {};
    await extend(lease, LONGER_MS);
    expectFields<object>(await record(), before, 'record');
  }),

  contractCase('an extended lease is released like any other', async ({ grant, extend, release, run }) => {
    const lease = await grant();
    await extend(lease, LONGER_MS);
    expectSame(await release(lease), 'released', 'release');
    await run();
  }),

  contractCase('F201 row 214: the clock of the store takes no step that its leases do not allow for', async (scene) => {
    const untilMs = systemClock.monotonic() + LOOK_MS;
    let last = await lookAtClock(scene);
    // A clock that a test turns may stand still: it takes no step at all.
    while (systemClock.monotonic() < untilMs) {
      const look = await lookAtClock(scene);
      const stepMs = look.lockedAtMs - last.lockedAtMs;
      const passedMs = Math.max(...look.received.map((at, n) => at - Number(last.sent[n])));
      const most = passedMs + look.laterMs + SMALL_MS;
      if (stepMs > 0) expectBetween(stepMs, 1, most, 'a step of the clock (lockedAtMs): declare its resolution');
      if (stepMs > 0 && stepMs <= SMALL_MS) return;
      last = look;
    }
  }),
];

/** Makes a lease with the name of the scene, which the store has granted for another name. */
export async function phantomLease({ harness, name, claim }: Scene): Promise<Lease> {
  const elsewhere = claim({ name: newAttemptId('c'), tickMs: TICK_MS });
  const lease = expectGranted(await harness.store.acquire(elsewhere, harness.call()), 'acquire of another name');
  return { ...lease, name };
}

function expectExtended(result: ExtendResult): void {
  expectSame(result.status, 'extended', 'extend');
}

function expectLost(result: ExtendResult): void {
  expectSame(result.status, 'lost', 'extend');
}

function untilOf(result: ExtendResult): number {
  expectExtended(result);
  return result.status === 'extended' ? result.lockUntilMs : Number.NaN;
}

/** Asks the store for its time by a grant, and the clocks of this host before and after it. */
async function lookAtClock({ claim, harness, release }: Scene) {
  const call = harness.call();
  const clocks = () => [systemClock.monotonic(), call.clock.now()];
  const asked = claim();
  const sent = clocks();
  const lease = expectGranted(await harness.store.acquire(asked, call), 'acquire');
  const received = clocks();
  expectSame(await release(lease), 'released', 'release');
  const { lockedAtMs, lockUntilMs, leaseMs } = lease;
  return { sent, received, lockedAtMs, laterMs: lockUntilMs - lockedAtMs - leaseMs };
}
