import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql, { type RowDataPacket } from 'mysql2/promise';
import { createMysqlTable } from 'single-execution/mysql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BuiltCli, builtCli } from '../support/built-cli.js';
import { innerCli } from '../support/inner-cli.js';
import { type MariaDB, startMariaDB } from '../support/mariadb.js';
import { TEST_CERTIFICATE, TEST_KEY } from '../support/test-certificates.js';

/*
 * The tool's URLs of MySQL, with both clients, on a server that checks rights and speaks TLS.
 */

const PASSWORD = 'p@ss:/?#[]%+ é"\'&=;';

let folder: string;
let server: MariaDB;
let root: mysql.Pool;
const clis = new Map<string, BuiltCli>();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mysql-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  await writeFile(key, TEST_KEY);
  await writeFile(cert, TEST_CERTIFICATE);
  server = await startMariaDB({
    checksRights: true,
    settings: [
      ...[`--ssl-key=${key}`, `--ssl-cert=${cert}`],
      ...['--sysdate-is-now', '--log-bin=bin', '--server-id=1', '--binlog-format=STATEMENT'],
    ],
  });
  root = mysql.createPool(server.url);
  await createMysqlTable(root);
  await root.query("CREATE USER 'odd user'@'%' IDENTIFIED BY ? REQUIRE SSL", [PASSWORD]);
  await root.query("GRANT SELECT, INSERT, UPDATE ON jobs.single_execution_locks TO 'odd user'@'%'");
  for (const client of ['mysql2', 'mariadb']) clis.set(client, await builtCli([client]));
});
afterAll(async () => {
  await Promise.all([...clis.values()].map((cli) => cli.remove()));
  await root?.end();
  await server?.stop();
  await rm(folder, { recursive: true });
});

const urlWith = (search: string) => server.url.replace('root@', `odd%20user:${encodeURIComponent(PASSWORD)}@`) + search;

describe.each(['mysql2', 'mariadb'])('row 208: a URL of the tool, over %s', (client) => {
  const ls = (url: string) => (clis.get(client) as BuiltCli).run(['ls'], { MYSQL_URL: url });

  test.each(['?ssl={"rejectUnauthorized":false}', '?ssl=%7B%22rejectUnauthorized%22%3Afalse%7D'])(
    'row 208: asks for TLS: %s',
    async (search) => {
      expect(await ls(urlWith(search))).toMatchObject({ code: 0, stderr: 'no locks\n' });
    },
  );

  test.each([
    ['with TLS, and a certificate that nobody knows, is an error', '?ssl=true'],
    ['without TLS is refused by a server that wants it for this user', ''],
  ])('row 208: %s', async (_, search) => {
    const { code, stdout, stderr } = await ls(urlWith(search));

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(search !== '' && client === 'mysql2' ? /TLS|certificate/ : /list/);
    expect(stderr).not.toMatch(/p@ss|p%40ss/);
  });

  test('row 208: may name a socket', async () => {
    const [[row]] = await root.query<RowDataPacket[]>('SELECT @@socket AS path');

    expect(await ls(`${server.url}?socketPath=${encodeURIComponent(row?.['path'])}`)).toMatchObject({ code: 0 });
  });
});

test.each([
  ['?ssl-mode=REQUIRED', "--mysql-url has 'ssl-mode', which its clients ignore"],
  ['?sslmode=require', 'which its clients ignore'],
  ['?tls=true', 'which its clients ignore'],
  ['?useSSL=true', 'which its clients ignore'],
  ['?ssl=required', '--mysql-url has an ssl that cannot be read'],
  ['?ssl=[]', '--mysql-url has an ssl that cannot be read'],
])('row 208: a setting of TLS that would be ignored is wrong use: %s', async (search, words) => {
  const { code, stderr } = await innerCli(['ls', '--mysql-url', `mysql://ada:hunter2@127.0.0.1:1/jobs${search}`]);

  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(words) });
  expect(stderr).not.toContain('hunter2');
});

test('row 133: a doctor finds how the server is set, and says what to do', async () => {
  const { stdout } = await innerCli(['doctor', '--json', '--mysql-url', server.url]);
  const found = JSON.parse(stdout) as { status: string; check: string }[];

  expect(found.filter(({ status }) => status !== 'ok').map(({ status, check }) => [status, check])).toEqual([
    ['warning', 'durability'],
    ['problem', 'replication'],
    ['warning', 'late writes'],
  ]);
});
