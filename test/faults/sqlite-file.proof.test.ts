import { fileURLToPath } from 'node:url';
import { type SqliteClient, sqliteStore } from 'single-execution/sqlite';
import { nativePackages } from '../clients/on-demand.js';
import { sqlite } from '../support/backends/sqlite.js';
import { freshPlace } from '../support/backends.js';
import { onDatabase } from './columns.js';
import { throttled } from './faults.js';
import { playTable } from './play-table.js';
import { tableOf, type Way } from './way.js';
import { type FileWire, fileWire } from './wire/file-wire.js';

interface Database {
  pragma(text: string): unknown;
  exec(text: string): unknown;
  prepare(text: string): { all(...values: unknown[]): object[] };
  close(): void;
}

/** Does not wait for others who have the file: a wait would block this process. */
async function opened(url: string): Promise<Database> {
  const Better = (await nativePackages('better-sqlite3'))('better-sqlite3') as new (
    file: string,
    options: object,
  ) => Database;
  const database = new Better(fileURLToPath(url), { timeout: 0 });
  database.pragma('synchronous = OFF');
  return database;
}

export const way: Way = {
  title: 'a file of SQLite',
  server: 'a file that another connection has',
  faults: [throttled('file busy', { kind: 'busy' }, { ever: true })],
  // A cancel follows a write without an answer. A file always answers.
  columnOf: (operation) => (operation === 'cancel' ? undefined : onDatabase(operation)),
  clients: [
    {
      title: 'better-sqlite3 on a file',
      async connect({ url, place }, { wire }) {
        const database = await opened(url);
        const client: SqliteClient = (text, values) => {
          const run = () => database.prepare(text).all(...values);
          return wire === undefined ? run() : (wire as FileWire).run({ text, values }, run);
        };
        return tableOf(sqliteStore, client, place, async () => database.close());
      },
    },
  ],
  async start() {
    const engine = await sqlite.start();
    const address = await freshPlace(engine);
    const other = await opened(address.url);
    const whileBusy = <T>(run: () => T) => {
      other.exec('BEGIN EXCLUSIVE');
      try {
        return run();
      } finally {
        other.exec('ROLLBACK');
      }
    };
    return {
      address,
      wire: async (during) => fileWire(address.url, whileBusy, during),
      async stop() {
        other.close();
        await engine.stop();
      },
    };
  },
};

playTable('row 187 F17 F180 the fault table: a file of SQLite', way, import.meta);
