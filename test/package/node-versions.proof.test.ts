import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { examplesOf } from '../docs/examples.js';
import { type ReadersProject, readersProject } from '../docs/readers-project.js';
import { dynamoDBLocal, freshTable } from '../support/dynamodb-local.js';
import { type NodeVersion, nodeBinary } from '../support/node-binary.js';

/*
 * README's examples, unchanged, on the packed package, and the tests of the core: on the oldest Node that package.json
 * allows, and on the one that docs/install.md recommends.
 */

const ROOT = join(import.meta.dirname, '../..');
const LONG = 300_000;

let project: ReadersProject;
beforeAll(async () => {
  project = await readersProject(['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb']);
  await project.write('race.mjs', example('memoryStore'));
  await project.write('send-digest.mjs', example('dynamoDBStore'));
  await project.write('twice.mjs', TWICE);
}, LONG);
afterAll(() => project?.remove());

function example(part: string): string {
  return examplesOf('README.md', 'ts').find(({ code }) => code.includes(part))?.code ?? '';
}

/** Delivers one event of Scheduler twice, as Lambda does. */
const TWICE = `import { handler } from './send-digest.mjs';
const context = { functionName: 'send-digest', awsRequestId: 'a', getRemainingTimeInMillis: () => 60_000 };
const event = { scheduledTime: '2026-11-21T02:00:00Z' };
await handler(event, context);
console.log((await handler(event, context)).reason);
`;

test('these are the oldest Node of package.json and the one that the page recommends', () => {
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

  expect(engines.node).toMatch(/^\^20\.19 \|\| /);
  expect(readFileSync(join(ROOT, 'docs/install.md'), 'utf8')).toContain(
    'Use Node 24. Older ones work too: Node 20 from 20.19 on',
  );
});

describe.each<NodeVersion>(['20.19', 24])('row 240: on Node %s', { timeout: LONG }, (version) => {
  const run = async (args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}) => {
    const { PATH, HOME } = process.env;
    const options = { cwd, env: { PATH, HOME, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true', ...env } };
    return (await promisify(execFile)(await nodeBinary(version), args, { ...options, maxBuffer: 2 ** 27 })).stdout;
  };

  /** The lines of a program that are no log. */
  const printed = async (program: string, env: NodeJS.ProcessEnv = {}) =>
    (await run([program], project.folder, env))
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('{'));

  test('the binary has this version', async () => {
    expect(await run(['--version'], ROOT)).toMatch(version === 24 ? /^v24\./ : /^v20\.19\./);
  });

  test("README's race in memory prints what README says", async () => {
    expect(await printed('race.mjs')).toEqual(['executed, skipped, skipped', 'skipped']);
  });

  test("README's handler runs once for a tick that is delivered twice", async () => {
    const { client, endpoint } = dynamoDBLocal();
    const keys = { AWS_REGION: 'local', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
    const env = { ...keys, AWS_ENDPOINT_URL_DYNAMODB: endpoint, LOCK_TABLE: await freshTable(client) };

    expect(await printed('twice.mjs', env)).toEqual(['the digest of 2026-11-21T02:00:00.000Z', 'already-executed']);
  });

  test('the tests of the core and of the stores pass that start nothing', async () => {
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
    const args = [vitest, 'run', '--config', 'vitest.quick.config.ts', 'test/core', 'test/stores'];

    expect(await run(args, ROOT, { NO_COLOR: '1' })).toMatch(/Tests +\d+ passed/);
  });
});
