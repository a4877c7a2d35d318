import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { dynamoDBLocal, freshTable } from '../../../support/dynamodb-local.js';
import { heard } from '../../../support/last-words.js';
import { installed, type PackageSet } from '../../../support/package-sets.js';
import type { Traced } from './agent.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const REQUESTS = ['request-0', 'request-1', 'request-2'];
const NEW_RELIC = {
  NEW_RELIC_SERVERLESS_MODE_ENABLED: 'true',
  NEW_RELIC_ACCOUNT_ID: '1',
  NEW_RELIC_APP_NAME: 'test',
  NEW_RELIC_NO_CONFIG_FILE: 'true',
  NEW_RELIC_LOG_ENABLED: 'false',
};
const DD_TRACE = {
  DD_TRACE_STARTUP_LOGS: 'false',
  DD_INSTRUMENTATION_TELEMETRY_ENABLED: 'false',
  DD_REMOTE_CONFIGURATION_ENABLED: 'false',
};
const FAILED = 'ConditionalCheckFailedException';

/** The program as CommonJS, which requires each package when it needs it: agents see only packages required later. */
let program: string;
beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('program.ts', import.meta.url))],
    tsconfig: `${ROOT}/tsconfig.json`,
    bundle: true,
    write: false,
    packages: 'external',
    platform: 'node',
    format: 'cjs',
    target: 'node20',
  });
  program = outputFiles[0]?.text ?? '';
});

test.concurrent.each([
  {
    agent: 'opentelemetry',
    applied: { 'rpc.method': 'UpdateItem', status: 'UNSET', 'http.status_code': 200 },
    refused: { 'rpc.method': 'UpdateItem', status: 'ERROR', 'http.status_code': 400, exceptions: [FAILED] },
  },
  {
    agent: 'dd-trace',
    env: DD_TRACE,
    applied: { 'aws.operation': 'update', error: 0 },
    refused: { 'aws.operation': 'update', error: 1, 'error.type': FAILED },
  },
  {
    agent: 'xray',
    applied: { aws: { operation: 'UpdateItem' }, http: { response: { status: 200 } } },
    refused: {
      aws: { operation: 'UpdateItem' },
      http: { response: { status: 400 } },
      error: true,
      exceptions: [FAILED],
    },
  },
  {
    agent: 'newrelic',
    env: NEW_RELIC,
    set: 'test/stores/dynamodb/agents/newrelic' as const,
    applied: { 'aws.operation': 'UpdateItemCommand' },
    // This agent does not show that a command was refused.
    refused: { 'aws.operation': 'UpdateItemCommand' },
  },
])(
  '$agent shows the requests of a lock as it shows bare commands',
  async ({ agent, env = {}, set = 'test/stores/dynamodb/agents' as PackageSet, applied, refused }) => {
    const sent = await run(agent, set, env);
    const roots = treeOf(sent, undefined);
    expect(roots.map(({ name }) => name).sort()).toEqual(REQUESTS);
    for (const { spans } of roots) {
      expect(spans).toHaveLength(4);
      const [bare, granted, bareRefused, skipped] = spans;
      expect(bare?.attributes).toMatchObject(applied);
      expect(granted).toEqual(bare);
      expect(bareRefused?.attributes).toMatchObject(refused);
      expect(skipped).toEqual(bareRefused);
    }
    const ids = sent.flatMap(({ requestId = [] }) => requestId);
    expect(new Set(ids).size).toBe(ids.length);
  },
);

/** Sends requests in a new process, with the packages of a set. @returns the spans that the agent sent */
async function run(agent: string, set: PackageSet, env: NodeJS.ProcessEnv): Promise<readonly Traced[]> {
  const { client, endpoint } = dynamoDBLocal();
  const tableName = await freshTable(client);
  const cwd = await installed(set);
  const args = ['-', agent, endpoint, tableName, ...REQUESTS];
  const child = heard(spawn(process.execPath, args, { cwd, env: { ...process.env, ...env } }));
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.end(program);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

interface Span extends Pick<Traced, 'name' | 'attributes'> {
  readonly hasRequestId: boolean;
  /** The spans inside this span, in the order of their starts. */
  readonly spans: readonly Span[];
}

function treeOf(sent: readonly Traced[], within: string | undefined): readonly Span[] {
  return sent
    .filter(({ parentId }) => parentId === within)
    .sort((a, b) => a.startedAt - b.startedAt)
    .map(({ id, name, requestId, attributes }) => ({
      name,
      hasRequestId: requestId !== undefined,
      attributes,
      spans: treeOf(sent, id),
    }));
}
