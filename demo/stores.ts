import type { LockStore } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { postgresStore } from 'single-execution/postgres';

export const TABLE = 'locks';
export const ENGINES = ['dynamodb', 'postgres'] as const;

/** A database of the demo, reached over HTTP. */
export interface Engine {
  readonly kind: (typeof ENGINES)[number];
  readonly endpoint: string;
}

export function storeOf({ kind, endpoint }: Engine): LockStore {
  if (kind === 'postgres') {
    const client = async (text: string, values: (string | number)[]) => {
      const answer = await fetch(endpoint, { method: 'POST', body: JSON.stringify({ text, values }) });
      return (await answer.json()) as object[];
    };
    return postgresStore({ client, table: TABLE });
  }
  // DynamoDB Local asks for credentials, but accepts any.
  const credentials = { AWS_REGION: 'local', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
  Object.assign(process.env, { ...credentials, AWS_ENDPOINT_URL_DYNAMODB: endpoint });
  return dynamoDBStore({ tableName: TABLE });
}
