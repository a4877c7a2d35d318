import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compileFunction } from 'node:vm';
import * as clientDynamoDB from '@aws-sdk/client-dynamodb';
import * as libDynamoDB from '@aws-sdk/lib-dynamodb';
import * as middy from '@middy/core';
import * as clientMock from 'aws-sdk-client-mock';
import * as root from 'single-execution';
import * as dynamodb from 'single-execution/dynamodb';
import * as memory from 'single-execution/memory';
import * as middyDoor from 'single-execution/middy';
import * as testing from 'single-execution/testing';
import ts from 'typescript';
import * as vitest from 'vitest';
import { builtPackage } from '../support/built-package.js';
import { allExamples, examplesOf, isOfVitest } from './examples.js';

/*
 * Runs the tests that pages show to their readers, unchanged.
 */

const { afterAll, describe, expect, onTestFinished, test } = vitest;

/** Mocks of examples, to be undone: they change a class of a package that later test files share. */
const mocks: { restore(): void }[] = [];
const mockClient: typeof clientMock.mockClient = (client) => {
  const mock = clientMock.mockClient(client);
  mocks.push(mock);
  return mock;
};
afterAll(() => {
  for (const mock of mocks) mock.restore();
});

const MODULES: Readonly<Record<string, unknown>> = {
  vitest,
  '@aws-sdk/client-dynamodb': clientDynamoDB,
  '@aws-sdk/lib-dynamodb': libDynamoDB,
  '@middy/core': { ...middy, __esModule: true },
  'aws-sdk-client-mock': { ...clientMock, mockClient },
  'single-execution': root,
  'single-execution/dynamodb': dynamodb,
  'single-execution/memory': memory,
  'single-execution/middy': middyDoor,
  'single-execution/testing': testing,
};

/** The page whose tests custom-store.test.ts runs, on its own stores. */
const CUSTOM_STORE = 'docs/custom-store.md';
const examples = allExamples().filter((example) => isOfVitest(example) && example.page !== CUSTOM_STORE);

test('the tests in pages are found', () => {
  expect(new Set(examples.map(({ page }) => page))).toEqual(
    new Set(['docs/guides/middy.md', 'docs/guides/testing.md']),
  );
});

describe.each(examples)('the test $name', ({ code }) => {
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023 };
  const { outputText } = ts.transpileModule(code, { compilerOptions });
  compileFunction(outputText, ['require', 'exports'])((name: string) => MODULES[name], {});
});

test('the test for node:test in docs/guides/testing.md passes', async () => {
  const built = await builtPackage();
  onTestFinished(() => built.remove());
  const [example] = examplesOf('docs/guides/testing.md', 'js');
  await writeFile(join(built.folder, 'digest.test.mjs'), example?.code ?? '');

  const { PATH } = process.env;
  const options = { cwd: built.folder, env: { PATH } };
  const { stdout } = await promisify(execFile)(process.execPath, ['--test', 'digest.test.mjs'], options);

  expect(stdout).toMatch(/pass 1\b/);
}, 300_000);
