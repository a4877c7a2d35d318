import type { Project } from './project.js';

/** The text of each file, by the file's name. */
export type Files = Readonly<Record<string, string>>;

/** What is written for a job, and what to do next. */
export interface Job {
  readonly files: Files;
  /** Packages that the files need besides single-execution. */
  readonly needed: readonly string[];
  /** What to do after the test: a purpose and a command. */
  readonly steps: Readonly<Record<string, string>>;
  /** The line that adds the job to an existing app of SST. */
  readonly toAdd?: string;
}

/** `send-digest` as `sendDigest`. */
export function camelCase(name: string): string {
  return name.replace(/-+([a-z\d])/g, (_, letter: string) => letter.toUpperCase());
}

/** `send-digest` as `SendDigest`. */
export function pascalCase(name: string): string {
  const camel = camelCase(name);
  return camel.charAt(0).toUpperCase() + camel.slice(1);
}

/** The function that does the work. The verb keeps it apart from JavaScript's own words, such as `delete`. */
export const workOf = (name: string): string => `run${pascalCase(name)}`;

export const extensionOf = ({ isTypeScript }: Pick<Project, 'isTypeScript'>): string => (isTypeScript ? 'ts' : 'mjs');

/** The expression that reads an environment variable. Strict TypeScript requires the brackets. */
export const variable = (name: string, isTypeScript: boolean): string =>
  isTypeScript ? `process.env['${name}']` : `process.env.${name}`;

/** The facts of a project that decide the form of a test. */
export type Tested = Pick<Project, 'isTypeScript' | 'runner' | 'testFolder' | 'isModule'>;

const testFileOf = (name: string, project: Tested): string =>
  `${project.testFolder}${name}.test.${extensionOf(project)}`;

/** The parts of a job and its test that depend on what calls the job. */
interface Caller {
  /** Imports of the job's file. */
  readonly head?: string;
  /** The end of the job's file. */
  readonly tail?: string;
  readonly testImports: readonly string[];
  /** Statements of the test. */
  readonly setUp: string;
  /** Expressions of the test: a delivery, and the tick that it delivers. */
  readonly delivery: string;
  readonly tick: string;
}

/** The work of a job, and a test of it. */
export function jobFiles(name: string, project: Tested, caller: Caller): Files {
  const { head = '', tail = '' } = caller;
  const { isTypeScript } = project;
  return {
    [`${name}.${extensionOf(project)}`]: `${head}/** The work of one tick, the time that the schedule has sent. A second delivery of a tick is skipped. */
export async function ${workOf(name)}(tick${isTypeScript ? ': Date | undefined' : ''}) {
  return \`${name} of \${tick?.toISOString() ?? 'now'}\`;
}
${tail}`,
    [testFileOf(name, project)]: test(name, project, caller),
  };
}

/** The command that runs the test. */
export function testCommand(name: string, project: Tested): string {
  const { isTypeScript, runner } = project;
  if (runner === 'vitest') return `npx vitest run ${name}`;
  // Jest needs this flag to read ES modules.
  if (runner === 'jest') return `${isTypeScript ? '' : 'NODE_OPTIONS=--experimental-vm-modules '}npx jest ${name}`;
  return `${isTypeScript ? 'npx tsx' : 'node'} --test ${testFileOf(name, project)}`;
}

function test(name: string, project: Tested, { testImports, setUp, delivery, tick }: Caller): string {
  const { runner } = project;
  const fromNodeTest = "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n";
  const head = { vitest: "import { expect, test } from 'vitest';\n", jest: '', 'node:test': fromNodeTest }[runner];
  const equal = (value: string, expected: string) =>
    runner === 'node:test' ? `assert.equal(${value}, ${expected})` : `expect(${value}).toBe(${expected})`;
  return `${head}${testImports.join('\n')}
import { ${workOf(name)} } from '${project.testFolder ? '..' : '.'}/${name}${importExtension(project)}';

test('${name} runs once for a tick that comes twice', async () => {
${setUp}
  ${equal(`await ${delivery}`, `\`${name} of \${${tick}.toISOString()}\``)};
  ${equal(`isSkipped(await ${delivery})`, 'true')};
});
`;
}

/** The extension in imports. Jest does not find a `.ts` file for `.js`; ES modules must name an extension. */
export function importExtension({ isTypeScript, runner, isModule }: Tested): string {
  if (!isTypeScript) return '.mjs';
  return runner === 'jest' && !isModule ? '' : '.js';
}
