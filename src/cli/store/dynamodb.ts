import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Clock, type LockAdminStore, LockStoreError, type StoreCall } from '../../index.js';
import { quoted, wrongUse } from '../exit-code.js';
import { NOBODY } from '../findings/finding.js';
import { lookAtTable } from '../findings/look-at-table.js';
import { given } from '../read-value.js';
import { type DynamoDBTable, tableOf } from './dynamodb-table.js';
import type { NamedStore, OpenedStore, StoreKind } from './kind.js';
import { answeredInTime, needing, type StorePlace } from './reach.js';

export const dynamodb: StoreKind = {
  name: 'dynamodb',
  title: 'DynamoDB',
  option: 'table',
  options: {
    table: { value: 'NAME', help: 'the DynamoDB table of the locks; by default LOCK_TABLE of the environment' },
    'partition-key': { value: 'NAME', help: "of the table's partition key, if it is not lockName" },
    'sort-key': { value: 'NAME', help: "of the table's sort key, if it has one" },
    endpoint: { value: 'URL', help: 'of DynamoDB, such as http://127.0.0.1:8000' },
    region: { value: 'REGION', help: 'of the table; by default as the AWS SDK finds it' },
    profile: {
      value: 'PROFILE',
      help: 'of the AWS credentials; by default as the AWS SDK finds them',
      secrets: ['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
    },
  },
  variable: { name: 'LOCK_TABLE', fits: /./s },
  prefixVariable: 'LOCK_KEY_PREFIX',
  hasTable: true,
  namesTable: true,
  examined:
    "the table, its keys, its indexes, its time to live, its replicas, the rights of this role, this host's clock",
  check({ line }) {
    const endpoint = line.text('endpoint');
    if (endpoint === undefined || /^https?:\/\/./.test(URL.canParse(endpoint) ? endpoint : '')) return;
    throw wrongUse(`--endpoint is ${quoted(endpoint)}: pass a URL such as http://127.0.0.1:8000`);
  },
  open: openTable,
};

const PACKAGES = ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb'];

async function openTable({ value: tableName, line, prefix }: NamedStore, clock: Clock): Promise<OpenedStore> {
  const at = given(line, { endpoint: 'endpoint', region: 'region', profile: 'profile' });
  const keys = { tableName, ...given(line, { 'partition-key': 'partitionKey', 'sort-key': 'sortKey' }), ...prefix };
  const [{ DynamoDBClient }, { dynamoDBAdminStore, dynamoDBStore }] = await needing(PACKAGES, () =>
    Promise.all([import('@aws-sdk/client-dynamodb'), import('../../stores/dynamodb/dynamodb.js')]),
  );
  // Older SDKs read the profile only from the environment.
  if (at.profile !== undefined) process.env['AWS_PROFILE'] = at.profile;
  // The SDK must not retry, because this library does.
  const client = new DynamoDBClient({ maxAttempts: 1, ...at });
  const place = placeOf(client, at.endpoint);
  // Limit the time for an answer: by default the SDK waits for ever.
  client.middlewareStack.add((next) => (args) => answeredInTime(next(args), clock), {
    step: 'initialize',
    priority: 'high',
  });
  const options = { client, ...keys };
  const opened: DynamoDBTable = { client, place, keys };
  return {
    store: dynamoDBStore(options),
    admin: withKeyCheck(dynamoDBAdminStore(options)),
    place,
    words: `DynamoDB table ${tableName}`,
    table: tableOf(opened, clock),
    examine: (session) => lookAtTable(opened, session),
    close: () => client.destroy(),
  };
}

/** Where a client sends its requests. */
function placeOf(client: DynamoDBClient, endpoint: string | undefined): StorePlace {
  let at = endpoint;
  client.middlewareStack.add(
    (next) => (args) => {
      const { protocol, hostname, port } = args.request as URL;
      at = `${protocol}//${hostname}${port ? `:${port}` : ''}`;
      return next(args);
    },
    { step: 'build' },
  );
  const words = () => (at === undefined ? 'DynamoDB' : `DynamoDB at ${at}`);
  return { words, remedy: 'check --endpoint, --region and the network', otherKey: OTHER_KEY };
}

const OTHER_KEY =
  'the table has another key: pass its --partition-key and, if it has one, its --sort-key, both of type S; single-execution doctor shows them';

/** Makes `list` fail for a table with another key, as a read does. Its scan alone would just find no locks. */
function withKeyCheck(admin: LockAdminStore): LockAdminStore {
  let isChecked = false;
  const checkKey = async (call: StoreCall) => {
    if (isChecked) return;
    try {
      await admin.get(NOBODY, call);
      isChecked = true;
    } catch (error) {
      if (error instanceof LockStoreError && error.code === 'KEY_SCHEMA') throw error;
      // The scan reports any other problem too.
    }
  };
  return {
    ...admin,
    async list(call) {
      const [locks] = await Promise.all([admin.list(call), checkKey(call)]);
      return locks;
    },
  };
}
