import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../index.js';
import { AWS_DENIED } from '../../operate/table-attributes.js';
import type { DynamoDBStoreOptions } from '../../stores/dynamodb/dynamodb.js';
import type { StoreTable } from './kind.js';
import { nameOfThrown, type StorePlace, systemWords } from './reach.js';

/** A table of DynamoDB, its client, and the place to which the client sends requests. */
export interface DynamoDBTable {
  readonly client: DynamoDBClient;
  readonly place: StorePlace;
  readonly keys: Pick<DynamoDBStoreOptions, 'tableName' | 'partitionKey' | 'sortKey' | 'keyPrefix'>;
}

/** How long a server that was just started may take to answer. */
const STARTING_MS = 15_000;
const PAUSE_MS = 250;

/** The table, to be created as soon as its server answers. */
export function tableOf({ client, keys }: DynamoDBTable, clock: Clock): StoreTable {
  return {
    name: keys.tableName,
    async create() {
      const { createLockTable } = await import('../../stores/dynamodb/dynamodb.js');
      const startedMono = clock.monotonic();
      for (;;) {
        try {
          return await createLockTable(client, keys);
        } catch (error) {
          if (!mayCome(error) || clock.monotonic() - startedMono > STARTING_MS) throw error;
        }
        await new Promise<void>((resolve) => clock.setTimer(resolve, PAUSE_MS));
      }
    },
    whyNot: (error) => `${error.name}; ${error.message}${remedyOf(error)}`,
  };
}

const TOO_BUSY = /Throttl|LimitExceeded|TooManyRequests/;

/** Whether the server may answer later: it gave no answer, or was too busy. */
function mayCome(error: unknown): boolean {
  const { $metadata } = Object(error) as { readonly $metadata?: { readonly httpStatusCode?: number } };
  if (TOO_BUSY.test(nameOfThrown(error)) || Number($metadata?.httpStatusCode) >= 500) return true;
  return systemWords(error) !== undefined && !nameOfThrown(error).startsWith('ERR_');
}

/** The remedy for an error; empty if none is known. */
function remedyOf(error: unknown): string {
  if (isDenied(error)) return '; set credentials that allow dynamodb:CreateTable; DynamoDB Local takes any';
  if ((error as Error).message === 'Region is missing') return '; set AWS_REGION, or pass --region';
  return mayCome(error) ? '; start the server, or check --endpoint and the network' : '';
}

/** Whether a client's error says that credentials are missing or wrong, or lack a right. */
export function isDenied(error: unknown): boolean {
  const name = nameOfThrown(error);
  return AWS_DENIED.test(name) || name.includes('Credentials');
}
