import { readFile } from 'node:fs/promises';
import mysql from 'mysql2/promise';
import { createMysqlTable, mysqlStore } from 'single-execution/mysql';
import { lockStoreContract } from 'single-execution/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { innerCli } from '../../support/inner-cli.js';
import { startMariaDB } from '../../support/mariadb.js';
import { memberCases } from '../../support/member-cases.js';
import { call, claim } from '../../support/one-run.js';
import { providePrograms } from '../../support/provided-programs.js';
import { failureOf, says } from '../../support/settled.js';
import { questionMarkStatements, sqlHarness } from '../../support/sql-harness.js';

await providePrograms('mariadb');
const server = await startMariaDB({ checksRights: true });
const root = mysql.createPool(server.url);
await createMysqlTable(root);
const [grant = ''] = (await readFile('docs/stores/mysql.md', 'utf8')).match(/^GRANT .*;$/m) ?? [];
await root.query("CREATE USER 'jobs'@'%' IDENTIFIED BY 'hunter2'");
await root.query(grant);

const urlAs = (user: string, password: string) => server.url.replace('root@', `${user}:${password}@`);
function poolAs(user: string, password: string): mysql.Pool {
  const pool = mysql.createPool(urlAs(user, password));
  onTestFinished(() => pool.end());
  return pool;
}

describe('row 207: the rights on the page of MySQL are enough', () => {
  const client = mysql.createPool(urlAs('jobs', 'hunter2'));
  const harness = sqlHarness({
    store: mysqlStore({ client }),
    keyPrefix: '',
    rows: async (...asked) => (await client.execute(...asked))[0] as object[],
    ...questionMarkStatements(),
  });
  for (const { name, check } of [...lockStoreContract, ...memberCases]) test.concurrent(name, () => check(harness));

  test('and for the command-line tool', async () => {
    const { code, stdout } = await innerCli(['doctor', '--json', '--mysql-url', urlAs('jobs', 'hunter2')]);
    const found = JSON.parse(stdout) as { status: string; check: string }[];

    expect({ code, problems: found.filter(({ status }) => status === 'problem') }).toEqual({ code: 0, problems: [] });
    expect(found.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['rights', 'columns', 'table kind', 'clock']),
    );
  });
});

test('row 207: a right that is missing is named', async () => {
  await root.query("CREATE USER 'viewer'@'%' IDENTIFIED BY 'hunter2'");
  await root.query("GRANT SELECT ON jobs.single_execution_locks TO 'viewer'@'%'");
  const store = mysqlStore({ client: poolAs('viewer', 'hunter2') });

  expect(await store.get('nobody', call())).toBeUndefined();
  expect(await failureOf(store.acquire(claim(), call()))).toMatchObject(
    says('ACCESS_DENIED', '(INSERT was refused): GRANT SELECT, INSERT, UPDATE ON `single_execution_locks` TO'),
  );
});

test('row 207: the right to make the table is named, and a table that may be missing', async () => {
  await root.query("CREATE USER 'reader'@'%' IDENTIFIED BY 'hunter2'");
  await root.query("GRANT SELECT ON jobs.* TO 'reader'@'%'");
  const made = failureOf(createMysqlTable(poolAs('reader', 'hunter2'), { table: 'other' }));
  const other = mysqlStore({ client: poolAs('jobs', 'hunter2'), table: 'other' });

  expect(await made).toMatchObject(
    says('ACCESS_DENIED', 'no right to make table `other`: GRANT CREATE ON `other` TO the user'),
  );
  expect(await failureOf(other.acquire(claim(), call()))).toMatchObject(
    says('ACCESS_DENIED', 'if the table does not exist yet, GRANT CREATE in the same statement'),
  );
});

test.each(['nothing', 'CREATE'])('F218 the statement of the error is enough for a user with %s', async (had) => {
  const [user, table] = [`maker-${had}`, `made_by_${had}`];
  await root.query(`CREATE USER '${user}'@'%' IDENTIFIED BY 'hunter2'`);
  if (had === 'CREATE') await root.query(`GRANT CREATE ON jobs.* TO '${user}'@'%'`);
  const { message } = await failureOf(createMysqlTable(poolAs(user, 'hunter2'), { table }));
  const [, rights, quoted] = /GRANT (SELECT, INSERT, UPDATE) ON (\S+) TO .*; if .*, GRANT CREATE/.exec(message) ?? [];
  const granted = (words: string) => root.query(`GRANT ${words} ON jobs.${quoted} TO '${user}'@'%'`);

  await expect(granted(`${rights}`)).rejects.toMatchObject({ code: 'ER_NO_SUCH_TABLE' });
  await granted(`CREATE, ${rights}`);
  const client = poolAs(user, 'hunter2');
  await createMysqlTable(client, { table });
  expect(await mysqlStore({ client, table }).acquire(claim(), call())).toMatchObject({ status: 'acquired' });
});

test('row 207: a wrong password is ACCESS_DENIED, and not shown', async () => {
  const error = await failureOf(mysqlStore({ client: poolAs('jobs', 'correct-horse') }).acquire(claim(), call()));

  expect(error).toMatchObject({ code: 'ACCESS_DENIED', retryable: false });
  expect(`${error.stack}${JSON.stringify(error.cause)}`).not.toMatch(/correct-horse/);
});
