import type { Lease, MarkResult } from '../../core/ports/lock-store.js';
import { listOf } from '../../core/record/open-ticks.js';
import { newAttemptId } from '../../core/values/names.js';
import { MOST_LISTED } from '../../core/values/tick.js';
import { phantomLease } from './extend.js';
import { adminCase, type ContractCase, contractCase } from './stage/case.js';
import { expectBetween, expectFields, expectSame } from './stage/expectation.js';
import { isOpenOnce, LEASE_MS, type Scene, tick, ticks } from './stage/scene.js';

const LONGER_MS = 2 * LEASE_MS;
const MINUTE_MS = 60_000;
const FAILED = { result: 'failed' } as const;

/** Cases for `mark`: a run with `catchUp` records the older ticks that it has run. */
export const markCases: readonly ContractCase[] = [
  contractCase('row 89: a mark records a tick as done while its run holds the lock', async (scene) => {
    await scene.run(tick(0));
    const marked = await markedBy(scene, await scene.grant(tick(3)), 1);
    await scene.refuse('already-executed', tick(1));
    await scene.refuse('stale-tick', tick(0));
    await scene.refuse('locked', tick(2));
    await scene.release(marked);
    await scene.refuse('already-executed', tick(3));
    await scene.refuse('stale-tick', tick(1));
  }),

  contractCase('row 89: a mark of an open tick closes it, and does not change the newest tick done', async (scene) => {
    await scene.run(tick(0), FAILED);
    await scene.run(tick(2));
    const marked = await markedBy(scene, await scene.grant(tick(3)), 0);
    await scene.refuse('stale-tick', tick(0));
    await scene.refuse('already-executed', tick(2));
    await scene.release(marked, FAILED);
    await scene.refuse('stale-tick', tick(0));
    await scene.run(tick(3));
  }),

  contractCase('a mark leaves other listed ticks open', async (scene) => {
    await failThenDo(scene, [0, 1, 2], 3);
    await scene.release(await markedBy(scene, await scene.grant(tick(4)), 1));
    await scene.refuse('stale-tick', tick(1));
    for (const minute of [0, 2]) await isOpenOnce(scene, minute);
  }),

  contractCase('a mark opens the failed ticks that it has passed', async (scene) => {
    for (const minute of [0, 2]) await scene.run(tick(minute), FAILED);
    await scene.release(await markedBy(scene, await scene.grant(tick(4)), 1), { markTickDone: false });
    await scene.refuse('already-executed', tick(1));
    await isOpenOnce(scene, 0);
  }),

  contractCase('a mark keeps the failed ticks that it has not passed', async (scene) => {
    for (const minute of [0, 2]) await scene.run(tick(minute), FAILED);
    await scene.release(await markedBy(scene, await scene.grant(tick(4)), 1), { markTickDone: false });
    await scene.run(tick(3));
    await isOpenOnce(scene, 2);
  }),

  contractCase('marks and the release build on one another by the lease that a mark brings', async (scene) => {
    await failThenDo(scene, [0, 1, 2], 3);
    const first = await markedBy(scene, await scene.grant(tick(6)), 0);
    expectSame(openOf(first), `${ticks(1, 2)}`, 'open after the first mark');
    const second = await markedBy(scene, first, 1);
    expectSame(openOf(second), `${ticks(2)}`, 'open after the second mark');
    const third = await markedBy(scene, second, 4);
    expectFields(third, { doneTickMs: tick(4).tickMs, tickMs: tick(6).tickMs }, 'lease');
    await scene.release(third);
    for (const minute of [0, 1, 4]) await scene.refuse('stale-tick', tick(minute));
    await isOpenOnce(scene, 2);
  }),

  contractCase('a grant returns the ticks that a run can catch up with', async (scene) => {
    await failThenDo(scene, [0, 1], 2);
    await scene.run(tick(3), FAILED);
    const lease = await scene.grant(tick(4));
    expectFields(lease, { doneTickMs: tick(2).tickMs }, 'lease');
    expectSame(openOf(lease), `${ticks(0, 1, 3)}`, 'open');
  }),

  contractCase('a run that takes over from a crash sees the marks of the one that crashed', async (scene) => {
    const { shortLeaseMs: leaseMs } = scene.harness;
    await failThenDo(scene, [0, 1], 2);
    const marked = await markedBy(scene, await scene.grant({ ...tick(4), leaseMs }), 0, { leaseMs });
    await scene.harness.expire(await markedBy(scene, marked, 3, { leaseMs }));
    const lease = await scene.grant(tick(5));
    expectFields(lease, { doneTickMs: tick(3).tickMs }, 'lease');
    expectSame(openOf(lease), `${ticks(1, 4)}`, 'open');
    await scene.release(lease);
    for (const minute of [0, 3]) await scene.refuse('stale-tick', tick(minute));
    for (const minute of [1, 4]) await isOpenOnce(scene, minute);
  }),

  contractCase('ticks that are given up with a mark are stale', async (scene) => {
    await failThenDo(scene, [0, 1], 2);
    await scene.run(tick(3), FAILED);
    const lease = await scene.grant(tick(5));
    await scene.release(await markedBy(scene, lease, 4, { givenUpTicksMs: ticks(0, 3) }));
    for (const minute of [0, 3]) await scene.refuse('stale-tick', tick(minute));
    await isOpenOnce(scene, 1);
  }),

  adminCase('a mark that asks for it keeps more than eight ticks open', async (scene) => {
    const lease = await withMoreThanEight(scene);
    await scene.release(await markedBy(scene, lease, 12, { keepTicks: MOST_LISTED }));
    for (const minute of [1, 2, 8, 10, 11]) await isOpenOnce(scene, minute);
  }),

  adminCase('any other mark keeps the newest eight', async (scene) => {
    await scene.release(await markedBy(scene, await withMoreThanEight(scene), 12));
    for (const minute of [1, 2]) await scene.refuse('stale-tick', tick(minute));
    for (const minute of [3, 8, 10, 11]) await isOpenOnce(scene, minute);
  }),

  contractCase('a listed tick that fails while a run catches up stays open', async (scene) => {
    await failThenDo(scene, [0, 1], 2);
    const marked = await markedBy(scene, await scene.grant(tick(3)), 0);
    await scene.release(marked, { ...FAILED, failedTickMs: tick(1).tickMs });
    await scene.run(tick(4));
    await scene.refuse('stale-tick', tick(0));
    for (const minute of [1, 3]) await isOpenOnce(scene, minute);
  }),

  contractCase('a mark that is sent again succeeds again, and returns the end of the lease', async (scene) => {
    await scene.run(tick(0));
    const lease = await scene.grant(tick(3));
    await markedBy(scene, lease, 1);
    const { lockUntilMs, ...again } = await markedBy(scene, lease, 1);
    expectFields((await scene.refuse('locked')).holder, { lockUntilMs }, 'holder');
    expectFields(again, { doneTickMs: tick(1).tickMs }, 'lease');
  }),

  adminCase('a mark that is sent again changes only the end of the lease', async (scene) => {
    await failThenDo(scene, [0, 1], 2);
    const lease = await scene.grant(tick(3));
    await markedBy(scene, lease, 0);
    const { lockUntil = 0, ...before } = (await scene.record()) ?? {};
    await markedBy(scene, lease, 0);
    const after = await scene.record();
    expectFields<object>(after, before, 'record');
    expectBetween(after?.lockUntil, lockUntil, lockUntil + MINUTE_MS, 'lockUntil');
  }),

  contractCase('a late copy of a mark rolls no newer mark back', async (scene) => {
    await scene.run(tick(0));
    const lease = await scene.grant(tick(4));
    const last = await markedBy(scene, await markedBy(scene, lease, 1), 2);
    expectMarked(await scene.mark(lease, tick(1)));
    await scene.refuse('already-executed', tick(2));
    await scene.release(last, FAILED);
    await scene.refuse('already-executed', tick(2));
    await scene.refuse('stale-tick', tick(1));
  }),

  contractCase('a late copy of a mark opens no tick again', async (scene) => {
    await failThenDo(scene, [0, 1, 2], 3);
    const lease = await scene.grant(tick(4));
    const last = await markedBy(scene, await markedBy(scene, lease, 0), 1);
    expectMarked(await scene.mark(lease, tick(0)));
    await scene.refuse('stale-tick', tick(1));
    await scene.release(last);
    for (const minute of [0, 1]) await scene.refuse('stale-tick', tick(minute));
    await isOpenOnce(scene, 2);
  }),

  contractCase('a mark moves the end of the lease to now + leaseMs', async (scene) => {
    const lease = await scene.grant(tick(3));
    const until = lease.lockedAtMs + LONGER_MS + scene.harness.leasePadMs;
    const { lockUntilMs } = await markedBy(scene, lease, 1, { leaseMs: LONGER_MS });
    expectBetween(lockUntilMs, until, until + MINUTE_MS, 'lockUntilMs');
    expectFields((await scene.refuse('locked')).holder, { lockUntilMs }, 'holder');
  }),

  contractCase('a mark keeps a lock that would have expired', async (scene) => {
    const lease = await scene.grant({ ...tick(3), leaseMs: scene.harness.shortLeaseMs });
    await markedBy(scene, lease, 1);
    await scene.harness.expire(lease);
    await scene.refuse('locked');
  }),

  contractCase('a mark never shortens a lease', async (scene) => {
    const lease = await scene.grant(tick(3));
    const extended = await scene.extend(lease, LONGER_MS);
    const returnedMs = extended.status === 'extended' ? extended.lockUntilMs : Number.NaN;
    const { lockUntilMs } = await markedBy(scene, { ...lease, lockUntilMs: returnedMs }, 1, { leaseMs: MINUTE_MS });
    expectBetween(lockUntilMs, returnedMs, returnedMs + MINUTE_MS, 'lockUntilMs');
    expectFields((await scene.refuse('locked')).holder, { lockUntilMs }, 'holder');
  }),

  contractCase('mark returns the instant before its send on both clocks', async ({ grant, refuse, harness }) => {
    const lease = await grant(tick(3));
    // Let more time pass than rounding can hide.
    for (let asked = 0; asked < 4; asked++) await refuse('locked');
    const call = harness.call();
    const [wall, mono] = [call.clock.now(), call.clock.monotonic()];
    const marked = await harness.store.mark(lease, { ...tick(1), leaseMs: LEASE_MS }, call);
    if (marked.status === 'lost') return void expectMarked(marked);
    // A store rounds the wall clock to a whole millisecond in `firstSentWall`.
    expectBetween(marked.firstSentWall, wall - 2, call.clock.now() + 2, 'firstSentWall');
    expectBetween(marked.firstSentMono, mono, call.clock.monotonic(), 'firstSentMono');
  }),

  contractCase('a late mark succeeds if nobody took over', async (scene) => {
    await markedBy(scene, await scene.grantAndDie(tick(3)), 1);
    await scene.refuse('already-executed', tick(1));
    await scene.refuse('locked', tick(2));
  }),

  contractCase('a mark after the release of its run answers lost, and its tick stays open', async (scene) => {
    await scene.run(tick(0));
    expectLost(await scene.mark(await scene.run(tick(3), FAILED), tick(1)));
    await scene.run(tick(1));
  }),

  contractCase('a mark after a takeover answers lost, and leaves the successor and the tick alone', async (scene) => {
    const late = await scene.grantAndDie(tick(3));
    const { fencingToken, lockUntilMs } = await scene.grant(tick(3));
    expectLost(await scene.mark(late, { ...tick(1), leaseMs: LONGER_MS }));
    expectFields((await scene.refuse('locked', tick(1))).holder, { fencingToken, lockUntilMs }, 'holder');
  }),

  contractCase('a mark by another attempt answers lost, and leaves the holder and the tick alone', async (scene) => {
    const { fencingToken, lockUntilMs, ...lease } = await scene.grant(tick(3));
    const foreign = { ...lease, fencingToken, lockUntilMs, attemptId: newAttemptId() };
    expectLost(await scene.mark(foreign, { ...tick(1), leaseMs: LONGER_MS }));
    expectFields((await scene.refuse('locked', tick(1))).holder, { fencingToken, lockUntilMs }, 'holder');
  }),

  adminCase('F61 a mark after a force release answers lost, and changes nothing', async (scene) => {
    const lease = await scene.grant(tick(3));
    await scene.force(lease);
    const before = (await scene.record()) ?? {};
    expectLost(await scene.mark(lease, tick(1)));
    expectFields<object>(await scene.record(), { ...before, doneTick: undefined }, 'record');
  }),

  adminCase('a mark without a record answers lost, and leaves no record', async (scene) => {
    expectLost(await scene.mark(await phantomLease(scene), tick(1)));
    expectSame(await scene.record(), undefined, 'record');
  }),

  adminCase('a mark changes the end of the lease and the ticks, and nothing else', async (scene) => {
    for (const minute of [0, 2]) await scene.run(tick(minute), FAILED);
    const lease = await scene.grant(tick(4));
    const { lockUntil: _, ...before } = (await scene.record()) ?? {};
    await markedBy(scene, lease, 1);
    const changed = { doneTick: tick(1).tickMs, openTicks: listOf(ticks(0)), failedTicks: listOf(ticks(2)) };
    expectFields<object>(await scene.record(), { ...before, ...changed }, 'record');
  }),
];

