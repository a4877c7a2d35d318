import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Clock } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hurriedClock } from '../../support/clocks.js';
import { gate } from '../../support/gate.js';
import { ownProxiedLocks, runOnce } from '../../support/proxied-locks.js';
import { startSlowNetwork } from '../../support/slow-network.js';

/*
 * A real client of DynamoDB Local. Its connections take so long to set up that a second try is sent meanwhile.
 */

/** A clock that runs three times as fast, so that a test waits less whose call ends by its timers alone. */
const TIMES = 3;
const hurried = hurriedClock(TIMES);
/** When the timers that were set are due, however late they fire. */
let dueMono: number[] = [];
const clock: Clock = {
  ...hurried,
  setTimer(callback, ms) {
    dueMono.push(hurried.monotonic() + ms);
    return hurried.setTimer(callback, ms);
  },
};

const locks = await ownProxiedLocks();
// Warm up the server: its first answers take long.
await runOnce({ name: 'first', store: locks.store() });

/** A new client without connections, for which each step of a connection takes `stepMs`. */
async function cold(stepMs: number) {
  const network = await startSlowNetwork(locks.proxy.endpoint, stepMs);
  const client = new DynamoDBClient({ endpoint: network.endpoint, maxAttempts: 1 });
  onTestFinished(async () => {
    client.destroy();
    await network.stop();
  });
  const store = dynamoDBStore({ tableName: locks.tableName, client });
  const run = (name: string, options: { readonly clock?: Clock } = {}) => runOnce({ name, store, ...options });
  return { run, network };
}

describe('row 81: F98 0.9 s for the set-up of a connection, and for each request', () => {
  test('a run starts, and is released over the same connection; no other stays open', async () => {
    const { run, network } = await cold(900);
    const { outcome, tookMs } = await run('cold');

    expect(outcome).toMatchObject({ status: 'executed', release: 'released' });
    expect(tookMs).toBeGreaterThan(3 * 900);
    expect(new Set(locks.verbs())).toEqual(new Set(['acquire', 'release']));
    expect(network.made()).toBeGreaterThan(1);
    await expect.poll(network.open).toBe(1);
  });

  test('a skip is reported, once the try beside it is cancelled, and no other connection stays open', async () => {
    const { run, network } = await cold(900);
    const [held, done] = [gate(), gate()];
    const hold = async () => {
      held.open();
      await done.opened;
      return 'held';
    };
    const holder = runOnce({ name: 'held', store: locks.store() }, hold);
    await held.opened;
    locks.proxy.reset();

    expect((await run('held')).outcome).toMatchObject({ status: 'skipped', reason: 'locked' });
    expect(new Set(locks.verbs())).toEqual(new Set(['acquire', 'cancel']));
    await expect.poll(network.open).toBe(1);
    done.open();
    await holder;
  });
});

test('F3: a table that nothing reaches fails within 8 s, and no connection stays open', async () => {
  const { run, network } = await cold(60_000);
  dueMono = [];
  const startedMono = clock.monotonic();
  const { error, tookMs } = await run('black hole', { clock });

  expect(error).toMatchObject({ code: 'UNAVAILABLE' });
  expect(tookMs * TIMES).toBeGreaterThan(7_000);
  expect(Math.max(...dueMono) - startedMono).toBeLessThan(8_000);
  await expect.poll(network.open).toBe(0);
  // 7, each with a connection of its own, unless a timer that fires late takes the time of a try.
  expect(network.made()).toBeGreaterThan(2);
});
