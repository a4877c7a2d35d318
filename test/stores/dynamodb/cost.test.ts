import { readFileSync } from 'node:fs';
import { executeWithLock, type LockStore } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { dynamoDBAdminStore, dynamoDBStore } from 'single-execution/dynamodb';
import { cron } from 'single-execution/schedule';
import { afterAll, describe, expect, test } from 'vitest';
import { ticksIn } from '../../../src/core/record/open-ticks.js';
import { MOST_LISTED } from '../../../src/core/values/tick.js';
import { shiftedClock } from '../../support/clocks.js';
import { patientCall, patientStore } from '../../support/contract-harness.js';
import { dynamoDBLocal, freshTable, putItem, storedItem } from '../../support/dynamodb-local.js';
import { type Cost, countedClient } from './counted-client.js';
import { itemSize, writeUnits } from './item-size.js';

const { client: direct, endpoint } = dynamoDBLocal();
const call = (clock = shiftedClock(0)) => patientCall(clock);

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
  const store = patientStore(dynamoDBStore({ tableName, client }));
  const options = { store, lockAtMostFor: '5m', observers: [] } as const;
  const run = (name: string, tick?: Date) => executeWithLock(() => 'done', { ...options, name, ...(tick && { tick }) });

  /** The cost since the last call of this function; also stored for the table in the docs. */
  const cost = (what: string): Cost => {
    table[what] = spent();
    return table[what];
  };

  test('first use of a name: 2 requests, 2 write units', async () => {
    await run('fresh');

    expect(cost('first use of a name')).toEqual({ requests: 2, writeUnits: 2 });
  });

  test('row 2: a run: 2 requests, 2 write units, however many were before', async () => {
    for (let i = 0; i < 12; i++) await run('often');
    spent();

    await run('often', new Date());

    expect(cost('run')).toEqual({ requests: 2, writeUnits: 2 });
  });

  test('row 106: a run that leaves the trace of its span: 2 requests, 2 write units', async () => {
    const trace = `.${'A'.repeat(32)}`;
    const observer = Object.assign(() => {}, { beginTrace: () => trace });
    const traced = () =>
      executeWithLock(() => 'done', { ...options, name: 'traced', observers: [observer], tick: new Date() });
    for (let i = 0; i < 12; i++) await traced();
    spent();

    await traced();

    expect(cost('run with a trace')).toEqual({ requests: 2, writeUnits: 2 });
    expect((await storedItem(direct, tableName, { lockName: 'traced' }))?.['attemptId']).toMatch(/^a[\w-]{22}\.A{32}$/);
  });

  test('row 89: a run that catches up: 1 request and 1 write unit more for each tick', async () => {
    const hour = Math.floor(Date.now() / 3_600_000) - 4;
    const catchUp = (after: number) =>
      executeWithLock(({ tick }) => tick, {
        ...options,
        name: 'behind',
        schedule: cron('0 * * * *'),
        tick: (hour + after) * 3_600_000,
        catchUp: { mode: 'all' },
      });
    await catchUp(0);
    spent();

    expect((await catchUp(4)) as object).toMatchObject({ caughtUp: [{}, {}, {}] });

    expect(cost('run that catches up with 3 ticks')).toEqual({ requests: 5, writeUnits: 5 });
    await catchUp(4);
    expect(cost('skip of a job that catches up')).toEqual({ requests: 1, writeUnits: 1 });
  });

  test('a failed run: 2 requests, 2 write units', async () => {
    const failing = executeWithLock(() => Promise.reject(new Error('boom')), { ...options, name: 'failing' });
    await expect(failing).rejects.toThrow('boom');

    expect(cost('run that fails')).toEqual({ requests: 2, writeUnits: 2 });
  });

  test('row 2: a skip: 1 request, 1 write unit, whatever the reason', async () => {
    const tick = new Date();
    await executeWithLock(
      async () => {
        spent();
        expect(await run('busy')).toMatchObject({ status: 'skipped', reason: 'locked' });
        expect(cost('skip: locked')).toEqual({ requests: 1, writeUnits: 1 });
      },
      { ...options, name: 'busy', store: dynamoDBStore({ tableName, client: direct }), tick },
    );

    expect(await run('busy', tick)).toMatchObject({ reason: 'already-executed' });
    expect(cost('skip: already-executed')).toEqual({ requests: 1, writeUnits: 1 });
    expect(await run('busy', new Date(tick.getTime() - 60_000))).toMatchObject({ reason: 'stale-tick' });
    expect(cost('skip: stale-tick')).toEqual({ requests: 1, writeUnits: 1 });
    await lockAdmin(dynamoDBAdminStore({ tableName, client: direct })).pause('busy');
    expect(await run('busy')).toMatchObject({ reason: 'paused' });
    expect(cost('skip: paused')).toEqual({ requests: 1, writeUnits: 1 });
  });

  test('row 27: a takeover: one refused write, one takeover, one release; 3 requests, 3 write units', async () => {
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
    await executeWithLock(() => 'done', { ...options, name: 'ahead', clock });
    expect(cost('run of a host whose clock is ahead')).toEqual({ requests: 2, writeUnits: 2 });

    expect(await run('ahead')).toMatchObject({ status: 'executed', previous: { status: 'succeeded' } });

    expect(cost('run after it')).toEqual({ requests: 3, writeUnits: 3 });
  });
});

