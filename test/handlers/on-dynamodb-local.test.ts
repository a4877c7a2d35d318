import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { lambdaContext, scheduledEvent } from 'single-execution/testing';
import { beforeEach, expect, test, vi } from 'vitest';
import { dynamoDBLocal, freshTable } from '../support/dynamodb-local.js';

/*
 * Tests the condition expressions of the example handlers. Only the tenant's service is mocked.
 */

const { client, endpoint } = dynamoDBLocal();
const documents = DynamoDBDocumentClient.from(client);
const DATA_TABLE = await freshTable(client, { partitionKey: 'pk', sortKey: 'sk' });
vi.stubEnv('LOCK_TABLE', await freshTable(client));
vi.stubEnv('DATA_TABLE', DATA_TABLE);
vi.stubEnv('TENANT_API_URL', 'https://tenants.example/v1/');
const { handler: nightlyReport } = await import('../../handlers/nightly-report.js');
const { handler: tenantSync } = await import('../../handlers/tenant-sync.js');

// Set the endpoint before the first command, at which the SDK reads it.
beforeEach(() => {
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', endpoint);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});

const put = (Item: Record<string, unknown>) => documents.send(new PutCommand({ TableName: DATA_TABLE, Item }));
const read = async (pk: string, sk: string) =>
  (await documents.send(new GetCommand({ TableName: DATA_TABLE, Key: { pk, sk }, ConsistentRead: true }))).Item;

test('row 7: nightly-report reads its orders, and writes its report over an older one but not over a newer', async () => {
  const night = () => nightlyReport(scheduledEvent({ time: '2026-01-02T02:00:00Z' }), lambdaContext());
  const order = { pk: 'ORDERS#2026-01-01', totalCents: 250 };
  await Promise.all([put({ ...order, sk: '1' }), put({ ...order, sk: '2' })]);
  const report = { pk: 'REPORT#2026-01-01', sk: 'TOTAL', orders: 7, totalCents: 7 };

  await put({ ...report, fencingToken: 9e15 });
  await expect(night()).rejects.toThrow('The conditional request failed');
  expect(await read(report.pk, report.sk)).toEqual({ ...report, fencingToken: 9e15 });

  await put({ ...report, fencingToken: 1 });
  expect(await night()).toEqual({ reports: [{ day: '2026-01-01', orders: 2, totalCents: 500 }] });
  expect(await read(report.pk, report.sk)).toMatchObject({ orders: 2, totalCents: 500 });
});

test('row 7: tenant-sync writes contacts, and not over newer ones', async () => {
  vi.stubGlobal('fetch', async () => Response.json([{ id: '7', name: 'Ada', email: 'ada@acme.example' }]));
  const sync = (scheduledTime: string) => tenantSync({ scheduledTime, detail: { tenant: 'acme' } }, lambdaContext());

  expect(await sync('2026-01-01T00:15:00Z')).toEqual({ tenant: 'acme', synced: 1 });
  const contact = await read('TENANT#acme', 'CONTACT#7');
  expect(contact).toMatchObject({ name: 'Ada', fencingToken: expect.any(Number) });

  const newer = { ...contact, name: 'Ada Lovelace', fencingToken: 9e15 };
  await put(newer as Record<string, unknown>);
  await expect(sync('2026-01-01T00:30:00Z')).rejects.toThrow('The conditional request failed');
  expect(await read('TENANT#acme', 'CONTACT#7')).toEqual(newer);
});
