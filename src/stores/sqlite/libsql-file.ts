import { readThrownText } from '../../core/values/thrown.js';
import { type Ask, OpenTransaction } from '../sql/sql.js';

/** Runs statements in one transaction, and resolves to the rows of each. */
type Batch = (
  statements: (string | { sql: string; args: (string | number)[] })[],
  mode: 'deferred',
) => Promise<readonly { readonly rows: readonly object[] }[]>;

/** How long the client waits for a busy file: as long as a run's call may take. The wait blocks the process. */
const BUSY_MS = 5_000;

/**
 * Makes a function that runs statements with libSQL on a file of this machine. libSQL never ends a statement that was
 * refused because the file is busy. From then on its connection acknowledges writes outside a transaction, which are
 * lost when the process ends, and a transaction fails at its commit
 * (https://github.com/tursodatabase/libsql-client-ts/issues/352). So each statement runs in its own transaction, and
 * waits for a busy file.
 */
export function askLibsqlFile(batch: Batch): Ask {
  return async ({ text, values }) => {
    const statements = [`PRAGMA busy_timeout = ${BUSY_MS}`, { sql: text, args: [...values] }];
    // An older client has one connection, and a BEGIN that somebody else executes on it stays open.
    const answers = await batch(statements, 'deferred').catch((error: unknown) => {
      throw isInsideTransaction(error) ? new OpenTransaction() : error;
    });
    return answers[1]?.rows;
  };
}

/** Whether SQLite refused to begin a transaction, because the connection is inside another one. */
export function isInsideTransaction(error: unknown): boolean {
  return /cannot start a transaction within a transaction/.test(readThrownText(error, 'message'));
}
