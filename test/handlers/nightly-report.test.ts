import { DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { type FakeLockTable, fakeLockTable, lambdaContext, scheduledEvent } from 'single-execution/testing';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';

vi.stubEnv('LOCK_TABLE', 'locks');
vi.stubEnv('DATA_TABLE', 'shop');
const { handler } = await import('../../handlers/nightly-report.js');

const mock = mockClient(DynamoDBDocumentClient);
afterAll(() => mock.restore());
let locks: FakeLockTable;

beforeEach(() => {
  vi.spyOn(console, 'error').mockReturnValue();
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  mock.reset();
  locks = fakeLockTable(mock, { tableName: 'locks' });
  mock.on(QueryCommand).resolves({ Items: [] });
  mock.on(PutCommand).resolves({});
});

const night = (time: string) => handler(scheduledEvent({ time }), lambdaContext());
const reports = () => mock.commandCalls(PutCommand).map(({ args }) => args[0].input.Item);
/** The item of the lock table after a run of an earlier night. */
const earlier = (tick: string, more: object) => ({
  attemptId: 'a-earlier',
  state: 'released',
  fencingToken: 1_767_225_600_000,
  lockedAt: Date.parse(tick),
  lockUntil: Date.parse(tick) + 60_000,
  tick: Date.parse(tick),
  ...more,
});

test('adds up the orders of the day before, page by page', async () => {
  mock
    .on(QueryCommand, { TableName: 'shop', ExpressionAttributeValues: { ':day': 'ORDERS#2026-01-01' } })
    .resolvesOnce({ Items: [{ totalCents: 1_999 }, { totalCents: 501 }], LastEvaluatedKey: { pk: 'p', sk: 's' } })
    .resolvesOnce({ Items: [{ totalCents: 10_000 }] });

  const report = { orders: 3, totalCents: 12_500 };
  expect(await night('2026-01-02T02:00:00Z')).toEqual({ reports: [{ day: '2026-01-01', ...report }] });
  expect(reports()).toEqual([
    { pk: 'REPORT#2026-01-01', sk: 'TOTAL', ...report, fencingToken: locks.item('nightly-report')?.['fencingToken'] },
  ]);
});

test('skips the second delivery of a night', async () => {
  await night('2026-01-02T02:00:00Z');

  expect(await night('2026-01-02T02:00:00Z')).toMatchObject({ status: 'skipped', reason: 'already-executed' });
  expect(reports()).toHaveLength(1);
});

test('leaves the night open when it fails, so that the retry runs', async () => {
  mock.on(QueryCommand).rejectsOnce(new Error('throttled')).resolves({ Items: [] });

  await expect(night('2026-01-02T02:00:00Z')).rejects.toThrow('throttled');
  expect(locks.item('nightly-report')).toMatchObject({ state: 'released', result: 'failed' });
  expect(await night('2026-01-02T02:00:00Z')).toMatchObject({ reports: [{ day: '2026-01-01' }] });
});

test('makes up for a night that failed for good and for nights that never came', async () => {
  locks.put('nightly-report', earlier('2026-01-02T02:00:00Z', { result: 'failed' }));

  expect(await night('2026-01-05T02:00:00Z')).toMatchObject({
    reports: [{ day: '2026-01-01' }, { day: '2026-01-02' }, { day: '2026-01-03' }, { day: '2026-01-04' }],
  });
});

test('fails rather than overwrite what a successor wrote', async () => {
  const refused = Object.assign(new Error('refused'), { name: 'ConditionalCheckFailedException' });
  mock.on(PutCommand).rejects(refused);

  await expect(night('2026-01-02T02:00:00Z')).rejects.toBe(refused);
  expect(locks.item('nightly-report')).not.toHaveProperty('doneTick');
});
