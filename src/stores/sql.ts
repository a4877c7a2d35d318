import {
  errorName,
  LockStoreError,
  type LockStoreErrorCode,
  readThrownText,
  type StoreOperation,
} from '../core/public/errors.js';
import { describe } from '../core/values/describe.js';
import type { Storage, StoredRecord } from './storage.js';

/*
 * One row a lock: its name, its record as a JSON text, and a version that every write raises. A text keeps what JSON
 * types of databases refuse or change.
 */

/** Runs one statement. Resolves to its rows. */
export type Ask = (text: string, values: readonly (string | number)[]) => Promise<readonly object[]>;

/** The statements of a database. `now_ms` is its own time. Each write returns a row if it wrote. */
export interface Statements {
  /** `name` → `record`, `version`, `now_ms`, also without a row. */
  readonly read: string;
  /** `name record`. */
  readonly insert: string;
  /** `record name version`. */
  readonly update: string;
  /** `prefix` → `name`, `record`. */
  readonly list: string;
}

/** What an error of a database means. */
export interface SqlFailure {
  readonly code: LockStoreErrorCode;
  /** What is wrong, and the remedy. */
  readonly why: string;
  /** Nothing was written. All but `UNAVAILABLE` are so too. */
  readonly isUnsent?: boolean;
}

/** A table as a storage. */
export function sqlStorage(statements: Statements, ask: Ask, explain: (error: unknown) => SqlFailure): Storage<string> {
  const unsent = new WeakSet<object>();
  const rows: Ask = async (text, values) => {
    try {
      return await ask(text, values);
    } catch (error) {
      const explained = explain(error);
      const failure = failureOf(error, explained, 'get');
      if (explained.isUnsent) unsent.add(failure);
      throw failure;
    }
  };
  return {
    async read(key) {
      const [row] = (await rows(statements.read, [key])) as readonly Row[];
      const nowMs = Number(row?.now_ms ?? Number.NaN);
      if (row?.record == null) return { nowMs };
      return { record: parsed(row.record), version: String(row.version), nowMs };
    },
    async write(key, record, version) {
      const text = JSON.stringify(record);
      const written =
        version === undefined
          ? await rows(statements.insert, [key, text])
          : await rows(statements.update, [text, key, Number(version)]);
      return written.length > 0;
    },
    async list(prefix) {
      const found = (await rows(statements.list, [prefix])) as readonly Row[];
      return found.map(({ name, record }) => ({ key: String(name), record: parsed(record) }));
    },
    isUnsent: (error) => unsent.has(error as object),
  };
}

interface Row {
  readonly name?: unknown;
  readonly record?: unknown;
  readonly version?: unknown;
  readonly now_ms?: unknown;
}

/** What somebody else has written into a row is a corrupt record, not an absent one: nobody is granted its lock. */
function parsed(text: unknown): StoredRecord {
  try {
    const record: unknown = JSON.parse(String(text));
    if (typeof record === 'object' && record !== null && !Array.isArray(record)) return record as StoredRecord;
  } catch {
    // No JSON at all.
  }
  return { state: 'unreadable' };
}

/**
 * Makes a table, unless it is there.
 *
 * @param isThere whether an error of the statement says that another one has just made the table
 * @throws LockStoreError
 */
export async function makeTable(
  statement: string,
  ask: Ask,
  explain: (error: unknown) => SqlFailure,
  isThere: (error: unknown) => boolean = () => false,
): Promise<void> {
  try {
    await ask(statement, []);
  } catch (error) {
    if (isThere(error)) return;
    const { code, why } = explain(error);
    throw failureOf(error, { code, why: `the table was not made: ${why}` }, 'createLockTable');
  }
}

/** What callers see of a client's error: its name and code. Its message can hold a whole statement or an address. */
function failureOf(error: unknown, { code, why }: SqlFailure, operation: StoreOperation): LockStoreError {
  const cause = Object.assign(new Error('its message is left out, because it can hold a statement or an address'), {
    name: errorName(error),
    code: readThrownText(error, 'code'),
  });
  return new LockStoreError(why, { code, lockName: '*', operation, retryable: code === 'UNAVAILABLE', cause });
}

/** The name of the table where none is given. */
export const DEFAULT_TABLE = 'single_execution_locks';

/**
 * A table as statements name it: quoted, so that its name is taken as it is.
 *
 * @param table may name a schema: `jobs.locks`
 * @throws TypeError
 */
export function quotedTable(table: unknown = DEFAULT_TABLE): string {
  const parts = typeof table === 'string' ? table.split('.') : [];
  if (parts.length < 1 || parts.length > 2 || parts.some((part) => part === '' || part.includes('\0'))) {
    throw new TypeError(
      `table is ${describe(table)}: give the name of a table, or of a schema and a table: 'jobs.locks'`,
    );
  }
  return parts.map((part) => `"${part.replaceAll('"', '""')}"`).join('.');
}