describe('the longest record', () => {
  const keys = { partitionKey: 'lockName', sortKey: 'sk' };
  const longest = {
    prefix: `${'p'.repeat(59)}/`,
    name: 'é'.repeat(34),
    lockedBy: 'w'.repeat(128),
    error: 'é'.repeat(80),
    pausedBy: 'ü'.repeat(80),
    schedule: '*'.repeat(100),
  };
  const ordinary = {
    prefix: '',
    name: 'send-the-weekly-digest',
    lockedBy: 'send-digest $LATEST eu-west-1 b7ccc76b-5239-4af8-83b9-eac2346d4987',
    error: 'ConditionalCheckFailedException',
    pausedBy: 'somebody@example.com',
    schedule: '0 9 * * MON-FRI in Europe/Berlin',
  };
  type Texts = typeof longest;

  test.each<[number, string, number, number, Texts]>([
    [8, 'ordinary', 1_024, 1, ordinary],
    [8, 'the longest', 1_304, 2, longest],
    [100, 'ordinary', 1_852, 2, ordinary],
    [100, 'the longest', 2_132, 3, longest],
  ])(
    '30 runs that catch up, crashes, a cancel, a pause and %i open ticks, all texts %s: at most %i bytes, %i write units',
    async (open, what, most, units, texts) => {
      const { prefix, name } = texts;
      const tableName = await freshTable(direct, keys);
      const { client, spent } = countedClient(endpoint);
      const store = patientStore(dynamoDBStore({ tableName, client, keyPrefix: prefix, ...keys }));
      const key = { lockName: prefix + name, sk: 'lock' };
      const stored = async () => (await storedItem(direct, tableName, key)) ?? {};

      await lockAdmin(dynamoDBAdminStore({ tableName, client: direct, keyPrefix: prefix, ...keys })).pause(name, {
        until: Date.now() - 86_399_999,
        by: texts.pausedBy,
      });
      await bar(store, name);
      let largest = 0;
      for (let nth = 0; nth < 30; nth++) {
        const died = await acquireAndEnd(store, texts, nth, open);
        if (died) await putItem(direct, tableName, { ...(await stored()), lockUntil: Date.now() - 1_001 });
        largest = Math.max(largest, itemSize(await stored()));
      }
      spent();
      await acquireAndEnd(store, texts, 30, open);

      const item = await stored();
      expect(Object.keys(item).sort()).toEqual(EVERY_ATTRIBUTE);
      expect([ticksIn(item['openTicks']).length, ticksIn(item['failedTicks']).length]).toEqual([open, 8]);
      const cost = spent();
      table[`run on a record, ${open} open ticks, texts ${what}`] = cost;
      expect(cost).toEqual({ requests: 2, writeUnits: 2 * units });
      process.stdout.write(`\nThe longest record, ${open} open ticks, texts ${what}: ${largest} bytes\n`);
      expect(largest).toBeLessThanOrEqual(most);
      expect(writeUnits(largest)).toBe(units);
    },
  );

  test('the pages show its size, and what it costs', () => {
    for (const page of ['protocol.md', 'stores/dynamodb.md']) {
      const text = readFileSync(new URL(`../../../docs/${page}`, import.meta.url), 'utf8');
      for (const bytes of ['1,304', '2,132']) expect(text).toContain(`up to ${bytes} bytes`);
    }
  });

  const EVERY_ATTRIBUTE = [
    ...['attemptId', 'barredAttempt', 'doneTick', 'error', 'failedTicks', 'fencingToken', 'leaseMs', 'lockName'],
    ...['lockUntil', 'lockedAt', 'lockedBy', 'openTicks', 'pausedBy', 'pausedUntil'],
    ...Array.from({ length: 10 }, (_, slot) => `r${slot}`),
    ...['releasedAt', 'result', 'schedule', 'sk', 'state', 'tick', 'v'],
  ];

  /**
   * Makes the nth grant. Up to number 17, holders that die, runs that fail and runs that succeed alternate; later runs
   * fail. Each run has missed as many ticks as `missed` says. Resolves to whether the holder died.
   */
  async function acquireAndEnd(
    store: LockStore,
    { name, lockedBy, error, schedule }: Texts,
    nth: number,
    missed: number,
  ): Promise<boolean> {
    const tickMs = Date.now() + nth * 60_000;
    const end = nth > 17 ? 'fails' : (['dies', 'fails', 'succeeds'] as const)[nth % 3];
    const result = await store.acquire(
      {
        name,
        attemptId: `a${String(nth).padStart(22, '0')}`,
        leaseMs: 86_399_999,
        lockedBy,
        tickMs,
        schedule,
        markTickAtStart: false,
      },
      call(),
    );
    if (result.status === 'refused') throw new Error(`refused: ${result.reason}`);
    if (end === 'dies') return true;
    const completion = {
      result: end === 'fails' ? 'failed' : 'succeeded',
      lockAtLeastForMs: 0,
      markTickDone: end === 'succeeds',
      markTickFailed: end === 'fails',
      missedTicksMs: Array.from({ length: missed }, (_, n) => tickMs - 1 - n * 1_000),
      keepTicks: missed,
      caughtUp: MOST_LISTED,
      durationMs: 86_399_999,
      error,
    } as const;
    await store.release(result.lease, completion, call());
    return false;
  }

  /** Aborts an acquire at once. Its cancel leaves the attempt in the record, as one that is refused from then on. */
  async function bar(store: LockStore, lockName: string): Promise<void> {
    const controller = new AbortController();
    const claim = { attemptId: `a${'b'.repeat(22)}`, leaseMs: 1_000, lockedBy: 'w', markTickAtStart: false };
    const acquiring = store.acquire({ name: lockName, ...claim }, { ...call(), signal: controller.signal });
    controller.abort();
    await expect(acquiring).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  }
});
