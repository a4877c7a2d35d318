import { join } from 'node:path';
import type ts from 'typescript';
import { beforeAll, expect, test } from 'vitest';
import { checkedProgram, problemsOf, SMALL_CDK } from '../support/checked-program.js';
import { installed } from '../support/package-sets.js';
import { allExamples, examplesOf } from './examples.js';

/** The set that has the packages of all examples. */
const PLACE = join(import.meta.dirname, '../clients');

/** Each example as a file in that folder, where its imports resolve as in users' code. */
const examples = new Map(
  [...allExamples(), ...examplesOf('docs/paths/nestjs.md', 'typescript')].map(({ name, code }) => [
    join(PLACE, `${name.replaceAll(/\W/g, '-')}.ts`),
    code,
  ]),
);

const WRONG = join(PLACE, 'wrong.ts');
const wrong = "import { parseDuration } from 'single-execution';\nexport const text: string = parseDuration('1m');\n";

/** The file that the programs of a guide import. */
const STORE = join(PLACE, 'store.mts');
const store = "import type { LockStore } from 'single-execution';\nexport declare const store: LockStore;\n";

/** The file that the contract in docs/custom-store.md imports: the block before the contract. */
const S3_STORE = join(PLACE, 's3-store.ts');
const s3Store = allExamples().find(({ name }) => name === 'docs/custom-store.md 1')?.code ?? '';

/** Whether an example is of NestJS, which needs legacy decorators. */
const isOfNestJs = (file: string) => file.includes('nestjs');

/** Two programs for all examples, because reading the declarations takes longer than checking the examples. */
let program: ts.Program;
let legacyProgram: ts.Program;
beforeAll(async () => {
  await installed('test/clients');
  const [legacy, usual] = [true, false].map((is) => [...examples].filter(([file]) => isOfNestJs(file) === is));
  program = checkedProgram(new Map([...(usual ?? []), [WRONG, wrong], SMALL_CDK, [STORE, store], [S3_STORE, s3Store]]));
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
