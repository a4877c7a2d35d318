import { readFile } from 'node:fs/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import { createLockTable, dynamoDBStore } from 'single-execution/dynamodb';
import { createMysqlTable } from 'single-execution/mysql';
import { createPostgresTable } from 'single-execution/postgres';
import { warmUp } from '../../support/backends/stage.js';
import { startDynamoDBOnDisk } from '../../support/dynamodb-local-process.js';
import { HOST, type RestartedServer } from '../../support/kept-server.js';
import { startMariaDB } from '../../support/mariadb.js';
import { startPostgresServer } from '../../support/postgres-server.js';
import { providePrograms } from '../../support/provided-programs.js';
import { startRedisServer } from '../../support/redis-server.js';

/** A server with all that an example needs in it. */
export interface ExampleServer extends RestartedServer {
  /** The environment of an example whose connections go to this port. */
  env(port: number): Readonly<Record<string, string>>;
}

/** A server for one example alone. It keeps its data while it is down. */
export const SERVERS = {
  async postgres(): Promise<ExampleServer> {
    const server = await startPostgresServer();
    const client = new Client({ connectionString: server.url });
    await client.connect();
    await createPostgresTable(client);
    await client.query(await tablesOfHandler());
    await client.end();
    const urlAt = (port: number) => server.url.replace(String(server.port), String(port));
    return {
      ...server,
      env: (port) => ({ DATABASE_URL: urlAt(port), RATE_API_URL: 'https://rates.example/interest' }),
    };
  },
  async mysql(): Promise<ExampleServer> {
    await providePrograms('mariadb');
    const server = await startMariaDB();
    const client = await createConnection(server.url);
    await createMysqlTable(client);
    await client.end();
    const urlAt = (port: number) => server.url.replace(String(server.port), String(port));
    return { ...server, env: (port) => ({ MYSQL_URL: urlAt(port) }) };
  },
  async redis(): Promise<ExampleServer> {
    const server = await startRedisServer({ appendOnly: true });
    return {
      ...server,
      env: (port) => ({ REDIS_URL: `redis://${HOST}:${port}`, PORTS: JSON.stringify({ 6379: port }) }),
    };
  },
  async dynamodb(): Promise<ExampleServer> {
    const server = await startDynamoDBOnDisk();
    const client = new DynamoDBClient({ endpoint: server.endpoint });
    await createLockTable(client, { tableName: 'locks' });
    client.destroy();
    return {
      ...server,
      async comeBack() {
        await server.comeBack();
        // Java loads its classes at the first requests. On a busy machine the example would give them up.
        const again = new DynamoDBClient({ endpoint: server.endpoint });
        await warmUp(dynamoDBStore({ client: again, tableName: 'locks' }));
        again.destroy();
      },
      env: (port) => ({ AWS_ENDPOINT_URL_DYNAMODB: `http://${HOST}:${port}` }),
    };
  },
};

/** The tables that a comment of `handlers/account-interest.process.ts` describes. */
async function tablesOfHandler(): Promise<string> {
  const file = new URL('../../../handlers/account-interest.process.ts', import.meta.url);
  const statements = (await readFile(file, 'utf8')).matchAll(/^ \* {3}(.*;)$/gm);
  return [...statements].map(([, statement]) => statement).join('\n');
}
