import { Pool, type PoolConfig } from 'pg';
import postgresJs from 'postgres';
import { postgresStore } from 'single-execution/postgres';
import { postgres } from '../support/backends/postgres.js';
import { onDatabase } from './columns.js';
import { eitherWay, NETWORK, refusedBy, throttled } from './faults.js';
import { playTable } from './play-table.js';
import { type Connection, databaseOf, tableOf, type Way } from './way.js';
import { postgresProtocol } from './wire/postgres-protocol.js';

/** Shorter than a try, so that the client's own timeout ends it. The page has 2 s for a connection that is silent. */
const SILENCE_MS = 700;

function overPool(table: string, connectionString: string, settings: PoolConfig = {}): Connection {
  const client = new Pool({ connectionString, ...settings });
  // Ignore this event: the statement that needed the lost connection rejects too.
  client.on('error', () => undefined);
  return tableOf(postgresStore, client, table, () => client.end());
}

export const way: Way = {
  title: 'Postgres',
  server: 'PostgreSQL',
  faults: [
    ...NETWORK,
    throttled('SQLSTATE 55P03', refusedBy('55P03'), { ever: true }),
    ...['40001', '40P01', '53300', '57014', '57P03', '25006'].map((code) =>
      throttled(`SQLSTATE ${code}`, refusedBy(code)),
    ),
    ...eitherWay('SQLSTATE 08P01 of a pooler', { kind: 'refusal', text: '08P01' }, { failure: 'F2' }),
    ...eitherWay('connection ended by the server, SQLSTATE 57P01', { kind: 'terminate' }, { failure: 'F2' }),
  ],
  columnOf: onDatabase,
  // Set as docs/stores/postgres.md says, except for the defaults.
  clients: [
    {
      title: 'pg',
      silenceMs: SILENCE_MS,
      connect: ({ url, place }) =>
        overPool(place, url, { max: 2, connectionTimeoutMillis: SILENCE_MS, query_timeout: SILENCE_MS }),
    },
    { title: 'pg, its defaults', connect: ({ url, place }) => overPool(place, url) },
    {
      title: 'postgres.js',
      connect({ url, place }) {
        const client = postgresJs(url, { idle_timeout: 5, connect_timeout: 2, fetch_types: false });
        return tableOf(postgresStore, client, place, () => client.end({ timeout: 0 }));
      },
    },
  ],
  start: async () => databaseOf(await postgres.start(), postgresProtocol),
};

playTable('rows 131 and 187 F1 F2 F3 F6 F17 F35 F53 F54 F179 the fault table: Postgres', way, import.meta);
