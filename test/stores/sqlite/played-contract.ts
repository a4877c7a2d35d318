import { createSqliteTable, type SqliteClient, sqliteStore } from 'single-execution/sqlite';
import { lockStoreContract } from 'single-execution/testing';
import { questionMarkStatements, type Rows, sqlHarness } from '../../support/sql-harness.js';

/** How many cases are played at the same time: most of them wait for a lease to end. */
const LANES = 8;

/** The results of the contract in another runtime, over that runtime's client. */
export interface Played {
  readonly cases: number;
  readonly failed: readonly string[];
}

export async function playContract(client: SqliteClient, rows: Rows): Promise<Played> {
  await createSqliteTable(client);
  const keyPrefix = 'played:';
  const harness = sqlHarness({
    store: sqliteStore({ client, keyPrefix }),
    keyPrefix,
    rows,
    ...questionMarkStatements(),
  });
  const failed: string[] = [];
  const left = lockStoreContract.values();
  const lane = async () => {
    for (const { name, check } of left) {
      await check(harness).catch((error: Error) => failed.push(`${name}: ${error.message}`));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return { cases: lockStoreContract.length, failed };
}
