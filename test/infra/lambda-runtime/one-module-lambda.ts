import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { nodeBinary } from '../../support/node-binary.js';
import { type Invocation, type LambdaHost, type LambdaSettings, startLambda } from './lambda-host.js';

/** A folder with this text as index.mjs. The end of the test removes it. */
export async function oneModuleAsset(module: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'one-module-lambda-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'index.mjs'), module);
  return folder;
}

/** A function of one module. The end of the test stops it. */
export async function oneModuleLambda(
  major: 22 | 24,
  module: string,
  settings: Partial<LambdaSettings> = {},
): Promise<LambdaHost> {
  const taskRoot = await oneModuleAsset(module);
  const own = {
    node: await nodeBinary(major),
    taskRoot,
    functionName: 'nightly',
    region: 'eu-central-1',
    timeoutMs: 10_000,
  };
  const host = await startLambda({ ...own, ...settings });
  onTestFinished(() => host.stop());
  return host;
}

/** What a run returned. Throws if the run did not succeed. */
export function returnedBy(invocation: Invocation): unknown {
  if (invocation.status !== 'succeeded') throw new Error(`The run returned nothing: ${JSON.stringify(invocation)}`);
  return invocation.value;
}
