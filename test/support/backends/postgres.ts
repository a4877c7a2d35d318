import { Pool } from 'pg';
import { createPostgresTable, postgresStore } from 'single-execution/postgres';
import { type PostgresServer, startPostgresServer } from '../postgres-server.js';
import { postgresStatements, sqlHarness } from '../sql-harness.js';
import {
  type Backend,
  type ChooseFault,
  DEFAULT_TABLE,
  type Engine,
  locksOf,
  type Network,
  opened,
  tableArgs,
} from './backend.js';
import { faultsOf, sqlNetwork } from './sql-network.js';

const CUT = 'pg_terminate_backend';

export interface PostgresEngine extends Engine {
  readonly server: PostgresServer;
  /** A pool for the test. */
  readonly pool: Pool;
}

export const postgres: Backend<PostgresEngine> = {
  lacks: {},
  lateMs: 0,
  isQuick: false,
  requests: { run: 4, skip: 1 },
  program: 'postgres',
  faults: faultsOf(CUT),
  ending: { retried: ['drop-request', 'drop-response', CUT], reported: [] },
  async start() {
    const server = await startPostgresServer();
    const pool = poolOf(server.url);
    const rows = async (text: string, values: (string | number)[]) => (await pool.query(text, values)).rows;
    return {
      server,
      pool,
      at: (place = DEFAULT_TABLE) => ({ kind: 'postgres', url: server.url, place }),
      make: ({ place: table }) => createPostgresTable(pool, { table }),
      async put({ place }, key, fields) {
        const record = JSON.stringify(Object.fromEntries(fields));
        await rows(
          `INSERT INTO "${place}" (name, record, version) VALUES ($1, $2, 1)
           ON CONFLICT (name) DO UPDATE SET record = $2, version = "${place}".version + 1`,
          [key, record],
        );
      },
      harness: ({ place }, { store, admin }, keyPrefix = '') =>
        sqlHarness({ store: { ...store, ...admin }, keyPrefix, rows, ...postgresStatements(place) }),
      args: ({ url, place }) => ['--postgres-url', url, ...tableArgs(place)],
      env: { DATABASE_URL: server.url },
      network: (choose) => badNetwork(server, choose),
      async stop() {
        await pool.end();
        await server.stop();
      },
    };
  },
  async open({ url, place: table }, sends) {
    const pool = poolOf(url);
    const watched = async (text: string, values: (string | number)[]) => {
      sends?.();
      return (await pool.query(text, values)).rows;
    };
    const client = sends ? watched : pool;
    return opened(
      (keyPrefix) => locksOf(postgresStore({ client, table, keyPrefix })),
      () => pool.end(),
    );
  },
};

function poolOf(connectionString: string): Pool {
  const pool = new Pool({ connectionString });
  // Ignore this event: the statement that needed the lost connection rejects too.
  pool.on('error', () => undefined);
  return pool;
}

function badNetwork(server: PostgresServer, choose: ChooseFault): Promise<Network> {
  const cutter = new Pool({ connectionString: server.url, max: 1 });
  return sqlNetwork(server, choose, {
    cut: CUT,
    // The first letter of a message with a statement.
    isStatement: (sent) => sent.startsWith('P'),
    isLimited: (sent) => sent.includes('lock_timeout'),
    end: (from) => cutter.query(`SELECT ${CUT}(pid) FROM pg_stat_activity WHERE client_port = $1`, [from]),
    stop: () => cutter.end(),
  });
}
