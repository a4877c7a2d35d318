import { isUnsent } from '../core/request/try-loop.js';
import { errorName, readThrown, readThrownText } from '../core/values/thrown.js';
import type { SqlFailure } from './sql.js';

/**
 * The meanings of Postgres's error codes. Each of these codes proves that nothing was written. The first match counts.
 */
const MEANINGS: readonly Meaning[] = [
  {
    codes: /^42501$/,
    code: 'ACCESS_DENIED',
    why: (table) => `no right to table ${table}: GRANT SELECT, INSERT, UPDATE ON ${table} TO the role of this client`,
  },
  {
    codes: /^28/,
    code: 'ACCESS_DENIED',
    why: () => 'Postgres refused the login: give the client the right user and password',
  },
  {
    codes: /^(42P01|3F000)$/,
    code: 'TABLE_NOT_FOUND',
    why: (table) =>
      `table ${table} does not exist in this database: make it by createPostgresTable(client), or correct table or the search_path`,
  },
  {
    codes: /^(42703|42804|42P10)$/,
    code: 'KEY_SCHEMA',
    why: (table) => `table ${table} has other columns: give the store a table of its own, made by postgresTable()`,
  },
  { codes: /^3D000$/, code: 'INVALID_REQUEST', why: () => 'the database does not exist: correct its name' },
  {
    codes: /^25006$/,
    code: 'UNAVAILABLE',
    why: () => 'Postgres is read-only here: connect to the primary, not to a replica',
  },
  {
    codes: /^(40001|40P01|53\d{3}|55P03|57014|57P03)$/,
    code: 'UNAVAILABLE',
    why: () => 'Postgres cannot write now; try again',
  },
  { codes: /^(22|42|0A)/, code: 'INVALID_REQUEST', why: () => 'Postgres refused the statement' },
];

interface Meaning {
  readonly codes: RegExp;
  readonly code: SqlFailure['code'];
  /** Returns the problem and the remedy. @param table the quoted name, as in statements */
  why(table: string): string;
}

/** Messages of the packages pg and postgres without a connection: nothing was sent. */
const NO_CONNECTION = /^CONNECT_TIMEOUT$|^CONNECTION_ENDED$|when trying to connect|not queryable|after calling end/;
/** Message of the package pg without a password. */
const NO_PASSWORD = /client password must be a/;

/** Finds the meaning of an error. @param table the quoted name, as in statements */
export function explain(error: unknown, table: string): SqlFailure {
  const [code, message] = [readThrownText(error, 'code'), readThrownText(error, 'message')];
  // 28P01: the server's code for a wrong password.
  const known = MEANINGS.find(({ codes }) => codes.test(NO_PASSWORD.test(message) ? '28P01' : code));
  if (known) return { code: known.code, why: `${known.why(table)} (${code || 'no password'})`, isUnsent: true };
  const isOut = NO_CONNECTION.test(code) || NO_CONNECTION.test(message);
  if (isOut || isUnsent(error) || isUnsent(readThrown(error, 'cause'))) {
    const why = `Postgres could not be reached: start it, or check its address and the network (${code || 'no connection'})`;
    return { code: 'UNAVAILABLE', why, isUnsent: true };
  }
  return {
    code: 'UNAVAILABLE',
    why: `no clear answer from Postgres (${code || errorName(error)}); try again`,
  };
}
