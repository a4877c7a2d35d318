import { createServer } from 'node:http';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PGlite } from '@electric-sql/pglite';
import { createLockTable } from 'single-execution/dynamodb';
import { createPostgresTable } from 'single-execution/postgres';
import { startDynamoDBLocal } from '../test/support/dynamodb-local-process.js';
import { bodyOf } from '../test/support/http-answer.js';
import { listening } from '../test/support/loopback.js';
import type { CleanUps } from '../test/support/play/command.js';
import { type Engine, TABLE } from './stores.js';

/**
 * Starts the database of the demo.
 *
 * @param kind if absent: the real DynamoDB Local if it can run here, else Postgres
 * @throws Error if the given kind cannot start
 */
export async function startEngine(kind: Engine['kind'] | undefined, cleanUps: CleanUps): Promise<Engine> {
  if (kind === 'postgres') return startPostgres(cleanUps);
  try {
    return await startDynamoDB(cleanUps);
  } catch (error) {
    if (kind) throw error;
    console.log(`No DynamoDB Local: ${(error as Error).message.split('\n')[0]}`);
    return startPostgres(cleanUps);
  }
}

async function startDynamoDB(cleanUps: CleanUps): Promise<Engine> {
  const { endpoint, stop } = await startDynamoDBLocal();
  cleanUps.push(stop);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint, region: 'local', credentials });
  await createLockTable(client, { tableName: TABLE });
  client.destroy();
  return { kind: 'dynamodb', endpoint };
}

/** Starts PGlite, a Postgres in this process. A request has a statement and its values; the answer has the rows. */
async function startPostgres(cleanUps: CleanUps): Promise<Engine> {
  const database = new PGlite();
  cleanUps.push(() => database.close());
  await createPostgresTable(database, { table: TABLE });
  const server = createServer(async (incoming, outgoing) => {
    const { text, values } = JSON.parse(String(await bodyOf(incoming)));
    const { rows } = await database.query(text, values);
    outgoing.end(JSON.stringify(rows));
  });
  const port = await listening(server);
  cleanUps.push(async () => server.close());
  return { kind: 'postgres', endpoint: `http://127.0.0.1:${port}` };
}
