import type { Ask } from './sql.js';

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
    const answers = await batch([`PRAGMA busy_timeout = ${BUSY_MS}`, { sql: text, args: [...values] }], 'deferred');
    return answers[1]?.rows ?? [];
  };
}
