import { LockStoreError, type LockStoreErrorCode, type StoreOperation } from '../core/public/errors.js';
import { checkKnown, describe } from '../core/values/checks.js';
import { jittered, pause, systemClock } from '../core/values/clock.js';
import { errorName, readThrownText } from '../core/values/thrown.js';
import { type CompareAndSwapOptions, compareAndSwapStore } from './compare-and-swap.js';
import type { Storage, StoredRecord } from './storage.js';

/*
 * One row for each lock: its name, its record as a JSON text, and a version that every write raises. The record is a
 * text, because databases' JSON types refuse or change some values.
 */

/** Runs one statement. Resolves to its rows. */
export type Ask = (text: string, values: readonly (string | number)[]) => Promise<readonly object[]>;

/**
 * The statements of a database. Each comment lists the parameters of a statement in their order, and the columns of its
 * rows. A statement that writes returns one row if it wrote, else none.
 */
export interface Statements {
  /**
   * Parameter: `name`. Columns: `record`, `version`, `now_ms` (the database's time). Always returns one row; `record`
   * is null for a lock without a row.
   */
  readonly read: string;
  /** Parameters: `name`, `record`. */
  readonly insert: string;
  /** Parameters: `record`, `name`, `version`. */
  readonly update: string;
  /** Parameter: `prefix`. Columns: `name`, `record`. */
  readonly list: string;
}

/** The meaning of a database's error. */
export interface SqlFailure {
  readonly code: LockStoreErrorCode;
  /** The problem and the remedy. */
  readonly why: string;
  /** Whether the error proves that nothing was written. Every code but `UNAVAILABLE` also proves that. */
  readonly isUnsent?: boolean;
}

/** The parts that differ between databases. `table` is the quoted name. */
export interface Database<Client> {
  /** Returns the statement that creates a table, unless the table exists. */
  creationOf(table: string): string;
  statementsOf(table: string): Statements;
  /** @throws TypeError for a value that is not a client */
  askOf(client: Client): Ask;
  explain(error: unknown, table: string): SqlFailure;
  /** Whether an error of `creationOf` says that somebody else has just created the table. @default never */
  isMade?(error: unknown): boolean;
}

/** A table of one database, reached by a client. */
interface InTable<Client> {
  readonly client: Client;
  readonly table?: string;
}

/** Makes a store in a table. */
export function sqlStore<Client>(
  database: Database<Client>,
  { client, table, keyPrefix = '' }: InTable<Client> & Pick<CompareAndSwapOptions<string>, 'keyPrefix'>,
): ReturnType<typeof compareAndSwapStore> {
  const quoted = quotedTable(table);
  const storage = sqlStorage(database.statementsOf(quoted), database.askOf(client), (error) =>
    database.explain(error, quoted),
  );
  return compareAndSwapStore({ storage, keyPrefix });
}

function sqlStorage(statements: Statements, ask: Ask, explain: (error: unknown) => SqlFailure): Storage<string> {
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

/**
 * Reads a record. A row with somebody else's data is a corrupt record, not an absent one: its lock is granted to
 * nobody.
 */
function parsed(text: unknown): StoredRecord {
  try {
    const record: unknown = JSON.parse(String(text));
    if (typeof record === 'object' && record !== null && !Array.isArray(record)) return record as StoredRecord;
  } catch {
    // The text is not JSON.
  }
  return { state: 'unreadable' };
}

/** How long the creation of a table is tried while the database is busy or out of reach. */
const BUSY_MS = 5_000;
const LONGEST_PAUSE_MS = 500;

/**
 * Creates a table, unless it exists. Tries again while the database is busy, for example because another process
 * creates the same table. Waits for an answer for as long as the client does.
 *
 * @throws LockStoreError
 */
export async function makeTable<Client>(
  database: Database<Client>,
  client: Client,
  options: Pick<InTable<Client>, 'table'>,
): Promise<void> {
  checkKnown(options, ['table']);
  const quoted = quotedTable(options.table);
  const ask = database.askOf(client);
  const endMono = systemClock.monotonic() + BUSY_MS;
  for (;;) {
    try {
      await ask(database.creationOf(quoted), []);
      return;
    } catch (error) {
      if (database.isMade?.(error)) return;
      const { code, why } = database.explain(error, quoted);
      if (code !== 'UNAVAILABLE' || systemClock.monotonic() > endMono) {
        throw failureOf(error, { code, why: `the table was not made: ${why}` }, 'createLockTable');
      }
    }
    await pause(jittered(0, LONGEST_PAUSE_MS), systemClock, undefined);
  }
}

/**
 * Makes the error that callers see, with the name and code of the client's error. The client's message is left out,
 * because it may contain a statement.
 */
function failureOf(error: unknown, { code, why }: SqlFailure, operation: StoreOperation): LockStoreError {
  const cause = Object.assign(new Error('its message is left out, because it can hold a statement or an address'), {
    name: errorName(error),
    code: readThrownText(error, 'code'),
  });
  return new LockStoreError(why, { code, lockName: '*', operation, retryable: code === 'UNAVAILABLE', cause });
}

/** The default name of the table. */
const DEFAULT_TABLE = 'single_execution_locks';

/**
 * Returns the name of a table in quotes, so that a statement takes the name literally.
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
