import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { mysqlTable } from 'single-execution/mysql';
import { postgresTable } from 'single-execution/postgres';
import { sqliteTable } from 'single-execution/sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KINDS } from '../../src/cli/store/kinds.js';
import { type Engines, startEngines } from '../support/backends/stage.js';
import { kindsWith } from '../support/backends.js';
import { type BuiltCli, builtCli } from '../support/built-cli.js';
import { innerCli } from '../support/inner-cli.js';
import { nodeBinary } from '../support/node-binary.js';

/** Each test starts the tool several times. */
const LONG = 120_000;

let folder: string;
const DATABASES = kindsWith('sql');
let databases: Engines;
let bare: BuiltCli;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-sql-'));
  [databases, bare] = await Promise.all([startEngines(...DATABASES), builtCli([])]);
}, 120_000);
afterAll(async () => {
  await Promise.all([databases?.stop(), bare?.remove()]);
  await rm(folder, { recursive: true, force: true });
});

const postgresUrl = () => databases.on('postgres').server.url;

// run, look and act are played over these databases too, by the list of engines.
describe.each(DATABASES)('row 133: the command-line tool on %s', (name) => {
  const store = () => databases.on(name).args(databases.on(name).at());
  const run = (...args: string[]) => {
    const end = args.indexOf('--');
    return innerCli(end === -1 ? [...args, ...store()] : [...args.slice(0, end), ...store(), ...args.slice(end)]);
  };

  test(
    'makes the table, and says before what is missing',
    async () => {
      const missing = await run('ls');
      expect(missing).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /^single-execution: list failed: .* does not exist: make it with .* or single-execution table create/m,
        ),
      });
      expect((await run('doctor')).stdout).toMatch(/does not exist[\s\S]*make it: single-execution table create/);

      for (const table of ['single_execution_locks', 'single_execution_locks', 'others']) {
        const made = await run('table', 'create', ...(table === 'others' ? ['--table', table] : []));
        expect(made).toMatchObject({ code: 0, stdout: `table ${table} is there\n` });
      }
      expect(await run('run', '--name', 'digest', '--', 'true')).toMatchObject({ code: 0 });
      expect(await run('show', 'digest')).toMatchObject({ code: 0 });
      expect(await run('show', 'digest', '--table', 'others')).toMatchObject({ code: 3 });
    },
    LONG,
  );

  test('looks at the store, and finds nothing wrong', async () => {
    const { code, stdout } = await run('doctor', '--json');
    const problems = JSON.parse(stdout).filter(({ status }: { status: string }) => status === 'problem');

    expect({ code, problems }).toEqual({ code: 0, problems: [] });
  });
});

test('row 133: each database of the tool is one of these', () => {
  expect(KINDS.flatMap(({ name, job }) => (job ? [name] : []))).toEqual(DATABASES);
});

test('row 133: DATABASE_URL names a Postgres or a MySQL, and no other database', async () => {
  expect(await innerCli(['show', 'nobody'], { DATABASE_URL: postgresUrl() })).toMatchObject({ code: 3 });
  const mysqlUrl = databases.on('mysql').env['MYSQL_URL'] ?? '';
  expect(await innerCli(['show', 'nobody'], { DATABASE_URL: mysqlUrl })).toMatchObject({ code: 3 });
  for (const env of [{ DATABASE_URL: 'mongodb://ada:hunter2@127.0.0.1/x' }, { LOCK_TABLE: '', REDIS_URL: '' }]) {
    const refused = { code: 2, stderr: expect.stringContaining('no store is named') };
    expect(await innerCli(['ls'], env)).toMatchObject(refused);
  }
});

test('row 133: without --table it uses the table of the stores that are given none', () => {
  expect(postgresTable()).toBe(postgresTable('single_execution_locks'));
  expect(mysqlTable()).toBe(mysqlTable('single_execution_locks'));
  expect(sqliteTable()).toBe(sqliteTable('single_execution_locks'));
});

/** The URL of the real server, with another part. */
const changed = (name: 'postgres' | 'mysql', change: object) => {
  const { server } = databases.on(name);
  return Object.assign(new URL((server as { readonly url: string }).url), change).href;
};

const AWAY = 'no-such-host.invalid';
const NO_DATABASE = 'the database does not exist: correct its name';

// F219 in store.test.ts plays databases that are not started.
test.each([
  ['postgres', 'has an unknown host', { hostname: AWAY }, `Postgres at ${AWAY}`],
  ['postgres', 'has no TLS', { search: 'sslmode=verify-full' }, 'set ssl or sslmode of the client to what the server'],
  ['postgres', 'lacks this database', { pathname: '/nowhere' }, NO_DATABASE],
  ['postgres', 'refuses the password', { password: 'wrong' }, 'check the user and the password'],
  ['mysql', 'has an unknown host', { hostname: AWAY }, `MySQL at ${AWAY}`],
  ['mysql', 'has no TLS', { search: 'ssl=true' }, 'set ssl of the client to what the server needs'],
  ['mysql', 'lacks this database', { pathname: '/nowhere' }, NO_DATABASE],
] as const)('a doctor of a %s that %s says what to do, and nothing else', async (name, _, change, remedy) => {
  const { code, stdout } = await innerCli(['doctor', `--${name}-url`, changed(name, change), '--json']);

  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual([{ check: 'table', status: 'problem', found: expect.stringContaining(remedy) }]);
});

test('row 133: a doctor says of a role without rights, and of a replica, what to do', async () => {
  const search = '?options=-c%20default_transaction_read_only%3Don';
  const url = String(Object.assign(new URL(postgresUrl()), { search }));
  const { code, stdout } = await innerCli(['doctor', '--postgres-url', url]);

  expect(code).toBe(1);
  expect(stdout).toMatch(/problem +rights +may not UPDATE \(25006\)/);
});

test('row 133: a wrong password is reported at once, and not shown', async () => {
  const url = String(Object.assign(new URL(postgresUrl()), { password: 'hunter2' }));
  const { code, stdout, stderr } = await innerCli(['ls', '--postgres-url', url]);

  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Postgres refused the login') });
  expect(stdout + stderr).not.toContain('hunter2');
});

test('--sqlite needs no package on a Node that has SQLite', async () => {
  const at = ['--sqlite', join(folder, 'node.db')];
  const run = async (...args: string[]) =>
    (await promisify(execFile)(await nodeBinary(24), [bare.path, ...args, ...at])).stdout;

  expect(await run('table', 'create')).toContain('is there');
  expect(await run('ls', '--json')).toBe('[]\n');
});
