import { compileFunction } from 'node:vm';
import * as mysql from 'mysql2/promise';
import type { LockAdminStore, LockStore } from 'single-execution';
import * as store from 'single-execution/store';
import * as testing from 'single-execution/testing';
import { lockStoreContract } from 'single-execution/testing';
import ts from 'typescript';
import * as vitest from 'vitest';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startMariaDB } from '../support/mariadb.js';
import { memberCases } from '../support/member-cases.js';
import { providePrograms } from '../support/provided-programs.js';
import { sqlHarness } from '../support/sql-harness.js';
import { examplesOf } from './examples.js';

const PAGE = 'docs/custom-store.md';

interface Exported {
  mariaDBStore(pool: mysql.Pool): LockStore & LockAdminStore;
}

const exported: Partial<Exported> = {};
const pools: mysql.Pool[] = [];
function createPool(url: string): mysql.Pool {
  const pool = mysql.createPool(url);
  pools.push(pool);
  return pool;
}

await providePrograms('mariadb');
const server = await startMariaDB();
vi.stubEnv('DATABASE_URL', server.url);
beforeAll(async () => {
  const [table] = examplesOf(PAGE, 'sql');
  await createPool(server.url).query(table?.code ?? '');
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await server.stop();
});

/** Runs a block of the page unchanged. Later blocks can import its exports as `./mariadb-store.js`. */
function run(code: string): void {
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023 };
  const { outputText } = ts.transpileModule(code, { compilerOptions });
  const modules: Readonly<Record<string, unknown>> = {
    'mysql2/promise': { createPool },
    'single-execution/store': store,
    'single-execution/testing': testing,
    vitest,
    './mariadb-store.js': exported,
  };
  compileFunction(outputText, ['require', 'exports'])(
    (name: string) => modules[name] ?? process.getBuiltinModule(name),
    exported,
  );
}

const [storage = { code: '' }, contract = { code: '' }] = examplesOf(PAGE, 'ts');
run(storage.code);
const { mariaDBStore } = exported as Exported;

describe(`row 68: the store of ${PAGE} keeps the contract`, () => {
  run(contract.code);
});

describe(`row 68: the store of ${PAGE}`, () => {
  const pool = createPool(server.url);
  const harness = sqlHarness({
    store: mariaDBStore(pool),
    keyPrefix: '',
    rows: async (...asked) => (await pool.execute<mysql.RowDataPacket[]>(...asked))[0],
    read: 'SELECT record FROM locks WHERE name = ?',
    write: 'UPDATE locks SET record = ? WHERE name = ?',
  });
  const patched = lockStoreContract.filter(({ needs }) => needs.includes('patch'));
  for (const { name, check } of [...patched, ...memberCases]) test(name, () => check(harness));

  test('F7 of many at once, over pools of their own, one is granted', async () => {
    const claim = { name: 'race', leaseMs: 60_000, lockedBy: 'host', markTickAtStart: false };
    const asked = Array.from({ length: 20 }, (_, i) =>
      mariaDBStore(createPool(server.url)).acquire(
        { ...claim, attemptId: `a${i}` },
        { ...harness.call(), tryMs: 20_000, budgetMs: 20_000 },
      ),
    );

    const granted = (await Promise.all(asked)).filter(({ status }) => status === 'acquired');
    expect(granted).toHaveLength(1);
  });

  test('names that MariaDB would call equal are names of different locks', async () => {
    const claims = ['Digest', 'digest', 'digest ', 'digést'].map((name) =>
      harness.store.acquire(
        { name, attemptId: name, leaseMs: 60_000, lockedBy: 'host', markTickAtStart: false },
        harness.call(),
      ),
    );

    expect((await Promise.all(claims)).map(({ status }) => status)).toEqual(Array(4).fill('acquired'));
  });
});
