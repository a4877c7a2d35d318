import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { executeWithLock } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { dynamoDBAdminStore, dynamoDBStore } from 'single-execution/dynamodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { shiftedClock } from '../support/clocks.js';
import { dynamoDBLocal, freshTable, putItem, storedItem } from '../support/dynamodb-local.js';
import { type FaultProxy, startFaultProxy, throttle } from '../support/fault-proxy.js';

const { client: direct, endpoint } = dynamoDBLocal();
let proxy: FaultProxy;
let client: DynamoDBClient;
let tableName: string;

beforeEach(async () => {
  proxy = await startFaultProxy(endpoint);
  client = new DynamoDBClient({ endpoint: proxy.endpoint, maxAttempts: 1 });
  tableName = await freshTable(direct);
});
afterEach(async () => {
  client.destroy();
  await proxy.stop();
});

/** Makes a run. @returns its fencing token */
async function finishedRun(tick?: Date): Promise<number> {
  const store = dynamoDBStore({ tableName, client: direct });
  const options = { name: 'job', store, lockAtMostFor: '5m', observers: [], ...(tick && { tick }) } as const;
  const outcome = await executeWithLock(({ fencingToken }) => fencingToken, options);
  if (outcome.status === 'skipped') throw new Error(`skipped: ${outcome.reason}`);
  return outcome.value;
}

const isUpdate = ({ operation }: { operation: string }) => operation === 'UpdateItem';
const operations = () => proxy.requests().map(({ operation }) => operation);
const adminOf = (dynamoDB = client) => lockAdmin(dynamoDBAdminStore({ tableName, client: dynamoDB }));

const LOST_ANSWER = { name: 'LockStoreError', retryable: true };
const TICK = new Date('2026-03-01T20:00:00Z');
/** The hour before {@link TICK}. */
const GAP = { from: new Date('2026-03-01T19:00:00Z'), to: TICK, schedule: '1h' } as const;

/** A client whose scans return at most `limit` items a page. */
function pagedClient(limit: number): DynamoDBClient {
  const paged = new DynamoDBClient({ endpoint: proxy.endpoint, maxAttempts: 1 });
  paged.middlewareStack.add(
    (next) => (args) => {
      (args.input as { Limit?: number }).Limit = limit;
      return next(args);
    },
    { step: 'initialize', name: 'limitPages' },
  );
  return paged;
}

test.each([
  ['260 locks over many pages', 260, 50, false],
  ['30 locks although a page and its next try fail', 30, 10, true],
])('lists %s, each lock once', async (_, count, limit, fails) => {
  const names = Array.from({ length: count }, (_its, i) => `job-${String(i).padStart(3, '0')}`);
  await Promise.all(names.map((name) => putItem(direct, tableName, { lockName: name, fencingToken: 1 })));
  if (fails) proxy.inject({ kind: 'reset', at: 'after' }, { skip: 1 });
  if (fails) proxy.inject(throttle, { skip: 1 });
  const paged = pagedClient(limit);

  expect((await adminOf(paged).list()).map(({ name }) => name)).toEqual(names);
  if (!fails) expect(operations()).toEqual(Array.from({ length: 6 }, () => 'Scan'));
  paged.destroy();
});

test('F61 a lost answer to a force release, and a new run before it is sent again: not said to be unchanged', async () => {
  const store = dynamoDBStore({ tableName, client: direct });
  const options = { name: 'job', lockAtMostFor: '5m', observers: [] } as const;
  const other = { ...options, store: dynamoDBStore({ tableName, client: direct }) };
  proxy.inject(
    { kind: 'reset', at: 'after' },
    { when: isUpdate, meanwhile: () => executeWithLock(() => 'next', other) },
  );

  const outcome = await executeWithLock(
    ({ fencingToken }) => expect(adminOf().forceRelease('job', { fencingToken })).rejects.toMatchObject(LOST_ANSWER),
    { ...options, store },
  );
  expect(outcome).toMatchObject({ release: 'lost' });
});

test('a delete keeps what is no attribute of a lock, and leaves less than 250 bytes of it', async () => {
  const fencingToken = await finishedRun();
  const item = await storedItem(direct, tableName, { lockName: 'job' });
  await putItem(direct, tableName, { ...item, lockName: 'job', barredAttempt: 'aFjQ9zvbD7r2XlYQm0Tq1w', team: 'a' });

  expect(await adminOf().delete('job', { fencingToken })).toBe('deleted');

  const left = await storedItem(direct, tableName, { lockName: 'job' });
  expect(left).toEqual({
    lockName: 'job',
    attemptId: expect.stringMatching(/^d/),
    state: 'deleted',
    fencingToken,
    lockUntil: expect.any(Number),
    barredAttempt: 'aFjQ9zvbD7r2XlYQm0Tq1w',
    v: 1,
    team: 'a',
  });
  expect(JSON.stringify(left).length).toBeLessThan(250);
});

