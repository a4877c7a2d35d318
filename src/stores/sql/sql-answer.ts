import { LockStoreError, type LockStoreErrorCode } from '../../core/public/errors.js';
import { shapeOf, UnexpectedAnswer } from '../../core/request/unexpected-answer.js';
import { describe } from '../../core/values/checks.js';
import { refused } from '../storage-answer.js';

/*
 * The rows of a client, read closely. Clients answer a statement with rows, with rows and a count, with only a count,
 * with arrays, with other names of columns. Only the row that a statement asked for is an answer to it.
 */

/** A row of a lock table, as a read finds it. */
export interface FoundRow {
  /** The text of the record; undefined for a lock without a row. */
  readonly record: string | undefined;
  readonly version: number | undefined;
  /** The database's time, in epoch microseconds. */
  readonly nowUs: number;
  /** When the statement's transaction began, in epoch microseconds, if the database reports it. */
  readonly beganUs: number | undefined;
  /** Whether the statement was part of somebody else's transaction, if the database reports it. */
  readonly isInside: boolean;
}

/** A client and its database, as messages name them. */
export interface Answering {
  /** What may be passed as `client`. */
  readonly clients: string;
  /** The database and its oldest version. */
  readonly database: string;
  /** What the client answers to a write: the row that it wrote, or how many rows it wrote. */
  readonly writes: 'rows' | 'counts';
  /** Returns the name that the column `name` of an answer stands for. @default the column has the name */
  nameOf?(answered: string): string;
}

/** The columns of a read. */
const COLUMNS = ['name', 'record', 'version', 'now'];

/** Reads the answer to a read of the row of this name. @throws LockStoreError (INVALID_REQUEST, KEY_SCHEMA) */
export function readFoundRow(answer: unknown, name: string, from: Answering): FoundRow {
  const [row] = rowsOf(answer, 1) ?? [];
  if (row === undefined || !COLUMNS.every((column) => column in row)) {
    throw refused(instead('a read', answer, `one row { ${COLUMNS.join(', ')} }`, from));
  }
  const { record, version, now, began, inside } = row;
  const nowUs = countOf(now);
  if (nowUs === undefined) throw refused(`the database's time is ${describe(now)}: use ${from.database}`);
  const told = { nowUs, beganUs: countOf(began), isInside: countOf(inside) === 1 };
  const isMissing = version === null || version === undefined;
  // A database may return the name that it was asked for if the lock has no row.
  if (nameIn(row, from) !== name && !(isMissing && (row['name'] ?? null) === null)) {
    throw failure(
      'KEY_SCHEMA',
      'the table treats two lock names as one: set a type and a collation for its column name that tell all characters apart, and a character set for the client that has all characters, such as utf8mb4',
    );
  }
  if (isMissing) return { record: undefined, version: undefined, ...told };
  const count = countOf(version);
  if (count === undefined) {
    throw refused(`the version of the row is ${describe(version)}: set it to a whole number by hand, such as 1`);
  }
  if (typeof record !== 'string') {
    throw failure('KEY_SCHEMA', `the record came as ${shapeOf(record)}: the column record must be of the type text`);
  }
  return { record: count === 0 && record === EMPTY ? undefined : record, version: count, ...told };
}

/** The record of a row that a database makes before the first write of its lock: version 0, and nothing in it. */
export const EMPTY = '{}';

/**
 * Reads the answer to a write: the one row that it made, or no row. A count says less: a database that counts rows is
 * asked for one row by its key, and each write changes it.
 *
 * @returns whether it wrote
 * @throws UnexpectedAnswer
 */
export function readWrittenRow(answer: unknown, made: WrittenRow, from: Answering): boolean {
  if (from.writes === 'counts') {
    const count = affectedBy(answer);
    if (count !== undefined && count <= 1) return count === 1;
    throw new UnexpectedAnswer(instead('a write', answer, '{ affectedRows: 0 } or { affectedRows: 1 }', from));
  }
  const rows = rowsOf(answer, 1);
  const [row] = rows ?? [];
  if (rows !== undefined && row === undefined) return false;
  if (row !== undefined && row['name'] === made.name && countOf(row['version']) === made.version) return true;
  throw new UnexpectedAnswer(instead('a write', answer, 'no row, or the one row { name, version } that it made', from));
}

/** Returns the count of an answer that is one; else undefined. */
function affectedBy(answer: unknown): number | undefined {
  return typeof answer === 'object' && answer !== null && 'affectedRows' in answer
    ? countOf(answer.affectedRows)
    : undefined;
}

/** The row that a write makes. */
interface WrittenRow {
  readonly name: string;
  readonly version: number;
}

/** Reads the answer to a list. @throws LockStoreError (INVALID_REQUEST) */
export function readListedRows(
  answer: unknown,
  from: Answering,
): { readonly name: string; readonly record: unknown; readonly nowUs: number }[] {
  const rows = rowsOf(answer, Number.POSITIVE_INFINITY);
  const wanted = 'rows { name, record, now }';
  if (rows === undefined) throw refused(instead('a list', answer, wanted, from));
  return rows.map((row) => {
    const { record } = row;
    const name = nameIn(row, from);
    const nowUs = countOf(row['now']);
    if (typeof name === 'string' && 'record' in row && nowUs !== undefined) return { name, record, nowUs };
    throw refused(instead('a list', row, wanted, from));
  });
}

type Row = Readonly<Record<string, unknown>>;

function nameIn({ name }: Row, { nameOf }: Answering): unknown {
  return typeof name === 'string' && nameOf !== undefined ? nameOf(name) : name;
}

/** Returns the rows of an answer; undefined unless it is an array of at most `most` objects that are not arrays. */
function rowsOf(answer: unknown, most: number): readonly Row[] | undefined {
  if (!Array.isArray(answer) || answer.length > most) return undefined;
  const areRows = answer.every((row) => typeof row === 'object' && row !== null && !Array.isArray(row));
  return areRows ? (answer as readonly Row[]) : undefined;
}

/** Reads a whole number, whatever the client makes of it. */
function countOf(value: unknown): number | undefined {
  const isCount = typeof value === 'number' || typeof value === 'bigint' || /^\d+$/.test(String(value));
  const count = isCount ? Number(value) : Number.NaN;
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

function instead(verb: string, answer: unknown, wanted: string, { clients, writes }: Answering): string {
  const ofAll =
    writes === 'rows'
      ? 'the rows of every statement, also of an UPDATE with RETURNING,'
      : '{ affectedRows } for every INSERT and UPDATE, and to the rows of every SELECT,';
  return `the client answered ${verb} with ${shapeOf(answer)} instead of ${wanted}; pass ${clients}, or a function (text, values) => rows that resolves to ${ofAll} as objects with the names of the columns`;
}

function failure(code: LockStoreErrorCode, message: string): LockStoreError {
  return new LockStoreError(message, { code, lockName: '*', operation: 'get', retryable: false });
}
