import { Pool } from 'pg';
import postgresJs from 'postgres';
import { type PostgresClient, postgresStore } from 'single-execution/postgres';
import { postgres } from '../../support/backends/postgres.js';
import { freshPlace } from '../../support/backends.js';
import { postgresProtocol } from '../wire/postgres-protocol.js';
import { readStatement, verbsOf } from '../wire/sql-request.js';
import { tcpWire } from '../wire/tcp-wire.js';
import type { Route } from './route.js';

interface Opened {
  readonly client: PostgresClient;
  close(): unknown;
}

/** The clients, set as docs/stores/postgres.md says, and pg with its defaults. */
const CLIENTS = {
  /** The page has 2 s for a connection that is silent. */
  pg(connectionString: string, silenceMs: number): Opened {
    const times = { connectionTimeoutMillis: silenceMs, query_timeout: silenceMs };
    return ofPool(new Pool({ connectionString, max: 2, ...times }));
  },
  'pg, its defaults': (connectionString: string): Opened => ofPool(new Pool({ connectionString })),
  'postgres.js'(url: string): Opened {
    const client = postgresJs(url, { idle_timeout: 5, connect_timeout: 2, fetch_types: false });
    return { client, close: () => client.end({ timeout: 0 }).catch(() => undefined) };
  },
};

export type PostgresClientName = keyof typeof CLIENTS;

function ofPool(client: Pool): Opened {
  // Ignore this event: the statement that needed the lost connection rejects too.
  client.on('error', () => undefined);
  return { client, close: () => client.end().catch(() => undefined) };
}

/** @param silenceMs how long the client waits for a connection that is silent, if it is set so */
export async function postgresRoute(name: PostgresClientName, silenceMs: number): Promise<Route> {
  const engine = await postgres.start();
  const { url, place: table } = await freshPlace(engine);
  const urlOf = (port: number) => String(Object.assign(new URL(url), { port }));
  const terminator = new Pool({ connectionString: url, max: 2 });
  return {
    wire: (during) =>
      tcpWire(
        engine.server.port,
        urlOf,
        postgresProtocol(terminator, (statement) => readStatement(statement, during())),
      ),
    async connect(wire) {
      const { client, close } = CLIENTS[name](wire?.url ?? url, silenceMs);
      return {
        open(keyPrefix) {
          const store = postgresStore({ client, table, keyPrefix });
          return { store, admin: store };
        },
        close,
      };
    },
    verbsOf,
    async stop() {
      await terminator.end();
      await engine.stop();
    },
  };
}
