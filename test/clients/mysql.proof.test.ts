import type { RowDataPacket } from 'mysql2/promise';
import { lockStoreContract } from 'single-execution/testing';
import { afterAll, expect, test } from 'vitest';
import { ownEngine } from '../support/backends/stage.js';
import { memberCases } from '../support/member-cases.js';
import type { Rows } from '../support/sql-harness.js';
import { type Played, tableOf } from './matrix.js';
import { MYSQL_CLIENTS } from './mysql-clients.js';
import { playMysql } from './play.js';

const { server, pool } = await ownEngine('mysql');
const rows: Rows = async (...asked) => (await pool.execute<RowDataPacket[]>(...asked))[0];
const lines: Played[] = [];
afterAll(() => void process.stdout.write(`\n${tableOf(lines)}\n`));

// One client after the other: with all at once, a client of one connection would wait too long for its answers.
test.each(MYSQL_CLIENTS)('rows 142, 206: the contract of all stores over $package, $kind', async (which) => {
  const line = await playMysql(which, { url: server.url, rows }, [...lockStoreContract, ...memberCases]);
  lines.push(line);

  expect(line.failed).toEqual([]);
});
