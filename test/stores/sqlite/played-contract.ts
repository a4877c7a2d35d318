import { createSqliteTable, type SqliteClient, sqliteStore } from 'single-execution/sqlite';
import { lockStoreContract } from 'single-execution/testing';
import { questionMarkStatements, type Rows, sqlHarness } from '../../support/sql-harness.js';
import { type Played, playCases } from '../play-cases.js';

export async function playContract(client: SqliteClient, rows: Rows): Promise<Played> {
  await createSqliteTable(client);
  const keyPrefix = 'played:';
  const store = sqliteStore({ client, keyPrefix });
  return playCases(lockStoreContract, sqlHarness({ store, keyPrefix, rows, ...questionMarkStatements() }));
}
