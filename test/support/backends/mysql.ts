import { createPool, type Pool, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise';
import { createMysqlTable, mysqlStore } from 'single-execution/mysql';
import { type MariaDB, startMariaDB } from '../mariadb.js';
import { questionMarkStatements, sqlHarness } from '../sql-harness.js';
import { startTcpFaultProxy, type TcpFault } from '../tcp-fault-proxy.js';
import { type Backend, type ChooseFault, DEFAULT_TABLE, type Engine, type Network, tableArgs } from './backend.js';

const DELAY_MS = 400;
/** Longer than a store waits for the answer to one try. */
const HANG_MS = 1_500;

const FAULTS: Readonly<Record<string, TcpFault | 'kill'>> = {
  'drop-request': 'drop-request',
  'drop-response': 'drop-response',
  [`kept back ${DELAY_MS} ms`]: { keepBackMs: DELAY_MS },
  [`kept back ${HANG_MS} ms`]: { keepBackMs: HANG_MS },
  // The server ends the connection, and never reads the statement.
  KILL: 'kill',
};

/** Whether a packet, number 0 of its conversation, is the command to prepare or to run a statement. */
const isStatement = (sent: string) => sent.charCodeAt(3) === 0 && [0x03, 0x16, 0x17].includes(sent.charCodeAt(4));
/** Whether the types of a statement's values are those of a write that must not come late: two texts, two numbers. */
const isLimited = (sent: string) =>
  sent.charCodeAt(4) === 0x17 &&
  [16, 18].every((at) => sent.charCodeAt(at) === 0xfd) &&
  [20, 22].every((at) => [3, 5, 8].includes(sent.charCodeAt(at)));

export interface MysqlEngine extends Engine {
  readonly server: MariaDB;
  /** A pool for the test. */
  readonly pool: Pool;
}

type Values = (string | number)[];
type Answer = RowDataPacket[] | ResultSetHeader;

export const mysql: Backend<MysqlEngine> = {
  lacks: {},
  lateMs: 0,
  isQuick: false,
  requests: { run: 4, skip: 1, first: 5 },
  program: 'mariadb',
  faults: Object.keys(FAULTS),
  ending: { retried: ['drop-request', 'drop-response', 'KILL'], reported: [] },
  async start() {
    const server = await startMariaDB();
    const pool = createPool(server.url);
    const rows = async (text: string, values: Values) => (await pool.execute<RowDataPacket[]>(text, values))[0];
    return {
      server,
      pool,
      at: (place = DEFAULT_TABLE) => ({ kind: 'mysql', url: server.url, place }),
      make: ({ place: table }) => createMysqlTable(pool, { table }),
      async put({ place }, key, fields) {
        const record = JSON.stringify(Object.fromEntries(fields));
        await pool.execute(
          `INSERT INTO \`${place}\` (name, record, version) VALUES (?, ?, 1)
           ON DUPLICATE KEY UPDATE record = VALUES(record), version = version + 1`,
          [key, record],
        );
      },
      harness: ({ place }, { store, admin }, keyPrefix = '') =>
        sqlHarness({ store: { ...store, ...admin }, keyPrefix, rows, ...questionMarkStatements(place) }),
      args: ({ url, place }) => ['--mysql-url', url, ...tableArgs(place)],
      env: { MYSQL_URL: server.url },
      network: (choose) => badNetwork(server, choose),
      async stop() {
        await pool.end();
        await server.stop();
      },
    };
  },
  async open({ url, place: table }, sends) {
    const pool = createPool(url);
    const watched = async (text: string, values: Values) => {
      sends?.();
      return (await pool.execute<Answer>(text, values))[0];
    };
    const client = sends ? watched : pool;
    const prefixed = (keyPrefix: string) => {
      const store = mysqlStore({ client, table, keyPrefix });
      return { store, admin: store };
    };
    return { ...prefixed(''), prefixed, close: () => void pool.end() };
  },
};

async function badNetwork({ port, url }: MariaDB, choose: ChooseFault): Promise<Network> {
  const killer = createPool(url);
  const kill = async (from: number | undefined) => {
    const [found] = await killer.query<RowDataPacket[]>(
      'SELECT id FROM information_schema.processlist WHERE host LIKE ?',
      [`%:${from}`],
    );
    for (const { id } of found) await killer.query(`KILL ${Number(id)}`);
  };
  const written = new Set<string>();
  /** A write that must not come late, for an attempt that has been written before; the second try of an acquire too. */
  const isRenewal = (sent: string) => {
    const attempt = /"attemptId":"([^"]+)"/.exec(sent)?.[1];
    if (attempt === undefined) return false;
    const isAgain = written.has(attempt);
    written.add(attempt);
    return isAgain && isLimited(sent);
  };
  const proxy = await startTcpFaultProxy(port, (sent, from) => {
    const fault = FAULTS[choose(isRenewal(sent)) ?? ''];
    if (fault !== 'kill') return fault;
    // A connection without a statement is about to log in. The server does not list it yet.
    if (!isStatement(sent)) return undefined;
    void kill(from);
    return 'stall';
  });
  return {
    url: String(Object.assign(new URL(url), { port: proxy.port })),
    async stop() {
      await proxy.stop();
      await killer.end();
    },
  };
}
