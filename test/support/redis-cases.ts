import type { Claim, StoreCall } from 'single-execution';
import { listOf } from '../../src/core/record/open-ticks.js';
import { giveUp } from '../../src/testing/contract/acquire.js';
import { type ContractCase, contractCase } from '../../src/testing/contract/stage/case.js';
import {
  expectBetween,
  expectGranted,
  expectRejection,
  expectSame,
} from '../../src/testing/contract/stage/expectation.js';
import { HOLD_MS, LEASE_MS, type Scene, TICK_MS } from '../../src/testing/contract/stage/scene.js';

const UNANSWERED = { name: 'LockStoreError', code: 'UNAVAILABLE' };
const ENDED = { name: 'LockStoreError', code: 'UNAVAILABLE', retryable: true };
/** A number that JavaScript and Lua cannot distinguish from its neighbours. */
const UNSAFE_TOKEN = '9007199254740993';

/**
 * What Redis promises beyond the contract of all stores. Its clock does not refuse late requests, so ended attempts are
 * refused by their ids. Its numbers pass through Lua.
 */
export const redisCases: readonly ContractCase[] = [
  contractCase('F5 an attempt that was released takes nothing after its successor', async (scene) => {
    const asked = scene.claim();
    await scene.release(expectGranted(await scene.acquire(asked), 'acquire'));
    await scene.run();
    await expectEnded(scene, asked);
  }),

  contractCase('F5 an attempt that was taken over from takes nothing after its successor', async (scene) => {
    const asked = scene.claim({ leaseMs: scene.harness.shortLeaseMs });
    await scene.harness.expire(expectGranted(await scene.acquire(asked), 'acquire'));
    await scene.run();
    await expectEnded(scene, asked);
  }),

  redisCase('F5 an attempt that was forced to end takes nothing', async (scene) => {
    const asked = scene.claim();
    await scene.force(expectGranted(await scene.acquire(asked), 'acquire'));
    await expectEnded(scene, asked);
  }),

  redisCase('F5 an attempt that was released takes nothing after its lock was deleted', async (scene) => {
    const asked = scene.claim();
    const lease = expectGranted(await scene.acquire(asked), 'acquire');
    await scene.release(lease);
    await scene.remove(lease);
    await expectEnded(scene, asked);
  }),

  redisCase('F5 an attempt whose lock was deleted after its lease takes nothing', async (scene) => {
    const asked = scene.claim({ leaseMs: scene.harness.shortLeaseMs });
    const lease = expectGranted(await scene.acquire(asked), 'acquire');
    await scene.harness.expire(lease);
    expectSame(await scene.remove(lease), 'deleted', 'delete');
    await expectEnded(scene, asked);
  }),

  contractCase('F5 the last twenty attempts that ended take nothing', async (scene) => {
    const asked = scene.claim();
    await scene.release(expectGranted(await scene.acquire(asked), 'acquire'));
    for (let n = 0; n < 19; n++) await scene.run();
    await expectEnded(scene, asked);
  }),

  redisCase('F88 no more than twenty ended attempts are kept, each of them once', async ({ run, record }) => {
    for (let n = 0; n < 22; n++) await run();
    const { barredAttempts } = (await record()) as { readonly barredAttempts?: string };
    expectSame(new Set(barredAttempts?.split(',')).size, 20, 'different ended attempts');
    expectSame(barredAttempts?.split(',').length, 20, 'ended attempts');
  }),

  contractCase('F6 an attempt given up while it was under way, and refused, takes nothing later', async (scene) => {
    const lease = await scene.grant();
    const asked = scene.claim();
    await expectRejection(giveUp(scene, asked), { name: 'LockStoreError' }, 'acquire that was given up');
    await scene.release(lease);
    await expectEnded(scene, asked);
  }),

  contractCase('F6 an attempt given up again and again takes one place among the last twenty', async (scene) => {
    const asked = scene.claim();
    await scene.release(expectGranted(await scene.acquire(asked), 'acquire'));
    const lease = await scene.grant();
    const other = scene.claim();
    for (let n = 0; n < 20; n++) {
      await expectRejection(giveUp(scene, other), { name: 'LockStoreError' }, 'acquire that was given up');
    }
    await scene.release(lease);
    await expectEnded(scene, asked);
  }),

  redisCase('lockAtLeastFor counts from the release where the clock is behind the grant by then', async (scene) => {
    const lease = await scene.grant();
    await scene.patch({ lockedAt: lease.lockedAtMs + LEASE_MS });
    await scene.release(lease, { lockAtLeastForMs: HOLD_MS });
    const { lockUntil = 0, releasedAt = 0 } = (await scene.record()) ?? {};
    expectSame(Number(lockUntil), Number(releasedAt) + HOLD_MS, 'lockUntil');
  }),

  redisCase('F79 the token of an older record, brought back, is raised to the time', async ({ run, patch, grant }) => {
    const { fencingToken } = await run();
    await patch({ fencingToken: TICK_MS });
    const next = await grant();
    expectBetween(next.fencingToken, fencingToken, next.lockedAtMs, 'fencing token');
  }),

  redisCase('F14 a crash is remembered also in a list that cannot be read', async (scene) => {
    await scene.grantAndDie({ tickMs: TICK_MS });
    const words = Array.from({ length: 9 }, (_, n) => `and so on, zzzzzzzzzz${n}`).join();
    await scene.patch({ failedTicks: `,no list,${listOf([TICK_MS - 60_000])}${words}` });
    await scene.grant();
    expectSame((await scene.record())?.failedTicks, listOf([TICK_MS - 60_000, TICK_MS]), 'failedTicks');
  }),

  redisCase('ticks that crashed are in order also where one of them has a digit more', async (scene) => {
    // This instant is in 2059, and the first one with nine digits in base 36.
    const nineDigits = 36 ** 8;
    const ticks = [-8, -7, -6, -5, -4, -3, -2, -1, 0].map((minute) => nineDigits + minute * 60_000);
    await scene.run({ tickMs: nineDigits - 9 * 60_000 });
    for (const tickMs of ticks.toReversed()) await scene.grantAndDie({ tickMs });
    await scene.grant();
    expectSame((await scene.record())?.failedTicks, listOf(ticks), 'failedTicks');
  }),

  contractCase('F124 an acquire that arrives when its call is over takes nothing', async (scene) => {
    await scene.run();
    await expectRejection(scene.harness.store.acquire(scene.claim(), over(scene)), UNANSWERED, 'acquire');
    await scene.grant();
  }),

  redisCase('F124 an extension that arrives when its call is over moves nothing', async (scene) => {
    const lease = await scene.grant();
    await scene.extend(lease);
    const { lockUntil } = (await scene.record()) ?? {};
    const late = scene.harness.store.extend(lease, { leaseMs: 2 * LEASE_MS }, over(scene));
    await expectRejection(late, UNANSWERED, 'extend');
    expectSame((await scene.record())?.lockUntil, lockUntil, 'lockUntil');
  }),

  redisCase('F86 a token that is not a safe integer stays as it is, and the lock stays free', async (scene) => {
    await scene.run();
    await scene.patch({ fencingToken: UNSAFE_TOKEN });
    await expectRejection(scene.acquire(scene.claim()), { name: 'CorruptLockError' }, 'acquire');
    await scene.patch({ fencingToken: TICK_MS });
    await scene.grant();
  }),
];

/** A call that is over before its request is sent, as for a request that waits in a client's queue. */
const over = ({ harness }: Scene): StoreCall => ({ ...harness.call(), budgetMs: -1_000 });

function redisCase(name: string, play: (scene: Scene) => Promise<void>): ContractCase {
  return contractCase(name, play, ['admin', 'patch']);
}

async function expectEnded({ acquire, grant }: Scene, asked: Claim): Promise<void> {
  await expectRejection(acquire(asked), ENDED, 'acquire of an attempt that has ended');
  await grant();
}
