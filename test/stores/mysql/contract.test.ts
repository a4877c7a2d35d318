import { mysqlStore } from 'single-execution/mysql';
import { type ContractHarness, lockStoreContract } from 'single-execution/testing';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type ConnectedMysql, MYSQL_CONNECTIONS, MYSQL_POOLS } from '../../clients/mysql-clients.js';
import { ownEngine } from '../../support/backends/stage.js';
import { inThisRun } from '../../support/in-this-run.js';
import { memberCases } from '../../support/member-cases.js';
import { questionMarkStatements, type Rows, sqlHarness } from '../../support/sql-harness.js';

const { server, pool } = await ownEngine('mysql');
const rows: Rows = async (...asked) => (await pool.execute(...asked))[0] as object[];

const [first, ...further] = Object.entries({ ...MYSQL_POOLS, ...MYSQL_CONNECTIONS });

describe.each(inThisRun(first ? [first] : [], further))(
  'row 206: mysqlStore over %s, on MariaDB, keeps the contract of all stores',
  (kind, connect) => {
    let connected: ConnectedMysql;
    let harness: ContractHarness;
    beforeAll(async () => {
      connected = await connect(server.url);
      const keyPrefix = `${kind.replaceAll(/[^a-z2]/g, '')}:`.slice(-30);
      const store = mysqlStore({ client: connected.client, keyPrefix });
      harness = sqlHarness({ store, keyPrefix, rows, ...questionMarkStatements() });
    });
    afterAll(() => connected.end());

    for (const { name, check } of [...lockStoreContract, ...memberCases]) test.concurrent(name, () => check(harness));
  },
);
