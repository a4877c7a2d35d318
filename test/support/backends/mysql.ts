import { createPool, type Pool, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise';
import { createMysqlTable, mysqlStore } from 'single-execution/mysql';
import { type MariaDB, startMariaDB } from '../mariadb.js';
import { questionMarkStatements, sqlHarness } from '../sql-harness.js';
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

const CUT = 'KILL';

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
  faults: faultsOf(CUT),
  ending: { retried: ['drop-request', 'drop-response', CUT], reported: [] },
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
    return opened(
      (keyPrefix) => locksOf(mysqlStore({ client, table, keyPrefix })),
      () => pool.end(),
    );
  },
};

function badNetwork(server: MariaDB, choose: ChooseFault): Promise<Network> {
  const killer = createPool(server.url);
  return sqlNetwork(server, choose, {
    cut: CUT,
    isStatement,
    isLimited,
    async end(from) {
      const [found] = await killer.query<RowDataPacket[]>(
        'SELECT id FROM information_schema.processlist WHERE host LIKE ?',
        [`%:${from}`],
      );
      for (const { id } of found) await killer.query(`KILL ${Number(id)}`);
    },
    stop: () => killer.end(),
  });
}
