import { executeWithLock, type LockStore } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { dynamoDBAdminStore, dynamoDBStore } from 'single-execution/dynamodb';
import { afterAll, describe, expect, test } from 'vitest';
import { dynamoDBLocal, freshTable } from '../../support/dynamodb-local.js';
import { shiftedClock } from '../../support/shifted-clock.js';
import { putItem, storedItem } from '../../support/stored-item.js';
import { type Cost, countedClient } from './counted-client.js';
import { itemSize, writeUnits } from './item-size.js';

const { client: direct, endpoint } = dynamoDBLocal();
const call = (clock = shiftedClock(0)) => ({
  clock,
  signal: new AbortController().signal,
  tryMs: 1_000,
  budgetMs: 5_000,
  maxClockSkewMs: 1_000,
});

const table: Record<string, Cost> = {};
afterAll(() => {
  process.stdout.write('\nWhat a verb costs on DynamoDB (requests, write units):\n');
  for (const [what, { requests, writeUnits: units }] of Object.entries(table)) {
    process.stdout.write(`  ${what.padEnd(40)} ${requests}  ${units}\n`);
  }
});

describe('what a run costs', async () => {
  const tableName = await freshTable(direct);
  const { client, spent } = countedClient(endpoint);
  const store = dynamoDBStore({ tableName, client });
  const run = (name: string, tick?: Date) =>
    executeWithLock(() => 'done', { name, store, lockAtMostFor: '5m', observers: [], ...(tick && { tick }) });

  /** What was spent since the last call, kept for the table. */
  const cost = (what: string): Cost => {
    table[what] = spent();
    return table[what];
  };

  test('first use of a name: 2 requests, 2 write units', async () => {
    await run('fresh');

    expect(cost('first use of a name')).toEqual({ requests: 2, writeUnits: 2 });
  });

  test('a run: 2 requests, 2 write units, however many were before', async () => {
    for (let i = 0; i < 12; i++) await run('often');
    spent();

    await run('often', new Date());

    expect(cost('run')).toEqual({ requests: 2, writeUnits: 2 });
  });

  test('a failed run: 2 requests, 2 write units', async () => {
    const failing = executeWithLock(() => Promise.reject(new Error('boom')), {
      name: 'failing',
      store,
      lockAtMostFor: '5m',
    });
    await expect(failing).rejects.toThrow('boom');

    expect(cost('run that fails')).toEqual({ requests: 2, writeUnits: 2 });
  });

  test('a skip: 1 request, 1 write unit, whatever the reason', async () => {
    const tick = new Date();
    await executeWithLock(
      async () => {
        spent();
        expect(await run('busy')).toMatchObject({ status: 'skipped', reason: 'locked' });
        expect(cost('skip: locked')).toEqual({ requests: 1, writeUnits: 1 });
      },
      { name: 'busy', store: dynamoDBStore({ tableName, client: direct }), lockAtMostFor: '5m', tick },
    );

    expect(await run('busy', tick)).toMatchObject({ reason: 'already-executed' });
    expect(cost('skip: already-executed')).toEqual({ requests: 1, writeUnits: 1 });
    expect(await run('busy', new Date(tick.getTime() - 60_000))).toMatchObject({ reason: 'stale-tick' });
    expect(cost('skip: stale-tick')).toEqual({ requests: 1, writeUnits: 1 });
    await lockAdmin(dynamoDBAdminStore({ tableName, client: direct })).pause('busy');
    expect(await run('busy')).toMatchObject({ reason: 'paused' });
    expect(cost('skip: paused')).toEqual({ requests: 1, writeUnits: 1 });
  });

  test('a takeover: one refused write, one takeover, one release; 3 requests, 3 write units', async () => {
    await store.acquire(
      { name: 'dead', attemptId: 'a-dead', leaseMs: 1_000, lockedBy: 'dead', markTickAtStart: false },
      call(shiftedClock(-60_000)),
    );
    spent();

    expect(await run('dead')).toMatchObject({ status: 'executed', previous: { status: 'crashed' } });

    expect(cost('run that takes over from a crash')).toEqual({ requests: 3, writeUnits: 3 });
  });

  test('a run after a release that lies ahead of its clock: 3 requests, 3 write units', async () => {
    const clock = shiftedClock(60_000);
    await executeWithLock(() => 'done', { name: 'ahead', store, clock, lockAtMostFor: '5m', observers: [] });
    expect(cost('run of a host whose clock is ahead')).toEqual({ requests: 2, writeUnits: 2 });

    expect(await run('ahead')).toMatchObject({ status: 'executed', previous: { status: 'succeeded' } });

    expect(cost('run after it')).toEqual({ requests: 3, writeUnits: 3 });
  });
});

