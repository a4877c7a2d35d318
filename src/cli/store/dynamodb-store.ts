import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Clock, type LockAdminStore, LockStoreError, type StoreCall } from '../../index.js';
import type { DynamoDBStoreOptions } from '../../stores/dynamodb/dynamodb.js';
import { NOBODY } from '../known-lock.js';
import type { OpenedStore } from './open-store.js';
import { nameOfThrown, needing, PATIENCE_MS, type StorePlace, silenceWords } from './reach.js';

export interface TableAddress {
  readonly kind: 'dynamodb';
  readonly table: Omit<DynamoDBStoreOptions, 'client'>;
  readonly at: AwsPlace & { readonly endpoint?: string };
}

export interface AwsPlace {
  readonly region?: string;
  readonly profile?: string;
}

/** A table, its client, and the place to which that one sends requests. */
export interface OpenTable extends OpenedStore, Pick<TableAddress, 'kind' | 'table'> {
  readonly client: DynamoDBClient;
  readonly place: StorePlace;
}

const PACKAGES = ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb'];

export async function openDynamoDB({ kind, table, at }: TableAddress, clock: Clock): Promise<OpenTable> {
  const [{ DynamoDBClient }, { dynamoDBAdminStore, dynamoDBStore }] = await needing(PACKAGES, () =>
    Promise.all([import('@aws-sdk/client-dynamodb'), import('../../stores/dynamodb/dynamodb.js')]),
  );
  // Older SDKs read the profile only from the environment.
  if (at.profile !== undefined) process.env['AWS_PROFILE'] = at.profile;
  // This library retries.
  const client = new DynamoDBClient({ maxAttempts: 1, ...at });
  const place = placeOf(client, at.endpoint);
  // By default the SDK waits for ever.
  client.middlewareStack.add((next) => (args) => answeredInTime(next(args), clock), {
    step: 'initialize',
    priority: 'high',
  });
  const options = { client, ...table };
  const admin = withKeyCheck(dynamoDBAdminStore(options));
  return { kind, table, client, place, store: dynamoDBStore(options), admin, close: () => client.destroy() };
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
  return { words, remedy: 'check --endpoint, --region and the network' };
}

/** @throws Error of code ETIMEDOUT if no answer comes in time; the request itself ends with its client */
async function answeredInTime<T>(answer: Promise<T>, clock: Clock): Promise<T> {
  let cancel = () => {};
  const late = new Promise<never>((_, reject) => {
    const timer = clock.setTimer(() => {
      reject(Object.assign(new Error(silenceWords(PATIENCE_MS)), { code: 'ETIMEDOUT' }));
    }, PATIENCE_MS);
    cancel = () => timer.cancel();
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    cancel();
  }
}

/** Makes `list` fail for a table with another key, as a read does: its scan would just find no locks. */
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

const DENIED =
  /AccessDenied|NotAuthorized|UnrecognizedClient|Signature|ExpiredToken|Credentials|AuthenticationToken|InvalidClientTokenId|OptInRequired/;

/** Whether a client's error says that credentials are missing or wrong, or lack a right. */
export const isDenied = (error: unknown): boolean => DENIED.test(nameOfThrown(error));
