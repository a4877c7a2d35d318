import { createSqliteTable, type SqliteClient, sqliteStore } from 'single-execution/sqlite';
import { lockStoreContract } from 'single-execution/testing';
import { type Rows, SQLITE_STATEMENTS, sqlHarness } from '../../support/sql-harness.js';

/** What a program in another runtime says of the contract over its client. */
export interface Played {
  readonly cases: number;
  readonly failed: readonly string[];
}

export async function playContract(client: SqliteClient, rows: Rows): Promise<Played> {
  await createSqliteTable(client);
  const keyPrefix = 'played:';
  const harness = sqlHarness({ store: sqliteStore({ client, keyPrefix }), keyPrefix, rows, ...SQLITE_STATEMENTS });
  const failed: string[] = [];
  for (const { name, check } of lockStoreContract) {
    await check(harness).catch((error: Error) => failed.push(`${name}: ${error.message}`));
  }
  return { cases: lockStoreContract.length, failed };
}