describe('the longest record', () => {
  const prefix = `${'p'.repeat(59)}/`;
  const name = 'é'.repeat(34);
  const keys = { partitionKey: 'lockName', sortKey: 'sk' };
  const key = { lockName: prefix + name, sk: 'lock' };
  const longest = { name: 'é'.repeat(80), by: 'ü'.repeat(80) };

  class Failing extends Error {
    override readonly name = longest.name;
  }

  test('30 runs, crashes, a cancel and a pause with the longest names stay within 1,024 bytes: one write unit', async () => {
    const tableName = await freshTable(direct, keys);
    const { client, spent } = countedClient(endpoint);
    const store = dynamoDBStore({ tableName, client, keyPrefix: prefix, ...keys });
    expect(Buffer.byteLength(key.lockName)).toBe(128);

    await lockAdmin(dynamoDBAdminStore({ tableName, client: direct, keyPrefix: prefix, ...keys })).pause(name, {
      until: Date.now() - 86_399_999,
      by: longest.by,
    });
    await bar(store, name);
    let largest = 0;
    for (let i = 0; i < 30; i++) {
      await acquireAndEnd(store, tableName, i);
      largest = Math.max(largest, itemSize((await storedItem(direct, tableName, key)) ?? {}));
    }
    spent();
    await acquireAndEnd(store, tableName, 31);

    const item = (await storedItem(direct, tableName, key)) ?? {};
    expect(Object.keys(item).sort()).toEqual(EVERY_ATTRIBUTE);
    expect(item['lockedBy']).toBe('w'.repeat(128));
    expect(Buffer.byteLength(String(item['error']))).toBe(64);
    table['run on the longest record'] = spent();
    expect(table['run on the longest record']).toEqual({ requests: 2, writeUnits: 2 });
    process.stdout.write(`\nThe longest record: ${largest} bytes of the 1,024 that one write unit covers\n`);
    expect(largest).toBeLessThanOrEqual(1_024);
    expect(writeUnits(largest)).toBe(1);
  });

  const EVERY_ATTRIBUTE = [
    ...['attemptId', 'barredAttempt', 'doneTick', 'error', 'fencingToken', 'leaseMs', 'lockName', 'lockUntil'],
    ...['lockedAt', 'lockedBy', 'pausedBy', 'pausedUntil'],
    ...Array.from({ length: 10 }, (_, slot) => `r${slot}`),
    ...['releasedAt', 'result', 'sk', 'state', 'tick', 'v'],
  ];

  /** One grant with the longest values: every third holder dies, every third run fails. */
  async function acquireAndEnd(store: LockStore, tableName: string, nth: number): Promise<void> {
    const tickMs = Date.now() + nth;
    const dies = nth % 3 === 0;
    const claim = {
      name,
      attemptId: `a${String(nth).padStart(22, '0')}`,
      leaseMs: 86_399_999,
      lockedBy: 'w'.repeat(128),
      tickMs,
      markTickAtStart: false,
    };
    const result = await store.acquire(claim, call());
    if (result.status === 'refused') throw new Error(`refused: ${result.reason}`);
    if (dies) return passLease(tableName);
    const error = new Failing();
    await store.release(
      result.lease,
      {
        result: nth % 3 === 1 ? 'failed' : 'succeeded',
        lockAtLeastForMs: 0,
        markTickDone: nth % 3 === 2,
        durationMs: 86_399_999,
        error: error.name,
      },
      call(),
    );
  }

  /** Lets the time of a lease pass, of which only the record knows. */
  async function passLease(tableName: string): Promise<void> {
    const item = await storedItem(direct, tableName, key);
    await putItem(direct, tableName, { ...item, lockName: key.lockName, lockUntil: Date.now() - 1_001 });
  }

  /** Leaves the bar of a cancelled attempt in the record: an acquire of which nobody heard. */
  async function bar(store: LockStore, lockName: string): Promise<void> {
    const controller = new AbortController();
    const claim = { attemptId: `a${'b'.repeat(22)}`, leaseMs: 1_000, lockedBy: 'w', markTickAtStart: false };
    const acquiring = store.acquire({ name: lockName, ...claim }, { ...call(), signal: controller.signal });
    controller.abort();
    await expect(acquiring).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  }
});
