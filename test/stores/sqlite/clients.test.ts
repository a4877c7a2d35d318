import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { createSqliteTable, sqliteStore } from 'single-execution/sqlite';
import { lockStoreContract } from 'single-execution/testing';
import { afterAll, expect, test } from 'vitest';
import { type Played, played, tableOf } from '../../clients/matrix.js';
import { SQLITE_CLIENTS } from '../../clients/sqlite-clients.js';
import { memberCases } from '../../support/member-cases.js';
import { type Rows, SQLITE_STATEMENTS, sqlHarness } from '../../support/sql-harness.js';

const LONGEST_MS = 300_000;

const lines: Played[] = [];
afterAll(() => void process.stdout.write(`\n${tableOf(lines)}\n`));

const only = process.env['ONLY'];
test.concurrent.each(SQLITE_CLIENTS.filter((c) => !only || c.package.includes(only)))(
  'row 143: the contract of all stores over $package $kind',
  async (which) => {
    const folder = await mkdtemp(join(tmpdir(), 'sqlite-client-'));
    const file = join(folder, 'locks.db');
    const { client, close } = await which.connect(file);
    const other = createClient({ url: `file:${file}` });
    try {
      await createSqliteTable(client);
      const keyPrefix = `${which.package} ${which.kind}:`;
      const rows: Rows = typeof client === 'function' ? (a, b) => client(a, b) :  async (sql, args) => (await other.batch(['PRAGMA busy_timeout = 5000', { sql, args }], 'deferred'))[1]?.rows ?? [];
      const harness = sqlHarness({ store: sqliteStore({ client, keyPrefix }), keyPrefix, rows, ...SQLITE_STATEMENTS });
      const line = await played(which, [...lockStoreContract, ...memberCases], harness);
      lines.push(line);
      expect(line.failed).toEqual([]);
    } finally {
      await close();
      other.close();
      await rm(folder, { recursive: true });
    }
  },
  LONGEST_MS,
);
