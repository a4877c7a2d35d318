import type { LockAdminStore, LockStore } from 'single-execution';
import { dynamoDBAdminStore, dynamoDBStore } from 'single-execution/dynamodb';
import { postgresStore } from 'single-execution/postgres';

export const TABLE = 'locks';
export const ENGINES = ['dynamodb', 'postgres'] as const;

/** A database of the demo, which speaks HTTP. */
export interface Engine {
  readonly kind: (typeof ENGINES)[number];
  readonly endpoint: string;
}

export function storesOf({ kind, endpoint }: Engine): { readonly store: LockStore; readonly admin: LockAdminStore } {
  if (kind === 'postgres') {
    const client = async (text: string, values: (string | number)[]) => {
      const answer = await fetch(endpoint, { method: 'POST', body: JSON.stringify({ text, values }) });
      return (await answer.json()) as object[];
    };
    const store = postgresStore({ client, table: TABLE });
    return { store, admin: store };
  }
  // The engine asks for credentials, and for none in particular.
  const credentials = { AWS_REGION: 'local', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
  Object.assign(process.env, { ...credentials, AWS_ENDPOINT_URL_DYNAMODB: endpoint });
  return { store: dynamoDBStore({ tableName: TABLE }), admin: dynamoDBAdminStore({ tableName: TABLE }) };
}
