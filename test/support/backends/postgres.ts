import { Pool } from 'pg';
import { createPostgresTable, postgresStore } from 'single-execution/postgres';
import { type PostgresServer, startPostgresServer } from '../postgres-server.js';
import { postgresStatements, sqlHarness } from '../sql-harness.js';
import { startTcpFaultProxy, type TcpFault } from '../tcp-fault-proxy.js';
import { type Backend, DEFAULT_TABLE, type Engine, type Network, tableArgs } from './backend.js';

const DELAY_MS = 400;
/** Longer than a store waits for the answer to one try. */
const HANG_MS = 1_500;

const FAULTS: Readonly<Record<string, TcpFault | 'cut'>> = {
  'drop-request': 'drop-request',
  'drop-response': 'drop-response',
  [`kept back ${DELAY_MS} ms`]: { keepBackMs: DELAY_MS },
  [`kept back ${HANG_MS} ms`]: { keepBackMs: HANG_MS },
  // The server ends the connection that has just sent a statement.
  pg_terminate_backend: 'cut',
};

/** Ends the connection whose statement runs, or else the connection that ran the last statement. */
const CUT = `SELECT pg_terminate_backend(pid) FROM (
  SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
  ORDER BY state = 'active' DESC, state_change DESC LIMIT 1) AS newest`;

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
  faults: Object.keys(FAULTS),
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
      network: (choose) => badNetwork(server, () => FAULTS[choose(false) ?? '']),
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
    const prefixed = (keyPrefix: string) => {
      const store = postgresStore({ client, table, keyPrefix });
      return { store, admin: store };
    };
    return { ...prefixed(''), prefixed, close: () => void pool.end() };
  },
};

function poolOf(connectionString: string): Pool {
  const pool = new Pool({ connectionString });
  // Ignore this event: the statement that needed the lost connection rejects too.
  pool.on('error', () => undefined);
  return pool;
}

async function badNetwork({ port, url }: PostgresServer, chosen: () => TcpFault | 'cut' | undefined): Promise<Network> {
  const cutter = new Pool({ connectionString: url, max: 1 });
  const proxy = await startTcpFaultProxy(port, () => {
    const fault = chosen();
    if (fault !== 'cut') return fault;
    void cutter.query(CUT);
    return undefined;
  });
  return {
    url: String(Object.assign(new URL(url), { port: proxy.port })),
    async stop() {
      await proxy.stop();
      await cutter.end();
    },
  };
}
