import type { LockAdminStore, LockStore } from 'single-execution';
import type { ContractHarness } from 'single-execution/testing';
import { redisHarness } from './redis-harness.js';

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

/** The statements for Postgres. */
export const POSTGRES_STATEMENTS = {
  read: 'SELECT record FROM single_execution_locks WHERE name = $1',
  write: 'UPDATE single_execution_locks SET record = $1 WHERE name = $2',
} as const;

/** The statements for SQLite. */
export const SQLITE_STATEMENTS = {
  read: 'SELECT record FROM single_execution_locks WHERE name = ?',
  write: 'UPDATE single_execution_locks SET record = ? WHERE name = ?',
} as const;
