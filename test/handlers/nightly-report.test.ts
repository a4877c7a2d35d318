// test/infra/deployed-handlers.test.ts skips second deliveries, on-dynamodb-local.test.ts refuses to overwrite.
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

test('makes up for a night that failed for good and for nights that never came', async () => {
  const tick = Date.parse('2026-01-02T02:00:00Z');
  const earlier = { attemptId: 'a-earlier', state: 'released', fencingToken: 1_767_225_600_000, result: 'failed' };
  locks.put('nightly-report', { ...earlier, lockedAt: tick, lockUntil: tick + 60_000, tick });

  expect(await night('2026-01-05T02:00:00Z')).toMatchObject({
    reports: [{ day: '2026-01-01' }, { day: '2026-01-02' }, { day: '2026-01-03' }, { day: '2026-01-04' }],
  });
});
