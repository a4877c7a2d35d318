import { Pool } from 'pg';
import type { LockAdminStore, LockStore } from 'single-execution';
import { createMysqlTable, type MysqlClient, mysqlStore } from 'single-execution/mysql';
import { createPostgresTable, type PostgresClient, postgresStore } from 'single-execution/postgres';
import { createSqliteTable, type SqliteClient, sqliteStore } from 'single-execution/sqlite';
import type { ContractCase, ContractHarness } from 'single-execution/testing';
import { playCases } from '../stores/play-cases.js';
import { claim } from '../support/one-run.js';
import { postgresStatements, questionMarkStatements, type Rows, sqlHarness } from '../support/sql-harness.js';
import { identityOf, type Played } from './matrix.js';
import type { SqlClient } from './sql-client.js';

export async function playPostgres(
  which: SqlClient<PostgresClient>,
  url: string,
  cases: readonly ContractCase[],
): Promise<Played> {
  const pool = new Pool({ connectionString: url, max: 2 });
  const rows: Rows = async (...asked) => (await pool.query(...asked)).rows;
  try {
    return await playOver(
      { which, address: url, create: createPostgresTable, store: postgresStore },
      { rows, ...postgresStatements() },
      cases,
    );
  } finally {
    await pool.end();
  }
}

/** Plays cases over a client of MySQL. Clients can share a database. @param rows runs statements of the test */
export async function playMysql(
  which: SqlClient<MysqlClient>,
  { url, rows }: { readonly url: string; readonly rows: Rows },
  cases: readonly ContractCase[],
): Promise<Played> {
  return playOver(
    { which, address: url, create: createMysqlTable, store: mysqlStore },
    { rows, ...questionMarkStatements() },
    cases,
  );
}

export async function playSqlite(
  which: SqlClient<SqliteClient>,
  file: string,
  cases: readonly ContractCase[],
): Promise<Played> {
  return playOver(
    { which, address: file, create: createSqliteTable, store: sqliteStore },
    questionMarkStatements(),
    cases,
  );
}

/** A client of a database, and the functions of the database's door. */
interface Over<Client> {
  readonly which: SqlClient<Client>;
  readonly address: string;
  create(client: Client): Promise<void>;
  store(options: {
    readonly client: Client;
    readonly keyPrefix?: string;
    readonly table?: string;
  }): LockStore & LockAdminStore;
}

interface Statements {
  readonly read: string;
  readonly write: string;
  /** @default what the connected client has, or the client itself */
  readonly rows?: Rows;
}

async function playOver<Client>(
  { which, address, create, store }: Over<Client>,
  { rows, ...statements }: Statements,
  cases: readonly ContractCase[],
): Promise<Played> {
  const connected = await which.connect(address);
  const { client } = connected;
  try {
    await create(client);
    const keyPrefix = `${which.package} ${which.kind}:`;
    const own = connected.rows ?? rows ?? (client as Rows);
    const harness = sqlHarness({ store: store({ client, keyPrefix }), keyPrefix, rows: own, ...statements });
    const missing = toldOfMissingTable(store({ client, table: 'nowhere' }), harness);
    const nothing = listOfNothing(store({ client, keyPrefix: 'nobody has this prefix:' }), harness);
    return { ...identityOf(which), ...(await playCases([...cases, missing, nothing], harness)) };
  } finally {
    await connected.close();
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

/** One more case: a client can answer without rows otherwise than with rows. */
function listOfNothing(store: LockAdminStore, harness: ContractHarness): Case {
  return {
    name: 'a list that finds nothing is empty',
    async check() {
      const found = await store.list(harness.call());
      if (found.length > 0) throw new Error(`${found.length} locks`);
    },
  };
}

type Case = Pick<ContractCase, 'name' | 'check'>;
