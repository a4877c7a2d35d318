import { PGlite } from '@electric-sql/pglite';
import { Client, Pool } from 'pg';
import postgres from 'postgres';
import { createPostgresTable, type PostgresClient, postgresStore } from 'single-execution/postgres';
import { type ContractHarness, lockStoreContract } from 'single-execution/testing';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { inThisRun } from '../../support/in-this-run.js';
import { memberCases } from '../../support/member-cases.js';
import { ownPostgres } from '../../support/own-servers.js';
import { startPgBouncer } from '../../support/pgbouncer.js';
import { type Rows, sqlHarness } from '../../support/sql-harness.js';

const START_MS = 120_000;
const STATEMENTS = {
  read: 'SELECT record FROM single_execution_locks WHERE name = $1',
  write: 'UPDATE single_execution_locks SET record = $1 WHERE name = $2',
};

const { server } = await ownPostgres();
const bouncer = await startPgBouncer(server.url);
afterAll(() => bouncer.stop());

interface Connected {
  readonly client: PostgresClient;
  readonly rows: Rows;
  close(): Promise<unknown>;
}

async function overPool(url: string): Promise<Connected> {
  const client = new Pool({ connectionString: url });
  return { client, rows: async (...asked) => (await client.query(...asked)).rows, close: () => client.end() };
}

async function overClient(): Promise<Connected> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  return { client, rows: async (...asked) => (await client.query(...asked)).rows, close: () => client.end() };
}

async function overPostgresJs(): Promise<Connected> {
  const client = postgres(server.url, { onnotice: () => undefined });
  return { client, rows: (...asked) => client.unsafe(...asked), close: () => client.end() };
}

async function overPGlite(): Promise<Connected> {
  const client = new PGlite();
  return { client, rows: async (...asked) => (await client.query<object>(...asked)).rows, close: () => client.close() };
}

/** A client like `neon()` of @neondatabase/serverless: a template function with a `query` that resolves to rows. */
async function overHttp(): Promise<Connected> {
  const { rows, close } = await overPool(server.url);
  const client = Object.assign(() => Promise.reject(new Error('no template')), {
    query: async (...asked: Parameters<Rows>) => rows(...asked),
  });
  return { client, rows, close };
}

const CLIENTS = inThisRun<[string, () => Promise<Connected>]>(
  [['a Pool of pg and pgbouncer in transaction mode', () => overPool(bouncer.url)]],
  [
    ['PGlite', overPGlite],
    ['a Client of pg', overClient],
    ['postgres.js', overPostgresJs],
    ['a client of the shape of neon()', overHttp],
  ],
);

describe.concurrent.each(CLIENTS)(
  'row 131: postgresStore over %s keeps the contract of all stores',
  (kind, connect) => {
    let connected: Connected;
    let harness: ContractHarness;

    beforeAll(async () => {
      connected = await connect();
      const { client, rows } = connected;
      await createPostgresTable(client);
      const keyPrefix = `${kind}:`;
      harness = sqlHarness({ store: postgresStore({ client, keyPrefix }), keyPrefix, rows, ...STATEMENTS });
    }, START_MS);
    afterAll(() => connected.close());

    for (const { name, check } of [...lockStoreContract, ...memberCases]) test(name, () => check(harness));
  },
);