test('a delete fences off acquires that were sent before it, and those of a last run whose clock was ahead', async () => {
  const nowMs = Date.now();
  const fencingToken = await finishedRun();
  const before = await storedItem(direct, tableName, { lockName: 'job' });

  await adminOf().delete('job', { fencingToken });
  const { lockUntil } = (await storedItem(direct, tableName, { lockName: 'job' })) ?? {};
  expect(lockUntil).toBeGreaterThanOrEqual(nowMs);

  const releasedAt = nowMs + 60_000;
  await putItem(direct, tableName, { ...before, lockName: 'job', releasedAt, lockUntil: releasedAt + 3_600_000 });
  await adminOf().delete('job', { fencingToken });
  expect(await storedItem(direct, tableName, { lockName: 'job' })).toMatchObject({ lockUntil: releasedAt });
});

test.each<[string, () => Promise<unknown>, object, number]>([
  ['run', () => finishedRun(), { state: 'free', lastResult: 'succeeded' }, 1],
  ['pause', () => adminOf(direct).pause('job'), { state: 'paused', underlyingState: 'free' }, 0],
])('a %s between the look and the write of a delete keeps its record', async (_, meanwhile, left, runs) => {
  const fencingToken = await finishedRun();
  proxy.inject(throttle, { when: isUpdate, meanwhile });

  expect(await adminOf().delete('job', { fencingToken })).toBe('changed');
  expect(await adminOf().get('job')).toMatchObject({ ...left, fencingToken: fencingToken + runs });
});

test('a lock is not deleted while it is held by the clock of the server, whatever that of the operator says', async () => {
  const store = dynamoDBStore({ tableName, client: direct });
  const ahead = lockAdmin(dynamoDBAdminStore({ tableName, client }), { clock: shiftedClock(3_600_000) });

  await executeWithLock(
    async ({ fencingToken }) => {
      expect(await ahead.get('job')).toMatchObject({ state: 'held' });
      expect(await ahead.delete('job', { fencingToken })).toBe('held');
    },
    { name: 'job', store, lockAtMostFor: '5m', observers: [] },
  );
});

test.each<[string, () => Promise<unknown>, (fencingToken: number) => Promise<unknown>]>([
  ['delete', () => finishedRun(), (fencingToken) => adminOf().delete('job', { fencingToken })],
  ['listTicks', () => finishedRun(GAP.from), () => adminOf().backfill('job', GAP)],
])('a lost answer to %s, and a new run before it is sent again: not said to be refused', async (operation, ...acts) => {
  const [meanwhile, ask] = acts;
  const fencingToken = await finishedRun(TICK);
  proxy.inject({ kind: 'reset', at: 'after' }, { when: isUpdate, meanwhile });

  await expect(ask(fencingToken)).rejects.toMatchObject({ ...LOST_ANSWER, operation });
  expect(await adminOf().open('job')).toEqual([]);
});

test('a run between the look and the write of a backfill makes it look again', async () => {
  await finishedRun(TICK);
  proxy.inject(throttle, { when: isUpdate, meanwhile: () => finishedRun() });

  expect(await adminOf().backfill('job', GAP)).toEqual([GAP.from]);
  expect(operations()).toEqual(['GetItem', 'UpdateItem', 'UpdateItem', 'GetItem', 'UpdateItem']);
});

test.each([
  ['was never used', async () => undefined],
  ['is deleted', async () => adminOf(direct).delete('job', { fencingToken: await finishedRun() })],
])('a lost answer to a resume of a name that %s: unknown', async (_, prepare) => {
  await prepare();
  proxy.inject({ kind: 'reset', at: 'after' }, { when: isUpdate });

  expect(await adminOf().resume('job')).toBe('unknown');
});

test('F50 a table that is missing, or a role that may not, is reported as such for every verb', async () => {
  const admin = lockAdmin(dynamoDBAdminStore({ tableName: 'no-such-table', client }));
  const verbs = [
    () => admin.list(),
    () => admin.get('job'),
    () => admin.runs('job'),
    () => admin.forceRelease('job', { fencingToken: 1 }),
    () => admin.pause('job'),
    () => admin.resume('job'),
    () => admin.backfill('job', GAP),
    () => admin.forget('job', [TICK]),
    () => admin.delete('job', { fencingToken: 1 }),
  ];
  for (const verb of verbs) {
    await expect(verb()).rejects.toMatchObject({ name: 'LockStoreError', code: 'TABLE_NOT_FOUND', retryable: false });
  }

  const denied = { kind: 'error', at: 'before', status: 400, type: 'AccessDeniedException' } as const;
  proxy.inject(denied, { times: Number.POSITIVE_INFINITY });
  for (const verb of verbs) await expect(verb()).rejects.toMatchObject({ code: 'ACCESS_DENIED', retryable: false });
  await expect(verbs.at(-1)?.()).rejects.toThrow('allow it dynamodb:GetItem and dynamodb:UpdateItem on table');
});
