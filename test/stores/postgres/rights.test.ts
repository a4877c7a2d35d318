import { readFileSync } from 'node:fs';
import { Pool } from 'pg';
import type { LockStoreError } from 'single-execution';
import { createPostgresTable, postgresStore } from 'single-execution/postgres';
import { type ContractHarness, lockStoreContract } from 'single-execution/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ownEngine } from '../../support/backends/stage.js';
import { innerCli } from '../../support/inner-cli.js';
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
  const lock = 'digest';

  test.each<readonly string[]>([
    ['run', '--name', lock, '--tick', tick, '--', 'true'],
    ['ls'],
    ['show', lock],
    ['runs', lock],
    ['why', lock, '--tick', tick],
    ['open', lock],
    ['pause', lock],
    ['resume', lock],
    ['backfill', lock, '--from', '2026-01-01T00:00:00Z', '--to', '2026-01-01T02:00:00Z', '--schedule', 'rate(1 hour)'],
    ['forget', lock, '--all'],
    ['delete', lock, '--yes'],
    ['doctor'],
  ])('%s', async (...args) => {
    const end = args.indexOf('--');
    const own = end === -1 ? [...args, ...store] : [...args.slice(0, end), ...store, ...args.slice(end)];
    const { code, stderr } = await innerCli(own);

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

    expect(await failureOf<LockStoreError>(used())).toMatchObject(
      says('ACCESS_DENIED', 'GRANT SELECT, INSERT, UPDATE ON "private"."locks" TO the role of this client', {
        retryable: false,
      }),
    );
  });

  test('USAGE on the schema', async () => {
    await pool.query('REVOKE USAGE ON SCHEMA private FROM poor');

    expect(await failureOf<LockStoreError>(used())).toMatchObject(
      says('ACCESS_DENIED', 'no right to the schema of table "private"."locks": GRANT USAGE ON that SCHEMA'),
    );
  });

  test('none', async () => {
    await expect(used()).resolves.toBeUndefined();
  });
});

describe('row 145: doctor says what is wrong with the table', () => {
  test.each<[string, string, string, RegExp]>([
    ['no primary key', 'name text, record text, version bigint', '', /problem +columns +not those of a lock \(42P10\)/],
    [
      'JSON',
      'name text PRIMARY KEY, record jsonb, version bigint',
      '',
      /problem +table +.*has other columns.*\(42804\)/,
    ],
    [
      'a short record',
      'name text PRIMARY KEY, record varchar(255), version bigint',
      '',
      /problem +table kind +record is character varying\(255\)/,
    ],
    [
      'a padded name',
      'name char(20) PRIMARY KEY, record text, version bigint',
      '',
      /problem +table kind +name is character\(20\)/,
    ],
    [
      'version as text',
      'name text PRIMARY KEY, record text, version text',
      '',
      /problem +table +.*has other columns.*\(42883\)/,
    ],
    [
      'policies',
      'name text PRIMARY KEY, record text, version bigint',
      'ALTER TABLE t ENABLE ROW LEVEL SECURITY',
      /warning +table kind +row level security applies/,
    ],
    [
      'a trigger',
      'name text PRIMARY KEY, record text, version bigint',
      'CREATE TRIGGER stamp BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()',
      /warning +table kind +triggers: stamp/,
    ],
    [
      'no log',
      'name text PRIMARY KEY, record text, version bigint',
      'ALTER TABLE t SET UNLOGGED',
      /warning +table kind +not logged/,
    ],
    ['nothing', 'name text PRIMARY KEY, record text, version bigint', '', /ok +table kind +an ordinary table/],
  ])('%s', async (_, columns, change, found) => {
    await pool.query(
      `DROP TABLE IF EXISTS t; CREATE TABLE t (${columns}); ${change}; ${GRANT.replace(/ON \S+/, 'ON t')}`,
    );

    expect((await innerCli(['doctor', '--postgres-url', urlAs('jobs'), '--table', 't'])).stdout).toMatch(found);
  });
});
