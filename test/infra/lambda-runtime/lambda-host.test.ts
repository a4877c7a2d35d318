import { beforeAll, describe, expect, test, vi } from 'vitest';
import { nodeBinary } from '../../support/node-binary.js';
import { oneModuleLambda, returnedBy } from './one-module-lambda.js';

const FETCH_MS = 300_000;

describe.each([22, 24] as const)('on Node %i', (major) => {
  beforeAll(() => nodeBinary(major).then(() => undefined), FETCH_MS);

  test('hands event and context over and the value back', async () => {
    const host = await oneModuleLambda(
      major,
      `export const handler = async (event, context) => ({
        event, context, node: process.versions.node, cwd: process.cwd() === process.env.LAMBDA_TASK_ROOT,
      });`,
    );

    const context = {
      functionName: 'nightly',
      functionVersion: '$LATEST',
      memoryLimitInMB: '128',
      logGroupName: '/aws/lambda/nightly',
      logStreamName: expect.stringMatching(/^\d{4}\/\d\d\/\d\d\/\[\$LATEST\][0-9a-f]{32}$/),
      invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:nightly',
      awsRequestId: 'r-1',
      ...(major < 24 && { callbackWaitsForEmptyEventLoop: true }),
    };
    const event = { time: '2026-01-01T00:00:00Z' };
    expect(await host.invoke(event, { requestId: 'r-1' })).toEqual({
      requestId: 'r-1',
      status: 'succeeded',
      value: { event, context, node: expect.stringMatching(new RegExp(`^${major}\\.`)), cwd: true },
    });
  });

  test('passes a callback before Node 24 and refuses a handler that takes one from there on', async () => {
    const host = await oneModuleLambda(major, 'export const handler = async (event, context, third) => typeof third;');

    expect(await host.invoke({})).toMatchObject(
      major < 24 ? { status: 'succeeded', value: 'function' } : { status: 'crashed', exitCode: 1 },
    );
    expect(host.output().stderr.join('\n')).toContain(major < 24 ? '' : 'Lambda takes no callback handlers');
  });

  test("shows the function nothing of this process's environment", async () => {
    vi.stubEnv('SECRET', 'of the parent');
    const host = await oneModuleLambda(major, 'export const handler = async () => process.env;', {
      env: { LOCK_TABLE: 'locks' },
    });

    // macOS sets this variable.
    const { __CF_USER_TEXT_ENCODING, ...env } = returnedBy(await host.invoke({})) as typeof process.env;

    expect(env).toEqual({
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
      AWS_LAMBDA_LOG_STREAM_NAME: expect.any(String),
      AWS_LAMBDA_RUNTIME_API: expect.stringMatching(/^127\.0\.0\.1:\d+/),
      LAMBDA_TASK_ROOT: expect.any(String),
      LOCK_TABLE: 'locks',
      PATH: expect.any(String),
      TZ: ':UTC',
    });
  });

  test('lets the function set none of the variables of Lambda', async () => {
    await expect(oneModuleLambda(major, '', { env: { AWS_REGION: 'local' } })).rejects.toThrow('AWS_REGION');
  });
});
