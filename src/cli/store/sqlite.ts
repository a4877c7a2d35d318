import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createSqliteTable, type SqliteStoreOptions, sqliteStore, sqliteTable } from '../../stores/sqlite/sqlite.js';
import { failed, quoted, wrongUse } from '../exit-code.js';
import { lookAtFolder, networkWords } from '../findings/look-at-folder.js';
import type { NamedStore, StoreKind } from './kind.js';
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
  connects: true,
  check(named) {
    sqliteTable(named.line.text('table'));
    pathOf(named.value);
  },
  caution: ({ value }) => networkWords(pathOf(value)),
  async open(named, clock) {
    const path = pathOf(named.value);
    const parts = {
      store: sqliteStore,
      creation: sqliteTable,
      create: createSqliteTable,
      allow: () => 'let this user write to the file and to its folder',
      examine: async () => lookAtFolder(path),
    };
    return openInTable(named, await openFile(path, named), parts, clock);
  },
};

/** How long to wait while another process writes to the file. */
const BUSY_MS = 1_000;

/**
 * The absolute path of the file, also of a `file:` address, so that each client opens the same file.
 *
 * @throws CliError for what is not a file. Its message does not show the value, which may contain a token.
 */
function pathOf(value: string): string {
  if (value.startsWith(':') || /^(?!file:)[a-z][a-z\d+.-]*:\/\//i.test(value)) {
    throw wrongUse(
      '--sqlite names no file: pass the path of a file of this machine; the tool does not read from a server',
    );
  }
  if (!/^file:/i.test(value)) return resolve(value);
  const [path = '', query] = value.slice('file:'.length).split(/[?#]/);
  try {
    const found = path.startsWith('//') ? fileURLToPath(`file:${path}`) : decodeURIComponent(path);
    if (query === undefined && found !== '') return resolve(found);
  } catch {
    // Neither a path nor the address of a file of this machine.
  }
  throw wrongUse('--sqlite is more than the path of a file: pass a path, such as locks.db');
}

/** Node's SQLite, without the warning of Node 22 that it is experimental. Undefined on a Node without it. */
function nodeSqlite(): typeof import('node:sqlite') | undefined {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule?.('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Opens with Node itself if it has SQLite, else with libSQL. */
async function openFile(path: string, named: NamedStore): Promise<Connected<SqliteStoreOptions['client']>> {
  const sqlite = nodeSqlite();
  if (sqlite) {
    const client = fileOpened(path, named, () => new sqlite.DatabaseSync(path, { timeout: BUSY_MS }));
    return { client, rows: async (text) => client.prepare(text).all() as object[], close: () => client.close() };
  }
  try {
    const { createClient } = await import('@libsql/client');
    const client = fileOpened(path, named, () => createClient({ url: pathToFileURL(path).href }));
    const rows = async (text: string) => (await client.batch([text], 'deferred'))[0]?.rows ?? [];
    return { client, rows, close: () => client.close() };
  } catch (error) {
    if (!isMissing(error, ['@libsql/client'])) throw error;
    throw failed(
      '--sqlite needs Node 22.13 or later, or @libsql/client, which is not installed beside single-execution: npm install @libsql/client',
    );
  }
}

/** @throws CliError for a file that cannot be opened, or that only `table create` may make */
function fileOpened<T>(path: string, { value, line }: NamedStore, open: () => T): T {
  if (!line.createsTable && !existsSync(path)) {
    throw failed(
      `--sqlite ${quoted(value)}: the file does not exist: correct its path, or make it with: single-execution table create`,
    );
  }
  try {
    return open();
  } catch {
    throw failed(`--sqlite ${quoted(value)} cannot be opened: check its path and its rights`);
  }
}