/** Lets ticks fail, then does a newer one, so that the failed ticks are listed as open. */
async function failThenDo({ run }: Scene, failed: readonly number[], done: number): Promise<void> {
  for (const minute of failed) await run(tick(minute), FAILED);
  await run(tick(done));
}

/**
 * Acquires a lock with ten open ticks: eight in `openTicks`, and two in `failedTicks`, which are newer than the newest
 * tick done.
 */
async function withMoreThanEight({ run, grant }: Scene): Promise<Lease> {
  await run(tick(0));
  await run(tick(9), { missedTicksMs: ticks(1, 2, 3, 4, 5, 6, 7, 8) });
  for (const minute of [10, 11]) await run(tick(minute), FAILED);
  return grant(tick(13));
}

/** Marks the tick of a minute as done, and returns the new lease. */
async function markedBy(scene: Scene, lease: Lease, minute: number, changes: object = {}): Promise<Lease> {
  return expectMarked(await scene.mark(lease, { ...tick(minute), ...changes }));
}

/** Returns the open ticks of a lease, from both lists, in ascending order. */
function openOf({ doneTickMs = 0, openTicksMs = [], failedTicksMs = [] }: Lease): string {
  return `${[...openTicksMs, ...failedTicksMs.filter((tickMs) => tickMs > doneTickMs)].sort((a, b) => a - b)}`;
}

/** @throws Error unless the tick was marked */
function expectMarked(result: MarkResult): Lease {
  expectSame(result.status, 'marked', 'mark');
  return (result as MarkResult & { readonly status: 'marked' }).lease;
}

function expectLost(result: MarkResult): void {
  expectSame(result.status, 'lost', 'mark');
}
