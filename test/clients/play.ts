import { Pool } from 'pg';
import type { LockStore } from 'single-execution';
import { createPostgresTable, type PostgresClient, postgresStore } from 'single-execution/postgres';
import { createSqliteTable, type SqliteClient, sqliteStore } from 'single-execution/sqlite';
import type { ContractCase, ContractHarness } from 'single-execution/testing';
import { claim } from '../support/one-run.js';
import { postgresStatements, type Rows, sqlHarness, sqliteStatements } from '../support/sql-harness.js';
import { identityOf, type Played } from './matrix.js';
import type { SqlClient } from './sql-client.js';

/** How many cases of one client are played at a time: most of them wait for a lease to end. */
const LANES = 8;

export async function playPostgres(
  which: SqlClient<PostgresClient>,
  url: string,
  cases: readonly ContractCase[],
): Promise<Played> {
  const pool = new Pool({ connectionString: url, max: 2 });
  const connected = await which.connect(url);
  const { client, rows = async (...asked) => (await pool.query(...asked)).rows } = connected;
  try {
    await createPostgresTable(client);
    const keyPrefix = `${which.package} ${which.kind}:`;
    const store = postgresStore({ client, keyPrefix });
    const harness = sqlHarness({ store, keyPrefix, rows, ...postgresStatements() });
    const missing = toldOfMissingTable(postgresStore({ client, table: 'nowhere' }), harness);
    return { ...identityOf(which), ...(await played([...cases, missing], harness)) };
  } finally {
    await connected.close();
    await pool.end();
  }
}

export async function playSqlite(
  which: SqlClient<SqliteClient>,
  file: string,
  cases: readonly ContractCase[],
): Promise<Played> {
  const { client, rows, close } = await which.connect(file);
  try {
    await createSqliteTable(client);
    const keyPrefix = `${which.package} ${which.kind}:`;
    const store = sqliteStore({ client, keyPrefix });
    const harness = sqlHarness({ store, keyPrefix, rows: rows ?? (client as Rows), ...sqliteStatements() });
    const missing = toldOfMissingTable(sqliteStore({ client, table: 'nowhere' }), harness);
    return { ...identityOf(which), ...(await played([...cases, missing], harness)) };
  } finally {
    await close();
  }
}

/** One more case: the error of the database is found in what the client rejects with. */
function toldOfMissingTable(store: LockStore, harness: ContractHarness): Case {
  return {
    name: 'a missing table is told by its code',
    async check() {
      const said = await store.acquire(claim(), harness.call()).then(
        ({ status }) => status,
        (error) => String(error.code),
      );
      if (said !== 'TABLE_NOT_FOUND') throw new Error(said);
    },
  };
}

type Case = Pick<ContractCase, 'name' | 'check'>;

async function played(cases: readonly Case[], harness: ContractHarness): Promise<Pick<Played, 'cases' | 'failed'>> {
  const failed: string[] = [];
  const left = cases.values();
  const lane = async () => {
    for (const { name, check } of left) {
      await check(harness).catch((error: Error) => failed.push(`${name}: ${error.message}`));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return { cases: cases.length, failed };
}
