import { createPostgresTable, postgresStore } from 'single-execution/postgres';
import { lockStoreContract } from 'single-execution/testing';
import { afterAll, expect, test } from 'vitest';
import { type Played, played, tableOf } from '../../clients/matrix.js';
import { DRIVERS } from '../../clients/postgres-drivers.js';
import { ORMS } from '../../clients/postgres-orms.js';
import { inThisRun } from '../../support/in-this-run.js';
import { memberCases } from '../../support/member-cases.js';
import { ownPostgres } from '../../support/own-servers.js';
import { type Rows, sqlHarness } from '../../support/sql-harness.js';

const STATEMENTS = {
  read: 'SELECT record FROM single_execution_locks WHERE name = $1',
  write: 'UPDATE single_execution_locks SET record = $1 WHERE name = $2',
};
const LONGEST_MS = 300_000;

const { server, pool } = await ownPostgres();
const rows: Rows = async (...asked) => (await pool.query(...asked)).rows;

const lines: Played[] = [];
afterAll(() => void process.stdout.write(`\n${tableOf(lines)}\n`));

const only = process.env['ONLY'];
test.concurrent.each([...DRIVERS, ...ORMS].filter((c) => !only || c.package.includes(only)))(
  'row 142: the contract of all stores over $package $kind',
  async (which) => {
    const { client, close } = await which.connect(server.url);
    try {
      await createPostgresTable(client);
      const keyPrefix = `${which.package} ${which.kind}:`;
      const own: Rows = which.package.includes('pglite')
        ? async (...asked) => {
            const got: any = await (client as any).query(...asked);
            return got.rows;
          }
        : rows;
      const harness = sqlHarness({ store: postgresStore({ client, keyPrefix }), keyPrefix, rows: own, ...STATEMENTS });
      const line = await played(which, [...lockStoreContract, ...memberCases], harness);
      lines.push(line);
      expect(line.failed).toEqual([]);
    } finally {
      await close();
    }
  },
  LONGEST_MS,
);
