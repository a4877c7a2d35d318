import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { withSingleExecution } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';

/*
 * Copies the contacts of each tenant into our table every 15 minutes. Each tenant has a schedule and a lock of its own,
 * so tenants do not wait for each other.
 */

const { LOCK_TABLE = '', DATA_TABLE = '', TENANT_API_URL = '' } = process.env;
const FETCH_TIMEOUT_MS = 20_000;
const LOCK_PREFIX = 'tenant-sync/';

/** Input of the schedule: `{ "scheduledTime": "<aws.scheduler.scheduled-time>", "detail": { "tenant": "acme" } }`. */
interface SyncEvent {
  readonly scheduledTime: string;
  readonly detail: { readonly tenant: string };
}

interface Contact {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}));

export const handler = withSingleExecution(
  async ({ detail: { tenant } }: SyncEvent, _context, { signal, fencingToken }) => {
    const contacts = await fetchContacts(tenant, signal);
    for (const contact of contacts) await write(tenant, contact, fencingToken, signal);
    return { tenant, synced: contacts.length };
  },
  {
    // Without a tenant there is no name, and an empty name is refused.
    name: ({ detail: { tenant } }) => tenant && LOCK_PREFIX + tenant,
    store: dynamoDBStore({ tableName: LOCK_TABLE }),
    // A sync that failed is not tried again: the next sync is due in minutes and starts afresh, and retries do not help
    // a tenant whose service is down. With 'success', each of the platform's retries would run.
    tickMark: 'start',
    // A skip returns the same fields as a sync, so that programs can read either, and adds the reason and the holder.
    onSkipped: ({ name, reason, holder }) => ({
      tenant: name.slice(LOCK_PREFIX.length),
      synced: 0,
      skipped: reason,
      holder: holder?.lockedBy,
    }),
  },
);

async function fetchContacts(tenant: string, signal: AbortSignal): Promise<Contact[]> {
  const response = await fetch(new URL(`${encodeURIComponent(tenant)}/contacts`, TENANT_API_URL), {
    signal: AbortSignal.any([signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)]),
  });
  if (!response.ok) throw new Error(`contacts of tenant '${tenant}' failed: HTTP ${response.status}`);
  return (await response.json()) as Contact[];
}

async function write(tenant: string, contact: Contact, fencingToken: number, abortSignal: AbortSignal): Promise<void> {
  const put = new PutCommand({
    TableName: DATA_TABLE,
    Item: { pk: `TENANT#${tenant}`, sk: `CONTACT#${contact.id}`, ...contact, fencingToken },
    // A run that has lost its lock without noticing cannot overwrite what its successor wrote.
    ConditionExpression: 'attribute_not_exists(fencingToken) OR fencingToken <= :token',
    ExpressionAttributeValues: { ':token': fencingToken },
  });
  await documents.send(put, { abortSignal });
}
