import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { type FakeLockTable, fakeLockTable, lambdaContext } from 'single-execution/testing';
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';

vi.stubEnv('LOCK_TABLE', 'locks');
vi.stubEnv('DATA_TABLE', 'crm');
vi.stubEnv('TENANT_API_URL', 'https://tenants.example/v1/');
const { handler } = await import('../../handlers/tenant-sync.js');

const mock = mockClient(DynamoDBDocumentClient);
afterAll(() => mock.restore());
const fetched = vi.fn<typeof fetch>();
let locks: FakeLockTable;

beforeEach(() => {
  mock.reset();
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  locks = fakeLockTable(mock, { tableName: 'locks' });
  mock.on(PutCommand).resolves({});
  fetched
    .mockReset()
    .mockImplementation(async () => Response.json([{ id: '7', name: 'Ada', email: 'ada@acme.example' }]));
  vi.stubGlobal('fetch', fetched);
});

const sync = (tenant: string, scheduledTime = '2026-01-01T00:15:00Z') =>
  handler({ scheduledTime, detail: { tenant } }, lambdaContext());

test("copies a tenant's contacts, each guarded by the fencing token", async () => {
  expect(await sync('acme')).toEqual({ tenant: 'acme', synced: 1 });

  expect(String(fetched.mock.calls[0]?.[0])).toBe('https://tenants.example/v1/acme/contacts');
  const [put] = mock.commandCalls(PutCommand);
  const fencingToken = locks.item('tenant-sync/acme')?.['fencingToken'];
  expect(put?.args[0].input).toMatchObject({
    Item: { pk: 'TENANT#acme', sk: 'CONTACT#7', name: 'Ada', fencingToken },
    ConditionExpression: 'attribute_not_exists(fencingToken) OR fencingToken <= :token',
    ExpressionAttributeValues: { ':token': fencingToken },
  });
});

test('lets no two syncs of a tenant overlap, and no tenant wait for another', async () => {
  expect(await Promise.all([sync('acme'), sync('acme', '2026-01-01T00:30:00Z'), sync('globex')])).toMatchObject([
    { tenant: 'acme', synced: 1 },
    { tenant: 'acme', synced: 0, skipped: 'locked' },
    { tenant: 'globex', synced: 1 },
  ]);
});

test('stops the request when the function runs out of time', async () => {
  let signal: AbortSignal | null | undefined;
  fetched.mockImplementationOnce((_, init) => {
    signal = init?.signal;
    return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal?.reason)));
  });
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());

  const ended = expect(sync('acme')).rejects.toMatchObject({ name: 'RunEndedError' });
  await vi.advanceTimersByTimeAsync(60_000);
  await ended;
  expect(locks.item('tenant-sync/acme')).toMatchObject({ state: 'released', result: 'failed' });
});

test.each(['', 'a\nb', 'x'.repeat(129)])('row 13: refuses tenant %j before anything is written', async (tenant) => {
  await expect(sync(tenant)).rejects.toThrow();
  expect(locks.items()).toEqual([]);
});
