import type { LockAdminStore } from '../../core/ports/lock-admin-store.js';
import type { LockStore } from '../../core/ports/lock-store.js';
import type { MemberStore } from '../../core/ports/member-store.js';
import { LockStoreError } from '../../core/public/errors.js';
import { shownCause } from '../../core/request/error-chain.js';
import { takingTurns } from '../../core/request/turns.js';
import { UnexpectedAnswer } from '../../core/request/unexpected-answer.js';
import type { Clock, Signal } from '../../core/values/clock.js';
import { readThrownText } from '../../core/values/thrown.js';
import { parsedRecord } from '../storage-answer.js';
import type { Storage, StoredRecord } from '../storage-port.js';
import { storageStore } from '../storage-store.js';
import { type NewestVersions, newestVersions } from './newest-versions.js';
import { type Answering, readFoundRow, readListedRows, readWrittenRow } from './sql-answer.js';
import { type DatabaseErrors, explain, type SqlFailure } from './sql-errors.js';
import { type Naming, quotedTable } from './sql-name.js';
import { type Part, type Statement, statementOf } from './sql-statement.js';

/*
 * One row for each lock: its name, its record as a JSON text, and a version that every write raises. The record is a
 * text, because databases' JSON types refuse or change some values.
 */

/**
 * Runs one statement. Resolves to the client's answer, which nobody has read yet.
 *
 * @param signal aborts while the statement still waits for its turn, so that it is not sent; absent for a statement that
 *   must be sent, however late
 */
export type Ask = (statement: Statement, signal?: Signal) => Promise<unknown>;

/** The statements of a database. Names of columns have no underscore, because some clients rename those. */
export interface Statements {
  /**
   * Columns: `name`, `record`, `version`, `now` (the database's time in epoch microseconds) and, if the database reports it,
   * `began` (when the transaction of the statement began). Always returns one row; `version` is null for a lock without
   * a row. `inside` is 1 if the statement is part of a transaction of the program, if the database reports that.
   */
  read(name: string): Part;
  /**
   * Makes a row of version 0 without a record, unless the lock has a row. Only for a database whose insert could wait
   * for somebody else after its condition has been judged: it writes this row first, which is harmless however late,
   * and then updates it.
   */
  make?(name: string): Part;
  /**
   * Columns: `name`, `version` of the row as it was written, or a count: see `writes` of `Answering`. Returns no row if
   * it wrote nothing.
   */
  write(row: RowToWrite): Part;
  /** Columns: `name`, `record`, `now` (the database's time in epoch microseconds). */
  list(prefix: string): Part;
}

/** A row to insert or to update. */
export interface RowToWrite {
  readonly name: string;
  readonly record: string;
  /** The version that was read; undefined for a lock without a row. */
  readonly version: number | undefined;
  /** The database's time of that read, in epoch microseconds. */
  readonly readAtUs: number;
  /** The database's time from which on the write must not be applied; undefined for a write without such an end. */
  readonly notAfterMs: number | undefined;
}

/** What a database can do, and how. Everything else about a store in a table is the same for all databases. */
export interface Database<Client> extends Answering, Naming {
  /** A parameter, as statements write it. */
  readonly parameter: '?' | '$1';
  /** The columns of a new table, beginning with `name`; see `Statements` for what they hold. */
  readonly columns: string;
  /** What follows the columns of a new table. */
  readonly tableOptions?: string;
  /** @param table the quoted name */
  statementsOf(table: string): Statements;
  /** @throws TypeError for a value that is not a client */
  askOf(client: Client): Ask;
  readonly errors: DatabaseErrors;
}

interface SqlStoreOptions<Client> {
  readonly client: Client;
  readonly table?: string;
  readonly keyPrefix?: string;
}

/** Makes a store in a table. */
export function sqlStore<Client extends object>(
  database: Database<Client>,
  { client, table, keyPrefix }: SqlStoreOptions<Client>,
): LockStore & MemberStore & LockAdminStore {
  const at = openTable(database, client, table);
  const newest = newestVersions();
  return takingTurns(
    client,
    storageStore(({ clock }) => sqlStorage(at, newest, clock), keyPrefix),
  );
}

