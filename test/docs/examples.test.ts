import { join } from 'node:path';
import ts from 'typescript';
import { beforeAll, expect, test } from 'vitest';
import { allExamples } from './examples.js';

const ROOT = join(import.meta.dirname, '../..');

/** Each example as a file of its own beside this test, so that it resolves what users' code resolves. */
const examples = new Map(
  allExamples().map(({ name, code }) => [join(import.meta.dirname, `${name.replaceAll(/\W/g, '-')}.ts`), code]),
);

const WRONG = join(import.meta.dirname, 'wrong.ts');
const wrong = "import { parseDuration } from 'single-execution';\nexport const text: string = parseDuration('1m');\n";

/** Without the 300 services that an example does not import: to read their declarations would take ten seconds. */
const CDK = join(ROOT, 'node_modules/aws-cdk-lib/index.d.ts');
const cdk = "export * from './core';\n";

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
  program = programOf(
    new Map([...(usual ?? []), [WRONG, wrong], [CDK, cdk], [STORE, store], [MARIADB_STORE, mariaDBStore]]),
  );
  legacyProgram = programOf(new Map(legacy), { experimentalDecorators: true, emitDecoratorMetadata: true });
}, 450_000);

test('every TypeScript example in the docs compiles under the strict settings of this project', () => {
  expect(examples.size).toBeGreaterThan(80);
  expect([...examples.keys()].flatMap(problemsOf)).toEqual([]);
}, 450_000);

test('the check of the examples finds a wrong one', () => {
  expect(problemsOf(WRONG)).toEqual([expect.stringContaining("'number' is not assignable")]);
});

function programOf(files: ReadonlyMap<string, string>, more: ts.CompilerOptions = {}): ts.Program {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  // As tsc does: half the text of declarations is comments.
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseForTypeErrors;
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.readFile = (file) => files.get(file) ?? readFile(file);
  host.getSourceFile = (file, target, ...rest) => {
    const code = files.get(file);
    return code === undefined ? getSourceFile(file, target, ...rest) : ts.createSourceFile(file, code, target);
  };
  return ts.createProgram([...files.keys()], { ...options, ...more }, host);
}

function problemsOf(file: string): string[] {
  const its = isOfNestJs(file) ? legacyProgram : program;
  return ts
    .getPreEmitDiagnostics(its, its.getSourceFile(file))
    .map((problem) => `${file}: ${ts.flattenDiagnosticMessageText(problem.messageText, '\n')}`);
}
