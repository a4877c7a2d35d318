import { readFileSync } from 'node:fs';
import { Pool } from 'pg';
import { createPostgresTable, postgresStore } from 'single-execution/postgres';
import { type ContractHarness, lockStoreContract } from 'single-execution/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ownEngine } from '../../support/backends/stage.js';
import { commandsAbout, innerCli, innerCliOn } from '../../support/inner-cli.js';
import { memberCases } from '../../support/member-cases.js';
import { call, claim, done, grant } from '../../support/one-run.js';
import { failureOf, says } from '../../support/settled.js';
import { sqlHarness } from '../../support/sql-harness.js';

/** The rights that the page of the store lists. */
const PAGE = readFileSync(new URL('../../../docs/stores/postgres.md', import.meta.url), 'utf8');
const [GRANT = ''] = /^GRANT .*;$/m.exec(PAGE) ?? [];

const { server, pool } = await ownEngine('postgres');
const urlAs = (username: string) => String(Object.assign(new URL(server.url), { username, password: 'j' }));
const asJobs = new Pool({ connectionString: urlAs('jobs') });
const asViewer = new Pool({ connectionString: urlAs('viewer'), max: 2 });
beforeAll(async () => {
  await pool.query(`CREATE ROLE jobs LOGIN PASSWORD 'j'; CREATE ROLE viewer LOGIN PASSWORD 'j'`);
  await pool.query(`${GRANT} GRANT SELECT ON single_execution_locks TO viewer`);
});
afterAll(async () => {
  await Promise.all([asJobs.end(), asViewer.end()]);
});

describe.concurrent('row 144: with the rights of the page, the store keeps the contract', () => {
  let harness: ContractHarness;
  beforeAll(() => {
    const keyPrefix = 'contract:';
    harness = sqlHarness({
      store: postgresStore({ client: asJobs, keyPrefix }),
      keyPrefix,
      rows: async (...asked) => (await pool.query(...asked)).rows,
      read: 'SELECT record FROM single_execution_locks WHERE name = $1',
      write: 'UPDATE single_execution_locks SET record = $1 WHERE name = $2',
    });
  });

  for (const { name, check } of [...lockStoreContract, ...memberCases]) test(name, () => check(harness));
});

test('row 144: the page lists three rights', () => {
  expect(GRANT).toBe('GRANT SELECT, INSERT, UPDATE ON "single_execution_locks" TO jobs;');
});

describe('row 144: with the rights of the page, each command of the tool works', () => {
  const store = ['--postgres-url', urlAs('jobs')];
  const tick = new Date(Date.now() - 60_000).toISOString();

  test.each(commandsAbout('digest', tick))('%s', async (...args) => {
    const { code, stderr } = await innerCliOn(store, args);

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('42501') });
  });

  test('unlock', async () => {
    const { fencingToken } = await grant(postgresStore({ client: asJobs }), claim({ name: 'stuck' }));
    const { code } = await innerCli(['unlock', 'stuck', '--yes', '--token', String(fencingToken), ...store]);

    expect(code).toBe(0);
  });
});

describe('row 144: with SELECT alone, the commands that only look work', () => {
  const store = ['--postgres-url', urlAs('viewer')];
  beforeAll(async () => {
    const own = postgresStore({ client: asJobs });
    await own.release(await grant(own, claim({ name: 'seen' })), done, call());
  });

  test.each([['ls'], ['show', 'seen'], ['runs', 'seen'], ['why', 'seen'], ['open', 'seen']])(
    '%s %s',
    async (...args) => {
      expect(await innerCli([...args, ...store])).toMatchObject({
        code: 0,
        stderr: expect.not.stringContaining('42501'),
      });
    },
  );

  test('and the others name the right that is missing', async () => {
    expect(await innerCli(['pause', 'seen', ...store])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('GRANT SELECT, INSERT, UPDATE ON "single_execution_locks"'),
    });
    expect(await innerCli(['doctor', ...store])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/problem +rights +may not UPDATE \(42501\)/),
    });
  });
});

describe('row 144: a right that is missing is ACCESS_DENIED, and named', () => {
  const RIGHTS = ['SELECT', 'INSERT', 'UPDATE'] as const;
  beforeAll(async () => {
    await pool.query(`CREATE SCHEMA private; CREATE ROLE poor LOGIN PASSWORD 'j'`);
    await createPostgresTable(pool, { table: 'private.locks' });
  });
  beforeEach(async () => {
    await pool.query(
      `GRANT USAGE ON SCHEMA private TO poor; REVOKE ALL ON private.locks FROM poor; GRANT ${RIGHTS.join(', ')} ON private.locks TO poor`,
    );
  });
  const asPoor = new Pool({ connectionString: urlAs('poor'), max: 1 });
  afterAll(() => asPoor.end());
  /** Acquires and releases two locks, so that every statement is sent. */
  const used = async () => {
    const store = postgresStore({ client: asPoor, table: 'private.locks' });
    const name = `lock ${Math.random()}`;
    await store.release(await grant(store, claim({ name })), done, call());
  };

  test.each(RIGHTS)('%s', async (right) => {
    await pool.query(`REVOKE ${right} ON private.locks FROM poor`);

    expect(await failureOf(used())).toMatchObject(
      says('ACCESS_DENIED', 'GRANT SELECT, INSERT, UPDATE ON "private"."locks" TO the role of this client', {
        retryable: false,
      }),
    );
  });

  test('USAGE on the schema', async () => {
    await pool.query('REVOKE USAGE ON SCHEMA private FROM poor');

    expect(await failureOf(used())).toMatchObject(
      says('ACCESS_DENIED', 'no right to the schema of table "private"."locks": GRANT USAGE ON that SCHEMA'),
    );
  });

  test('none', async () => {
    await expect(used()).resolves.toBeUndefined();
  });
});

describe('row 145: doctor says what is wrong with the table', () => {
  const SOUND = 'name text PRIMARY KEY, record text, version bigint';
  const OTHER = (code: number) => new RegExp(`problem +table +.*has other columns.*\\(${code}\\)`);
  const stamp = 'FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()';
  const kind = (found: string) => new RegExp(`(problem|warning) +table kind +${found}`);
  test.each<[string, string, string, RegExp]>([
    ['no primary key', SOUND.replace(' PRIMARY KEY', ''), '', /problem +columns +not those of a lock \(42P10\)/],
    ['JSON', SOUND.replace('record text', 'record jsonb'), '', OTHER(42804)],
    ['version as text', SOUND.replace('bigint', 'text'), '', OTHER(42883)],
    [
      'a short record',
      SOUND.replace('record text', 'record varchar(255)'),
      '',
      kind('record is character varying\\(255\\)'),
    ],
    ['a padded name', SOUND.replace('name text', 'name char(20)'), '', kind('name is character\\(20\\)')],
    ['policies', SOUND, 'ALTER TABLE t ENABLE ROW LEVEL SECURITY', kind('row level security applies')],
    ['a trigger', SOUND, `CREATE TRIGGER stamp BEFORE UPDATE ON t ${stamp}`, kind('triggers: stamp')],
    ['no log', SOUND, 'ALTER TABLE t SET UNLOGGED', kind('not logged')],
    ['nothing', SOUND, '', /ok +table kind +an ordinary table/],
  ])('%s', async (_, columns, change, found) => {
    await pool.query(
      `DROP TABLE IF EXISTS t; CREATE TABLE t (${columns}); ${change}; ${GRANT.replace(/ON \S+/, 'ON t')}`,
    );

    expect((await innerCli(['doctor', '--postgres-url', urlAs('jobs'), '--table', 't'])).stdout).toMatch(found);
  });
});
