import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createSqliteTable, type SqliteStoreOptions, sqliteStore, sqliteTable } from '../../stores/sql/sqlite.js';
import { failed, quoted } from '../exit-code.js';
import type { StoreKind } from './kind.js';
import { isMissing } from './reach.js';
import { type Connected, openInTable } from './sql-table.js';

export const sqlite: StoreKind = {
  name: 'sqlite',
  title: 'SQLite',
  option: 'sqlite',
  options: { sqlite: { value: 'FILE', help: 'the SQLite file of the locks' } },
  hasTable: true,
  examined: 'the table, its columns and the rights to it',
  job: {
    words: 'SQLite in the file locks.db over @libsql/client',
    needed: ['@libsql/client'],
    types: [],
    import: "import { createClient } from '@libsql/client';",
    sharedBy: 'processes of this machine',
    client: () => "createClient({ url: 'file:locks.db' })",
    option: ' --sqlite locks.db',
  },
  check: ({ line }) => void sqliteTable(line.text('table')),
  async open(named, clock) {
    const parts = {
      store: sqliteStore,
      create: createSqliteTable,
      allow: () => 'let this user write to the file and to its folder',
    };
    return openInTable(named, await openFile(named.value), parts, clock);
  },
};

/** How long to wait while another process writes to the file. */
const BUSY_MS = 1_000;

/** Opens with Node itself if it has SQLite, else with libSQL. */
async function openFile(file: string): Promise<Connected<SqliteStoreOptions['client']>> {
  const sqlite = process.getBuiltinModule('node:sqlite');
  if (sqlite) {
    const client = fileOpened(file, () => new sqlite.DatabaseSync(file, { timeout: BUSY_MS }));
    return { client, rows: async (text) => client.prepare(text).all() as object[], close: () => client.close() };
  }
  try {
    const { createClient } = await import('@libsql/client');
    const client = fileOpened(file, () => createClient({ url: pathToFileURL(resolve(file)).href }));
    const rows = async (text: string) => (await client.batch([text], 'deferred'))[0]?.rows ?? [];
    return { client, rows, close: () => client.close() };
  } catch (error) {
    if (!isMissing(error, ['@libsql/client'])) throw error;
    throw failed(
      '--sqlite needs Node 22.13 or later, or @libsql/client, which is not installed beside single-execution: npm install @libsql/client',
    );
  }
}

/** @throws CliError for a file that cannot be opened */
function fileOpened<T>(file: string, open: () => T): T {
  try {
    return open();
  } catch {
    throw failed(`--sqlite ${quoted(file)} cannot be opened: check its path and its rights`);
  }
}
