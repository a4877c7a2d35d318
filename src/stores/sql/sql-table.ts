import { LockStoreError } from '../../core/public/errors.js';
import { checkKnown } from '../../core/values/checks.js';
import { jittered, pause, systemClock } from '../../core/values/clock.js';
import { type Database, type OpenTable, openTable } from './sql.js';
import { readFoundRow } from './sql-answer.js';
import { type Naming, quotedTable } from './sql-name.js';
import { sql } from './sql-statement.js';

/**
 * Returns the statement that creates a table, unless the table exists. The command-line tool reads the quoted name out
 * of it.
 *
 * @throws TypeError for a name that no table can have
 */
export function creationOf(
  { columns, tableOptions, ...naming }: Naming & Pick<Database<unknown>, 'columns' | 'tableOptions'>,
  table?: string,
): string {
  const options = tableOptions === undefined ? '' : ` ${tableOptions}`;
  return `CREATE TABLE IF NOT EXISTS ${quotedTable(naming, table)} (${columns})${options}`;
}

/** How long the creation of a table is tried while the database is busy or out of reach. */
const BUSY_MS = 5_000;
const LONGEST_PAUSE_MS = 500;

/**
 * Creates a table, unless it exists, and looks at it as a run does: a table that exists needs no right to create it, and
 * a client that only seems to send statements is found out. Tries again while the database is busy, for example because
 * another process creates the same table. Waits for an answer for as long as the client does.
 *
 * @throws LockStoreError
 */
export async function makeTable<Client>(
  database: Database<Client>,
  client: Client,
  options: { readonly table?: string },
): Promise<void> {
  checkKnown(options, ['table']);
  const at = openTable(database, client, options.table);
  const create = () => at.ask(sql`${creationOf(database, options.table)}`);
  const endMono = systemClock.monotonic() + BUSY_MS;
  for (;;) {
    const error = await lookOrCreate(at, create);
    if (error === undefined) return;
    const { code, message, cause } = error;
    if (code !== 'UNAVAILABLE' || systemClock.monotonic() > endMono) {
      const details = { code, lockName: '*', operation: 'createLockTable', retryable: error.retryable, cause } as const;
      throw new LockStoreError(`the table was not made: ${message}`, details);
    }
    await pause(jittered(0, LONGEST_PAUSE_MS), systemClock, undefined);
  }
}

/** Returns undefined once the table is there, else the error. */
async function lookOrCreate(at: OpenTable, create: () => Promise<unknown>): Promise<LockStoreError | undefined> {
  const missing = await look(at);
  if (missing?.code !== 'TABLE_NOT_FOUND') return missing;
  // If another process has just created the table, the creation fails and the table is there.
  const refused = await create().then(
    () => undefined,
    (error: LockStoreError) => error,
  );
  const stillMissing = await look(at);
  return stillMissing && (refused ?? stillMissing);
}

async function look({ statements, ask, database }: OpenTable): Promise<LockStoreError | undefined> {
  try {
    readFoundRow(await ask(statements.read('')), '', database);
    return undefined;
  } catch (error) {
    return error as LockStoreError;
  }
}
