import { Pool } from 'pg';
import { createPostgresTable, postgresStore } from 'single-execution/postgres';
import { type PostgresServer, startPostgresServer } from '../postgres-server.js';
import { postgresStatements, sqlHarness } from '../sql-harness.js';
import { startTcpFaultProxy, type TcpFault } from '../tcp-fault-proxy.js';
import { type Backend, type ChooseFault, DEFAULT_TABLE, type Engine, type Network, tableArgs } from './backend.js';

const DELAY_MS = 400;
/** Longer than a store waits for the answer to one try. */
const HANG_MS = 1_500;

const FAULTS: Readonly<Record<string, TcpFault | 'cut'>> = {
  'drop-request': 'drop-request',
  'drop-response': 'drop-response',
  [`kept back ${DELAY_MS} ms`]: { keepBackMs: DELAY_MS },
  [`kept back ${HANG_MS} ms`]: { keepBackMs: HANG_MS },
  // The server ends the connection, and never reads the statement.
  pg_terminate_backend: 'cut',
};

/** The first letter of a message with a statement. */
const PARSE = 'P';
const CUT = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE client_port = $1';

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
  ending: { retried: ['drop-request', 'drop-response', 'pg_terminate_backend'], reported: [] },
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

async function badNetwork({ port, url }: PostgresServer, choose: ChooseFault): Promise<Network> {
  const cutter = new Pool({ connectionString: url, max: 1 });
  const isRenewal = renewals();
  const proxy = await startTcpFaultProxy(port, (sent, from) => {
    const fault = FAULTS[choose(isRenewal(sent)) ?? ''];
    if (fault !== 'cut') return fault;
    // A connection without a statement is about to log in. The server does not list it yet.
    if (!sent.startsWith(PARSE)) return undefined;
    void cutter.query(CUT, [from]);
    return 'stall';
  });
  return {
    url: String(Object.assign(new URL(url), { port: proxy.port })),
    async stop() {
      await proxy.stop();
      await cutter.end();
    },
  };
}

/**
 * Recognises a renewal among the statements of one network: a write that must not come late, for an attempt that has
 * been written before. The second try of an acquire counts, too.
 */
function renewals(): (sent: string) => boolean {
  const written = new Set<string>();
  return (sent) => {
    const attempt = /"attemptId":"([^"]+)"/.exec(sent)?.[1];
    if (attempt === undefined) return false;
    const isRenewal = written.has(attempt) && sent.includes('lock_timeout');
    written.add(attempt);
    return isRenewal;
  };
}