/** A table that a client reaches. */
export interface OpenTable {
  readonly statements: Statements;
  readonly database: Answering;
  ask(statement: Part, signal?: Signal): Promise<unknown>;
  isUnsent(error: unknown): boolean;
}

/**
 * Reaches a table. Errors of the client become those that callers see.
 *
 * @throws TypeError for a name that no table can have, and for a value that is not a client
 */
export function openTable<Client>(database: Database<Client>, client: Client, table?: string): OpenTable {
  const quoted = quotedTable(database, table);
  const ask = database.askOf(client);
  const unsent = new WeakSet<object>();
  return {
    statements: database.statementsOf(quoted),
    database,
    isUnsent: (error) => unsent.has(error as object),
    async ask(part, signal) {
      const statement = statementOf(part, database.parameter);
      try {
        return await ask(statement, signal);
      } catch (error) {
        if (error instanceof UnexpectedAnswer) throw error;
        const explained =
          error instanceof OpenTransaction ? inTransaction() : explain(database.errors, error, quoted, statement.text);
        const failure = failureOf(error, explained);
        if (explained.isUnsent) unsent.add(failure);
        throw failure;
      }
    },
  };
}

function sqlStorage(
  { statements, database, ask, isUnsent }: OpenTable,
  newest: NewestVersions,
  clock: Clock,
): Storage<number> {
  /** The database's time of the latest read of each try, in epoch microseconds. */
  const readAtUs = new WeakMap<object, number>();
  return {
    async read(key, signal) {
      const found = await newest.read(key, { clock, signal }, async () =>
        readFoundRow(await ask(statements.read(key), signal), key, database),
      );
      const { record, version, nowUs, beganUs = nowUs, isInside } = found;
      // A transaction that began before an earlier read is not ours: each of our statements is a transaction.
      if (isInside || beganUs < (readAtUs.get(signal) ?? 0)) throw failureOf(new OpenTransaction(), inTransaction());
      readAtUs.set(signal, nowUs);
      const nowMs = Math.floor(nowUs / 1_000);
      return { record: record === undefined ? undefined : parsedRecord(record), version, nowMs };
    },
    async write(key, record, found, signal, notAfterMs) {
      const version = found ?? (statements.make && 0);
      if (found === undefined && statements.make) await ask(statements.make(key), signal);
      const row = {
        name: key,
        record: asciiOf(record),
        version,
        readAtUs: readAtUs.get(signal) ?? 0,
        notAfterMs,
      };
      // A write without an end is right however late it comes, so nothing takes it back.
      const answer = await ask(statements.write(row), notAfterMs === undefined ? undefined : signal);
      const made = { name: key, version: (version ?? 0) + 1 };
      if (!readWrittenRow(answer, made, database)) return false;
      newest.note(key, made.version);
      return true;
    },
    async list(prefix, signal) {
      const rows = readListedRows(await ask(statements.list(prefix), signal), database);
      return rows.map(({ name, record, nowUs }) => ({
        key: name,
        record: parsedRecord(record),
        nowMs: Math.floor(nowUs / 1_000),
      }));
    },
    isUnsent,
  };
}

/**
 * Writes a record as ASCII: a client whose character set lacks a character of it would write another one in its place,
 * which can even end the text of the JSON.
 */
function asciiOf(record: StoredRecord): string {
  return JSON.stringify(record).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A client whose connection is inside a transaction of somebody else. The statement was not sent. */
export class OpenTransaction extends Error {
  override readonly name = 'OpenTransaction';
}

function inTransaction(): SqlFailure {
  return {
    code: 'UNAVAILABLE',
    why: "the client's connection is inside a transaction of this program, which could take the lock back; nothing was written: pass a client with connections of its own, such as a pool",
    isUnsent: true,
  };
}

const LEFT_OUT = 'its message is left out, because it can hold a statement or an address';

/**
 * Makes the error that callers see, with the name and code of the client's error. The client's message is left out,
 * because it may contain a statement, unless it has only Node's words for a connection.
 */
function failureOf(error: unknown, { code, why }: SqlFailure): LockStoreError {
  const cause = shownCause(error, readThrownText(error, 'code'), LEFT_OUT);
  return new LockStoreError(why, { code, lockName: '*', operation: 'get', retryable: code === 'UNAVAILABLE', cause });
}
