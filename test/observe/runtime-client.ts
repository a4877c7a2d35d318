import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nodeBinary } from '../support/node-binary.js';
import { preparedPackages } from '../support/package-sets.js';

const ADDON = fileURLToPath(new URL('./handed-over.cjs', import.meta.url));

/**
 * Runs a function under AWS's own runtime client, which patches the console. Only its HTTP client is another one.
 *
 * @param program the module that exports the `handler`
 * @returns the lines that were printed
 */
export async function printedOnLambda(
  program: string,
  events: readonly object[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly stdout: readonly string[]; readonly stderr: readonly string[] }> {
  const [node, client] = await Promise.all([nodeBinary(24), runtimeClient()]);
  const lambda = {
    _HANDLER: `${basename(program, '.mjs')}.handler`,
    LAMBDA_TASK_ROOT: dirname(program),
    AWS_LAMBDA_FUNCTION_NAME: 'nightly',
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '128',
    AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/nightly',
    AWS_LAMBDA_LOG_STREAM_NAME: 'stream',
    AWS_LAMBDA_RUNTIME_API: '127.0.0.1:9',
    AWS_REGION: 'eu-central-1',
    ADDON,
    EVENTS: JSON.stringify(events),
  };
  const { stdout, stderr } = await promisify(execFile)(node, [client], { env: { ...lambda, ...env } });
  const lines = (text: string) => text.split('\n').slice(0, -1);
  return { stdout: lines(stdout), stderr: lines(stderr) };
}

/** The path of the runtime client, whose native part is replaced. */
async function runtimeClient(): Promise<string> {
  const client = await preparedPackages('test/observe/runtime-client', 'addon', async (folder) => {
    const addon = join(folder, 'node_modules/aws-lambda-ric/rapid-client.node');
    await mkdir(addon, { recursive: true });
    await writeFile(join(addon, 'index.cjs'), 'module.exports = require(process.env.ADDON);\n');
    await writeFile(join(addon, 'package.json'), '{ "main": "index.cjs" }\n');
  });
  return client.resolve('aws-lambda-ric/index.mjs');
}
