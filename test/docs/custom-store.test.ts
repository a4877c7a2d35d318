import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compileFunction } from 'node:vm';
import type { LockAdminStore, LockStore } from 'single-execution';
import * as store from 'single-execution/store';
import * as testing from 'single-execution/testing';
import { manualClock } from 'single-execution/testing';
import ts from 'typescript';
import * as vitest from 'vitest';
import { afterAll, describe, expect, test } from 'vitest';
import { storeCall } from '../support/contract-harness.js';
import { examplesOf } from './examples.js';

const PAGE = 'docs/custom-store.md';
const FOLDERS: string[] = [];

interface FileStore {
  fileStore(folder: string): LockStore & LockAdminStore;
}

const exported: Partial<FileStore> = {};

/** Runs a block of the page as it stands there. What it exports is `./file-store.js` to the blocks after it. */
function run(code: string): void {
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023 };
  const { outputText } = ts.transpileModule(code, { compilerOptions });
  const modules: Readonly<Record<string, unknown>> = {
    'single-execution/store': store,
    'single-execution/testing': testing,
    vitest,
    './file-store.js': exported,
  };
  compileFunction(outputText, ['require', 'exports'])(
    (name: string) => modules[name] ?? process.getBuiltinModule(name),
    exported,
  );
}

const [storage = { code: '' }, contract = { code: '' }] = examplesOf(PAGE, 'ts');
run(storage.code);
const { fileStore } = exported as FileStore;

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'custom-store-'));
  FOLDERS.push(path);
  return path;
}
afterAll(() => Promise.all(FOLDERS.map((path) => rm(path, { recursive: true, force: true }))));

describe(`row 68: the store of ${PAGE} keeps the contract`, () => {
  run(contract.code);
});

describe(`row 68: the store of ${PAGE}`, () => {
  const call = () => storeCall(manualClock());
  const claim = { name: 'digest', leaseMs: 60_000, lockedBy: 'host', markTickAtStart: false };
  const completion = { result: 'succeeded', lockAtLeastForMs: 0, markTickDone: true, durationMs: 1 } as const;

  test('F7 of many at once, over stores that share nothing but the files, one is granted', async () => {
    const path = await folder();
    const asked = Array.from({ length: 20 }, (_, i) =>
      fileStore(path).acquire({ ...claim, attemptId: `a${i}` }, { ...call(), tryMs: 20_000, budgetMs: 20_000 }),
    );

    const granted = (await Promise.all(asked)).filter(({ status }) => status === 'acquired');
    expect(granted).toHaveLength(1);
  });

  test('F88 leaves no more files than two a lock, however often it runs', async () => {
    const path = await folder();
    const locks = fileStore(path);
    for (let run = 0; run < 5; run++) {
      const result = await locks.acquire({ ...claim, attemptId: `a${run}` }, call());
      if (result.status === 'acquired') await locks.release(result.lease, completion, call());
      await sleep(1);
    }

    expect(await readdir(path)).toHaveLength(2);
  });
});
