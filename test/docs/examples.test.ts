import { join } from 'node:path';
import type ts from 'typescript';
import { beforeAll, expect, test } from 'vitest';
import { checkedProgram, problemsOf, SMALL_CDK } from '../support/checked-program.js';
import { allExamples } from './examples.js';

/** Each example as a file of its own beside this test, so that it resolves what users' code resolves. */
const examples = new Map(
  allExamples().map(({ name, code }) => [join(import.meta.dirname, `${name.replaceAll(/\W/g, '-')}.ts`), code]),
);

const WRONG = join(import.meta.dirname, 'wrong.ts');
const wrong = "import { parseDuration } from 'single-execution';\nexport const text: string = parseDuration('1m');\n";

/** What the programs of a guide import from the file beside them. */
const STORE = join(import.meta.dirname, 'store.mts');
const store = "import type { LockStore } from 'single-execution';\nexport declare const store: LockStore;\n";

/** What the contract of a page imports: the block before it. */
const MARIADB_STORE = join(import.meta.dirname, 'mariadb-store.ts');
const mariaDBStore = allExamples().find(({ name }) => name === 'docs/custom-store.md 1')?.code ?? '';

/** NestJS needs the legacy kind of decorators. */
const isOfNestJs = (file: string) => file.includes('nestjs');

/** One program of all, or nearly all: to read the declarations takes longer than to check the examples. */
let program: ts.Program;
let legacyProgram: ts.Program;
beforeAll(() => {
  const [legacy, usual] = [true, false].map((is) => [...examples].filter(([file]) => isOfNestJs(file) === is));
  program = checkedProgram(
    new Map([...(usual ?? []), [WRONG, wrong], SMALL_CDK, [STORE, store], [MARIADB_STORE, mariaDBStore]]),
  );
  legacyProgram = checkedProgram(new Map(legacy), { experimentalDecorators: true, emitDecoratorMetadata: true });
}, 450_000);

test('every TypeScript example in the docs compiles under the strict settings of this project', () => {
  expect(examples.size).toBeGreaterThan(80);
  expect([...examples.keys()].flatMap((file) => problemsOf(isOfNestJs(file) ? legacyProgram : program, file))).toEqual(
    [],
  );
}, 450_000);

test('the check of the examples finds a wrong one', () => {
  expect(problemsOf(program, WRONG)).toEqual([expect.stringContaining("'number' is not assignable")]);
});
