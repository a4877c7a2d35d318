import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { inThisRun } from '../../support/in-this-run.js';
import { listening } from '../../support/loopback.js';
import { nodeBinary } from '../../support/node-binary.js';
import { type LambdaHost, type LambdaSettings, startLambda } from './lambda-host.js';

// deployed-handlers.test.ts shows runs one after the other, side by side, paused and killed at their timeout.
const FETCH_MS = 300_000;

/** A folder with this text as index.mjs. The end of the test removes it. */
async function assetOf(module: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'one-module-lambda-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'index.mjs'), module);
  return folder;
}

/** A function of one module. The end of the test stops it. */
async function lambdaOf(major: 22 | 24, module: string, env: LambdaSettings['env'] = {}): Promise<LambdaHost> {
  const [node, taskRoot] = await Promise.all([nodeBinary(major), assetOf(module)]);
  const own = { functionName: 'nightly', region: 'eu-central-1', timeoutMs: 10_000 };
  const host = await startLambda({ node, taskRoot, ...own, env });
  onTestFinished(() => host.stop());
  return host;
}

describe.each([22, 24] as const)('on Node %i', (major) => {
  beforeAll(() => nodeBinary(major).then(() => undefined), FETCH_MS);

  test("hands event and context over and the value back, and shows nothing of this process's environment", async () => {
    vi.stubEnv('SECRET', 'of the parent');
    const module = `export const handler = async (event, context) => ({
      event, context, node: process.versions.node, isAtHome: process.cwd() === process.env.LAMBDA_TASK_ROOT,
      // macOS sets this variable.
      env: { ...process.env, __CF_USER_TEXT_ENCODING: undefined },
    });`;
    const host = await lambdaOf(major, module, { LOCK_TABLE: 'locks' });
    const event = { time: '2026-01-01T00:00:00Z' };
    const logStream = expect.stringMatching(/^\d{4}\/\d\d\/\d\d\/\[\$LATEST\][0-9a-f]{32}$/);

    expect(await host.invoke(event, { requestId: 'r-1' })).toEqual({
      requestId: 'r-1',
      status: 'succeeded',
      value: {
        event,
        node: expect.stringMatching(new RegExp(`^${major}\\.`)),
        isAtHome: true,
        context: {
          functionName: 'nightly',
          functionVersion: '$LATEST',
          memoryLimitInMB: '128',
          logGroupName: '/aws/lambda/nightly',
          logStreamName: logStream,
          invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:nightly',
          awsRequestId: 'r-1',
          ...(major < 24 && { callbackWaitsForEmptyEventLoop: true }),
        },
        env: {
          _HANDLER: 'index.handler',
          AWS_ACCESS_KEY_ID: expect.any(String),
          AWS_SECRET_ACCESS_KEY: expect.any(String),
          AWS_SESSION_TOKEN: expect.any(String),
          AWS_DEFAULT_REGION: 'eu-central-1',
          AWS_REGION: 'eu-central-1',
          AWS_EXECUTION_ENV: `AWS_Lambda_nodejs${major}.x`,
          AWS_LAMBDA_FUNCTION_NAME: 'nightly',
          AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
          AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '128',
          AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
          AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/nightly',
          AWS_LAMBDA_LOG_STREAM_NAME: logStream,
          AWS_LAMBDA_RUNTIME_API: expect.stringMatching(/^127\.0\.0\.1:\d+/),
          LAMBDA_TASK_ROOT: expect.any(String),
          LOCK_TABLE: 'locks',
          PATH: expect.any(String),
          TZ: ':UTC',
        },
      },
    });
  });

  test('passes a callback before Node 24 and refuses a handler that takes one from there on', async () => {
    const host = await lambdaOf(major, 'export const handler = async (event, context, third) => typeof third;');

    expect(await host.invoke({})).toMatchObject(
      major < 24 ? { status: 'succeeded', value: 'function' } : { status: 'crashed', exitCode: 1 },
    );
    expect(host.output().stderr.join('\n')).toContain(major < 24 ? '' : 'Lambda takes no callback handlers');
  });
});

test('a function may set none of the variables of Lambda', async () => {
  await expect(lambdaOf(24, '', { AWS_REGION: 'local' })).rejects.toThrow('AWS_REGION');
});

describe.each(inThisRun<22 | 24>([24], [22]))('on Node %i', (major) => {
  beforeAll(() => nodeBinary(major).then(() => undefined), FETCH_MS);

  test('freezes the process between runs', async () => {
    const host = await lambdaOf(
      major,
      `setInterval(() => console.log('tick'), 5);
      export const handler = async () => new Promise((resolve) => setTimeout(resolve, 50));`,
    );
    await host.invoke({});

    const { stdout } = host.output();
    expect(stdout).toContain('tick');
    await sleep(100);
    expect(host.output().stdout).toEqual(stdout);

    await host.invoke({});
    expect(host.output().stdout.length).toBeGreaterThan(stdout.length);
  });
});

test('leaves no process behind when the process of the host is killed', async () => {
  const server = createServer();
  const port = await listening(server);
  onTestFinished(() => void server.close());
  const taskRoot = await assetOf(`import { connect } from 'node:net';
    connect(${port}, '127.0.0.1');
    export const handler = async () => {};`);
  const script = `import { startLambda } from ${JSON.stringify(new URL('./lambda-host.ts', import.meta.url))};
    const [node, taskRoot] = process.argv.slice(1);
    const host = await startLambda({ node, taskRoot, functionName: 'nightly', region: 'local', timeoutMs: 10_000 });
    console.log(await host.invoke({}));`;
  const args = ['--import', 'tsx', '--input-type=module', '-e', script, process.execPath, taskRoot];
  const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  expect(String(line)).toContain('succeeded');
  const [socket] = await connected;

  parent.kill('SIGKILL');

  // The connection of a frozen process ends only when the process dies.
  await once(socket.on('error', () => {}).resume(), 'close');
});
