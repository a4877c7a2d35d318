import type { Project } from './project.js';

/** Files by their names. */
export type Files = Readonly<Record<string, string>>;

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
const workOf = (name: string): string => `run${pascalCase(name)}`;

/** The facts of a project that decide the form of a test. */
type Tested = Pick<Project, 'isTypeScript' | 'runner' | 'testFolder' | 'isModule'>;

const extensionOf = ({ isTypeScript }: Pick<Project, 'isTypeScript'>): string => (isTypeScript ? 'ts' : 'mjs');

const testFileOf = (name: string, project: Tested): string =>
  `${project.testFolder}${name}.test.${extensionOf(project)}`;

/** A handler of AWS Lambda, and a test of it. */
export function jobFiles(name: string, project: Tested): Files {
  return {
    [`${name}.${extensionOf(project)}`]: handler(name, project.isTypeScript),
    [testFileOf(name, project)]: test(name, project),
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

function handler(name: string, isTypeScript: boolean): string {
  const job = workOf(name);
  const env = (variable: string) => (isTypeScript ? `process.env['${variable}']` : `process.env.${variable}`);
  return `import { withSingleExecution } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';

/** The work of one tick, the time that the schedule has sent. A second delivery of a tick is skipped. */
export async function ${job}(tick${isTypeScript ? ': Date | undefined' : ''}) {
  return \`${name} of \${tick?.toISOString() ?? 'now'}\`;
}

export const handler = withSingleExecution(async (_event, _context, { tick }) => ${job}(tick), {
  name: '${name}',
  store: dynamoDBStore({ tableName: ${env('LOCK_TABLE')} ?? 'locks' }),
  lockAtLeastFor: ${env('LOCK_AT_LEAST_FOR')} ?? '1m',
});
`;
}

function test(name: string, project: Tested): string {
  const { runner } = project;
  const job = workOf(name);
  const fromNodeTest = "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n";
  const head = { vitest: "import { expect, test } from 'vitest';\n", jest: '', 'node:test': fromNodeTest }[runner];
  const equal = (value: string, expected: string) =>
    runner === 'node:test' ? `assert.equal(${value}, ${expected})` : `expect(${value}).toBe(${expected})`;
  const file = `${project.testFolder ? '..' : '.'}/${name}${importExtension(project)}`;
  const imports = [
    "import { isSkipped, withSingleExecution } from 'single-execution';",
    "import { memoryStore } from 'single-execution/memory';",
    "import { lambdaContext, scheduledEvent } from 'single-execution/testing';",
  ].join('\n');
  return `${head}${imports}
import { ${job} } from '${file}';

test('${name} runs once for a tick that comes twice', async () => {
  const handler = withSingleExecution(async (_event, _context, { tick }) => ${job}(tick), {
    name: '${name}',
    store: memoryStore(),
    observers: [],
  });
  const event = scheduledEvent();
  ${equal('await handler(event, lambdaContext())', `\`${name} of \${new Date(event.time).toISOString()}\``)};
  ${equal('isSkipped(await handler(event, lambdaContext()))', 'true')};
});
`;
}

/** The extension in imports. Jest does not find a `.ts` file for `.js`; ES modules must name an extension. */
function importExtension({ isTypeScript, runner, isModule }: Tested): string {
  if (!isTypeScript) return '.mjs';
  return runner === 'jest' && !isModule ? '' : '.js';
}
