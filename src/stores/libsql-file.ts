import type { Ask } from './sql.js';

/** Runs statements in one transaction, and resolves to the rows of each. */
type Batch = (
  statements: (string | { sql: string; args: (string | number)[] })[],
  mode: 'deferred',
) => Promise<readonly { readonly rows: readonly object[] }[]>;

/** As long as a call of a run may take. The client waits for so long, and the process does nothing else meanwhile. */
const BUSY_MS = 5_000;

/**
 * libSQL on a file of this machine. It never ends a statement that was refused because the file is busy: from then on
 * its connection acknowledges writes outside of a transaction that are lost when the process ends, and a transaction
 * fails at its commit (https://github.com/tursodatabase/libsql-client-ts/issues/352). So each statement has a
 * transaction, and waits for a busy file.
 */
export function askLibsqlFile(batch: Batch): Ask {
  return async (text, values) => {
    const answers = await batch([`PRAGMA busy_timeout = ${BUSY_MS}`, { sql: text, args: [...values] }], 'deferred');
    return answers[1]?.rows ?? [];
  };
}
