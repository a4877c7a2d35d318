import * as mariadb from 'mariadb';
import { createPool } from 'mysql2/promise';
import { mysqlStore } from 'single-execution/mysql';
import { mysql } from '../support/backends/mysql.js';
import { onDatabase } from './columns.js';
import { eitherWay, NETWORK, refusedBy, throttled } from './faults.js';
import { playTable } from './play-table.js';
import { databaseOf, tableOf, type Way } from './way.js';
import { mysqlProtocol } from './wire/mysql-protocol.js';

export const way: Way = {
  title: 'MySQL',
  server: 'MariaDB',
  faults: [
    ...NETWORK,
    throttled('error 1205', refusedBy('1205'), { ever: true }),
    ...['1213', '1040', '1290', '1317', '1969', '3024'].map((code) => throttled(`error ${code}`, refusedBy(code))),
    ...eitherWay('error 1053, the server goes down', { kind: 'refusal', text: '1053' }, { failure: 'F2' }),
    ...eitherWay('connection killed by the server', { kind: 'terminate' }, { failure: 'F2' }),
  ],
  columnOf: onDatabase,
  // Set as docs/stores/mysql.md says, except for the defaults.
  clients: [
    {
      title: 'mysql2',
      connect({ url: uri, place }) {
        const client = createPool({ uri, connectionLimit: 4, connectTimeout: 2_000 });
        return tableOf(mysqlStore, client, place, () => client.end());
      },
    },
    {
      title: 'mysql2, its defaults',
      connect({ url, place }) {
        const client = createPool(url);
        return tableOf(mysqlStore, client, place, () => client.end());
      },
    },
    {
      title: 'mariadb',
      connect({ url, place }) {
        const client = mariadb.createPool(`${url.replace('mysql:', 'mariadb:')}?connectionLimit=4&connectTimeout=2000`);
        return tableOf(mysqlStore, client, place, () => client.end());
      },
    },
  ],
  start: async () => databaseOf(await mysql.start(), mysqlProtocol),
};

playTable('row 187 F1 F2 F3 F6 F17 F35 F53 F54 the fault table: MySQL', way, import.meta);
