import type { LockAdminStore, LockStore } from 'single-execution';
import type { ContractHarness } from 'single-execution/testing';
import { redisHarness } from './contract-harness.js';

/** Runs a statement. @returns its rows */
export type Rows = (text: string, values: (string | number)[]) => Promise<readonly object[]> | readonly object[];

export interface SqlLocks {
  readonly store: LockStore & LockAdminStore;
  readonly keyPrefix: string;
  readonly rows: Rows;
  /** The statements of this database: `read` takes `name` and returns `record`; `write` takes `record` and `name`. */
  readonly read: string;
  readonly write: string;
}

/**
 * The contract's harness on a SQL database. Only the server's clock decides, and callers' clocks are ten minutes wrong,
 * as with Redis.
 */
export function sqlHarness({ store, keyPrefix, rows, read, write }: SqlLocks): ContractHarness {
  return {
    ...redisHarness({ store, admin: store, keyPrefix, hset: async () => undefined }),
    async patch(name, attributes) {
      const key = keyPrefix + name;
      const [row] = (await rows(read, [key])) as readonly { readonly record: string }[];
      await rows(write, [JSON.stringify({ ...JSON.parse(row?.record ?? '{}'), ...attributes }), key]);
    },
  };
}

const DEFAULT_TABLE = 'single_execution_locks';

export const postgresStatements = (table = DEFAULT_TABLE) => ({
  read: `SELECT record FROM ${table} WHERE name = $1`,
  write: `UPDATE ${table} SET record = $1 WHERE name = $2`,
});

export const sqliteStatements = (table = DEFAULT_TABLE) => ({
  read: `SELECT record FROM ${table} WHERE name = ?`,
  write: `UPDATE ${table} SET record = ? WHERE name = ?`,
});
