import { fileURLToPath } from 'node:url';
import { createClient } from '@libsql/client';
import { sqliteStore } from 'single-execution/sqlite';
import { startHranaServer } from '../clients/hrana-server.js';
import { sqlite } from '../support/backends/sqlite.js';
import { freshPlace } from '../support/backends.js';
import { onDatabase } from './columns.js';
import { eitherWay, HTTP, PAGE, throttled } from './faults.js';
import { playTable } from './play-table.js';
import { tableOf, type Way } from './way.js';
import { httpWire } from './wire/http-wire.js';
import { readStatement, type Statement } from './wire/sql-request.js';

/** The answer of a server of libSQL to a statement, after which it closes the stream. */
const BUSY = JSON.stringify({
  baton: null,
  base_url: null,
  results: [
    { type: 'error', error: { message: 'database is locked', code: 'SQLITE_BUSY' } },
    { type: 'ok', response: { type: 'close' } },
  ],
});

interface Body {
  readonly requests?: readonly {
    readonly stmt?: { readonly sql: string; readonly args?: readonly { value?: unknown }[] };
  }[];
}

function statementIn({ requests = [] }: Body): Statement | undefined {
  const stmt = requests.find((request) => request.stmt)?.stmt;
  return stmt && { text: stmt.sql, values: (stmt.args ?? []).map(({ value }) => value) };
}

export const way: Way = {
  title: 'libSQL',
  server: "a file of SQLite behind Turso's protocol",
  faults: [
    ...HTTP,
    throttled('SQLITE_BUSY', { kind: 'answer', at: 'before', status: 200, text: BUSY }, { ever: true }),
    ...eitherWay('status 503', { kind: 'answer', status: 503, text: PAGE }, { failure: 'F2' }),
  ],
  columnOf: onDatabase,
  clients: [
    {
      title: 'libSQL over HTTP',
      connect({ url, place }) {
        const client = createClient({ url });
        return tableOf(sqliteStore, client, place, async () => client.close());
      },
    },
  ],
  // The server is ours, in front of a real file.
  async start() {
    const engine = await sqlite.start();
    const { url: file, ...address } = await freshPlace(engine);
    const server = await startHranaServer(fileURLToPath(file));
    return {
      address: { ...address, url: server.url },
      wire: (during) =>
        httpWire(server.url, ({ body }) => {
          const statement = statementIn(body as Body);
          return statement && readStatement(statement, during());
        }),
      async stop() {
        await server.stop();
        await engine.stop();
      },
    };
  },
};

playTable('row 187 F1 F2 F3 F6 F17 F35 F53 F54 the fault table: SQLite', way, import.meta);
