import * as mariadb from 'mariadb';
import { createPool } from 'mysql2/promise';
import { type MysqlClient, mysqlStore } from 'single-execution/mysql';
import { mysql } from '../../support/backends/mysql.js';
import { freshPlace } from '../../support/backends.js';
import { mysqlProtocol } from '../wire/mysql-protocol.js';
import { readStatement, verbsOf } from '../wire/sql-request.js';
import { tcpWire } from '../wire/tcp-wire.js';
import type { Route } from './route.js';

interface Opened {
  readonly client: MysqlClient;
  close(): unknown;
}

/** The clients, set as docs/stores/mysql.md says, and mysql2 with its defaults. */
const CLIENTS = {
  mysql2(uri: string): Opened {
    const client = createPool({ uri, connectionLimit: 4, connectTimeout: 2_000 });
    return { client, close: () => client.end().catch(() => undefined) };
  },
  'mysql2, its defaults'(url: string): Opened {
    const client = createPool(url);
    return { client, close: () => client.end().catch(() => undefined) };
  },
  mariadb(url: string): Opened {
    const client = mariadb.createPool(`${url.replace('mysql:', 'mariadb:')}?connectionLimit=4&connectTimeout=2000`);
    return { client, close: () => client.end().catch(() => undefined) };
  },
};

export type MysqlClientName = keyof typeof CLIENTS;

export async function mysqlRoute(name: MysqlClientName): Promise<Route> {
  const engine = await mysql.start();
  const { url, place: table } = await freshPlace(engine);
  const urlOf = (port: number) => String(Object.assign(new URL(url), { port }));
  return {
    wire: (during) =>
      tcpWire(
        engine.server.port,
        urlOf,
        mysqlProtocol(engine.pool, (statement) => readStatement(statement, during())),
      ),
    async connect(wire) {
      const { client, close } = CLIENTS[name](wire?.url ?? url);
      return {
        open(keyPrefix) {
          const store = mysqlStore({ client, table, keyPrefix });
          return { store, admin: store };
        },
        close,
      };
    },
    verbsOf,
    stop: () => engine.stop(),
  };
}
