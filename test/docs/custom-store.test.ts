import { compileFunction } from 'node:vm';
import { executeWithLock, type LockAdminStore, type LockStore } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import * as store from 'single-execution/store';
import * as testing from 'single-execution/testing';
import { type ContractHarness, lockStoreContract } from 'single-execution/testing';
import ts from 'typescript';
import * as vitest from 'vitest';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { shiftedClock } from '../support/clocks.js';
import { patientCall, patientStore, redisHarness } from '../support/contract-harness.js';
import { memberCases } from '../support/member-cases.js';
import { claim } from '../support/one-run.js';
import { examplesOf } from './examples.js';
import { startS3 } from './s3-server.js';

const PAGE = 'docs/custom-store.md';

interface Exported {
  s3Store(bucket: string, send: typeof fetch): LockStore & LockAdminStore & ContractHarness['store'];
}

const exported: Partial<Exported> = {};
const s3 = await startS3();
afterAll(() => s3.stop());
vi.stubEnv('BUCKET_URL', s3.url);
// The time of the server has whole seconds, so a case that lets a lease end waits for two of them. The time limit only
// ends what hangs: sixteen cases at once are slow on a busy machine.
vi.setConfig({ maxConcurrency: 16, testTimeout: 300_000 });

/** Runs a block of the page unchanged. Later blocks can import its exports as `./s3-store.js`. */
function run(code: string, exports: object = exported): void {
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023 };
  const { outputText } = ts.transpileModule(code, { compilerOptions });
  const modules: Readonly<Record<string, unknown>> = {
    'single-execution/store': store,
    'single-execution/testing': testing,
    vitest,
    './s3-store.js': exported,
  };
  compileFunction(outputText, ['require', 'exports'])(
    (name: string) => modules[name] ?? process.getBuiltinModule(name),
    exports,
  );
}

const [storage = { code: '' }, contract = { code: '' }] = examplesOf(PAGE, 'ts');
run(storage.code);
const { s3Store } = exported as Exported;

describe.concurrent(`rows 68, 215: the store of ${PAGE} keeps the contract`, () => {
  run(contract.code);
});

describe(`rows 68, 215: the store of ${PAGE}`, () => {
  const locks = s3Store(s3.url, fetch);
  const harness: ContractHarness = {
    ...redisHarness({ store: locks, admin: locks, keyPrefix: '', hset: async () => undefined }),
    expire: async ({ lockUntilMs }) =>
      void (await new Promise((resolve) => setTimeout(resolve, Math.max(0, lockUntilMs - Date.now()) + 1_000))),
    leasePadMs: 1_000,
    async patch(name, attributes) {
      const key = `locks/${name}.json`;
      const body = JSON.parse(s3.objects.get(key) ?? '{}');
      s3.objects.set(key, JSON.stringify({ ...body, record: { ...body.record, ...attributes } }));
    },
  };
  describe.concurrent('with changed records', () => {
    const patched = lockStoreContract.filter(({ needs }) => needs.includes('patch'));
    for (const { name, check } of patched) test(name, () => check(harness));
  });
  describe('with members', () => {
    // Two check-ins within a second are at one instant.
    const members = memberCases.filter(({ name }) => !name.startsWith('a check-in again moves the instant'));
    expect(members).toHaveLength(memberCases.length - 1);
    for (const { name, check } of members) test(name, () => check(harness as never));
  });
});

describe('row 215: over the rules of S3', () => {
  const call = () => patientCall(shiftedClock(-600_000));
  const acquire = (name: string, attemptId: string) =>
    s3Store(s3.url, fetch).acquire(claim({ name, attemptId }), call());
  const since = () => {
    const from = s3.answers.length;
    return () => s3.answers.slice(from);
  };

  test('F7 of many at once one is granted', async () => {
    const asked = Array.from({ length: 20 }, (_, n) => acquire('race', `a${n}`));

    const granted = (await Promise.all(asked)).filter(({ status }) => status === 'acquired');
    expect(granted).toHaveLength(1);
  });

  test.each([
    ['beside another one is tried again, and needs no cancel', 409],
    ['that was refused is judged anew', 412],
  ])('F202 a write %s: %i', async (_, status) => {
    const answers = since();
    s3.refuse(status);

    expect(await acquire(`refused ${status}`, 'a1')).toMatchObject({ status: 'acquired' });
    expect(answers()).toEqual(['GET 404', `PUT ${status}`, 'GET 404', 'PUT 200']);
  });

  test('F203 a record that is written back byte for byte has another ETag, so a late write is refused', async () => {
    const locks = s3Store(s3.url, fetch);
    await acquire('again', 'a1');
    const object = `${s3.url}/locks/again.json`;
    const before = await fetch(object);
    await lockAdmin(locks).pause('again');
    await lockAdmin(locks).resume('again');
    const after = await fetch(object);
    const headers = { 'if-match': String(before.headers.get('etag')) };
    const late = await fetch(object, { method: 'PUT', headers, body: 'late' });

    const [was, is] = await Promise.all([before, after].map((response) => response.text()));
    expect(JSON.parse(String(is)).record).toEqual(JSON.parse(String(was)).record);
    expect(late.status).toBe(412);
  });

  test('F201 without its clockResolutionMs the contract refuses it, by the header Date of a real server', async () => {
    const undeclared: Partial<Exported> = {};
    run(storage.code.replace('clockResolutionMs: 1_000,', ''), undeclared);
    const locks = (undeclared as Exported).s3Store(s3.url, fetch);
    const step = lockStoreContract.find(({ name }) => name.startsWith('F201'));
    const harness = {
      ...redisHarness({ store: locks, admin: locks, keyPrefix: '', hset: async () => undefined }),
      call,
    };

    // A machine that stands still while the header changes hides one step of it.
    const seen = () => step?.check(harness).then(() => 'no step', String);
    await expect.poll(seen).toContain('declare its resolution');
  });

  test('a bucket that is not there is an error, and no lock that was never used', async () => {
    const locks = s3Store(s3.url.replace('bucket', 'other'), fetch);
    const asked = locks.acquire(claim({ name: 'x' }), { ...call(), tryMs: 1_000, budgetMs: 1_000 });

    await expect(asked).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('a run costs four requests, a skip one, and a list has all locks of several pages', async () => {
    const locks = patientStore(s3Store(s3.url, fetch));
    const answers = since();
    const options = { store: locks, lockAtMostFor: '1m', tick: new Date('2026-11-20T09:00:00Z'), observers: [] };
    const names = ['ä b', 'a/b', '%41', '..', "it's", 'a+b', 'a&b'];
    for (const name of names) {
      expect(await executeWithLock(() => 'sent', { ...options, name })).toMatchObject({ release: 'released' });
    }
    expect(answers()).toHaveLength(4 * names.length);
    expect(await executeWithLock(() => 'sent', { ...options, name: '..' })).toMatchObject({ status: 'skipped' });
    expect(answers()).toHaveLength(4 * names.length + 1);

    // Objects that are no locks stand between them in the list.
    for (const name of names) s3.objects.set(`locks/${name} is not a lock.txt`, '');
    const listed = await lockAdmin(locks).list();
    expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    expect(listed.every(({ readAt }) => readAt?.getMilliseconds() === 0)).toBe(true);
  });
});
