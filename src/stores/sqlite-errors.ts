import { isUnsent } from '../core/request/try-loop.js';
import { errorName, readThrown, readThrownText } from '../core/values/thrown.js';
import type { SqlFailure } from './sql.js';

/**
 * The meanings of errors of SQLite and its clients, by code and message. Each of these errors proves that nothing was
 * written. The first match counts.
 */
const MEANINGS: readonly Meaning[] = [
  {
    says: /no such table/i,
    code: 'TABLE_NOT_FOUND',
    why: (table) => `table ${table} does not exist: make it by createSqliteTable(client), or correct table`,
  },
  {
    says: /unknown database/i,
    code: 'INVALID_REQUEST',
    why: (table) => `no database is attached under the first name of ${table}: ATTACH it, or correct table`,
  },
  {
    says: /no such column|has no column|ON CONFLICT clause does not match/i,
    code: 'KEY_SCHEMA',
    why: (table) => `table ${table} has other columns: give the store a table of its own, made by sqliteTable()`,
  },
  {
    says: /readonly|read-only/i,
    code: 'ACCESS_DENIED',
    why: () => 'the database is read-only here: open it for writing, or connect to the primary',
  },
  {
    says: /unauthorized|forbidden|\b40[13]\b|SQLITE_AUTH/i,
    code: 'ACCESS_DENIED',
    why: () => 'the database refused the credentials: check the token of the client',
  },
  {
    says: /SQLITE_CANTOPEN|unable to open/i,
    code: 'INVALID_REQUEST',
    why: () => 'the file cannot be opened: check its path and its rights',
  },
  {
    says: /database is not open|connection is not open|CLIENT_CLOSED|client is closed/i,
    code: 'UNAVAILABLE',
    why: () => 'the client is closed: keep it open while the store is used',
  },
  {
    says: /statements in progress/i,
    code: 'UNAVAILABLE',
    why: () =>
      'libSQL has kept a statement open that was refused as busy, and writes nothing meanwhile: make a new client, and give it a timeout',
  },
  {
    says: /SQLITE_BUSY|SQLITE_LOCKED|is locked/i,
    code: 'UNAVAILABLE',
    why: () => 'another process is writing to the database; try again, or set a busy timeout',
  },
  {
    says: /syntax error|no such function/i,
    code: 'INVALID_REQUEST',
    why: () => 'SQLite refused the statement: it needs SQLite 3.42 or later',
  },
];

interface Meaning {
  readonly says: RegExp;
  readonly code: SqlFailure['code'];
  /** Returns the problem and the remedy. @param table the quoted name, as in statements */
  why(table: string): string;
}

/** Finds the meaning of an error. @param table the quoted name, as in statements */
export function explain(error: unknown, table: string): SqlFailure {
  const words = `${readThrownText(error, 'code')} ${readThrownText(error, 'message')}`;
  const known = MEANINGS.find(({ says }) => says.test(words));
  if (known) return { code: known.code, why: known.why(table), isUnsent: true };
  if (isUnsent(error) || isUnsent(readThrown(error, 'cause'))) {
    return { code: 'UNAVAILABLE', why: 'the database could not be reached: check its address', isUnsent: true };
  }
  const name = readThrownText(error, 'code') || errorName(error);
  return { code: 'UNAVAILABLE', why: `no clear answer from the database (${name}); try again` };
}
