import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { handlerFiles } from '../../../src/cli/init/lambda-job.js';
import { dynamoDBLocal, freshTable } from '../../support/dynamodb-local.js';
import { nodeBinary } from '../../support/node-binary.js';
import { delivered } from '../delivered.js';
import { startLambda } from '../lambda-runtime/lambda-host.js';
import type { Deployment } from './deployment.js';
import { parseCloudFormation, readSam } from './read-sam.js';
import { readTerraform } from './read-terraform.js';

/*
 * Runs the job of `init` as SAM and Terraform would deploy it: bundled as the template says, run as Lambda runs it,
 * with the template's settings and environment, on the event of its schedule. templates.test.ts compares its policy
 * with that of the construct, which deployed-handlers.test.ts holds requests against.
 */

const ROOT = join(import.meta.dirname, '../../..');
const SLOW = { timeout: 120_000 };
const { client, endpoint } = dynamoDBLocal();
let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'job-'));
  const job = handlerFiles('send-digest', { isTypeScript: true, runner: 'vitest', testFolder: '', isModule: true });
  for (const [file, text] of Object.entries(job)) await writeFile(join(project, file), text);
  // This configuration has the paths at which imports find the library.
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ extends: join(ROOT, 'tsconfig.json') }));
  await symlink(join(ROOT, 'node_modules'), join(project, 'node_modules'), 'dir');
});
afterAll(() => rm(project, { recursive: true }));

interface Bundled {
  readonly deployment: Deployment;
  readonly handler: string;
  /** The folder that the tool zips. */
  readonly folder: string;
}

const readTemplateFile = (file: string): Promise<string> => readFile(join(ROOT, 'infra/templates', file), 'utf8');

/** Bundles as `sam build` does: for esbuild, `true` is a flag, `false` is left out, and a text is an option's value. */
async function bundledBySam(): Promise<Bundled> {
  const text = await readTemplateFile('sam/template.yaml');
  const { Metadata = {}, Properties = {} } = parseCloudFormation(text).Resources['SendDigestFunction'] ?? {};
  const { EntryPoints, ...options } = Metadata['BuildProperties'] as { readonly EntryPoints: string[] };
  const flags = Object.entries(options).flatMap(([name, value]) => {
    const flag = `-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (typeof value === 'boolean') return value ? [flag] : [];
    return [`${flag}=${value}`];
  });
  const folder = join(project, 'sam');
  const esbuild = join(ROOT, 'node_modules/.bin/esbuild');
  const always = ['--bundle', '--platform=node', `--outdir=${folder}`, '--format=cjs'];
  await promisify(execFile)(esbuild, [...EntryPoints, ...flags, ...always], { cwd: project });
  return { deployment: await readSam(text), handler: String(Properties['Handler']), folder };
}

/** Bundles with the command in the template's comment, without the zip. */
async function bundledForTerraform(): Promise<Bundled> {
  const text = await readTemplateFile('terraform/main.tf');
  const command = /# (npx esbuild[^\n]*)\\\n +# +([^\n]*)\\\n/.exec(text)?.slice(1).join('') ?? '';
  await promisify(execFile)('sh', ['-c', command], { cwd: project });
  const handler = /handler += "(.+)"/.exec(text)?.[1] ?? '';
  return { deployment: await readTerraform(text), handler, folder: join(project, 'dist') };
}

test.each([
  ['SAM', bundledBySam],
  ['Terraform', bundledForTerraform],
])('what %s deploys runs a tick once', SLOW, async (_, bundled) => {
  const { deployment, handler, folder } = await bundled();
  const { job, fn, input } = deployment;
  const sources = JSON.parse(await readFile(join(folder, 'send-digest.js.map'), 'utf8'));
  expect(sources).not.toHaveProperty('sourcesContent');
  const [{ AttributeName: partitionKey }] = deployment.table['KeySchema'] as [{ readonly AttributeName: string }];
  const table = await freshTable(client, { partitionKey });
  const filled = fillerOf(deployment, table);
  const host = await startLambda({
    node: await nodeBinary(24),
    taskRoot: folder,
    handler,
    functionName: 'send-digest',
    region: 'eu-central-1',
    memoryMb: fn.MemorySize,
    timeoutMs: job.timeoutSeconds * 1_000,
    env: { ...filled(fn.Environment.Variables), AWS_ENDPOINT_URL_DYNAMODB: endpoint },
  });
  onTestFinished(() => host.stop());
  const scheduleArn = 'arn:aws:scheduler:eu-central-1:123456789012:schedule/jobs/nightly';
  const deliver = (scheduledTime: string) =>
    host.invoke(delivered(JSON.stringify(filled(input)), { scheduledTime, scheduleArn }));

  expect(await deliver('2026-01-02T02:00:00Z')).toMatchObject({ value: 'send-digest of 2026-01-02T02:00:00.000Z' });
  expect(await deliver('2026-01-02T02:00:00Z')).toMatchObject({
    value: { status: 'skipped', reason: 'already-executed', tick: '2026-01-02T02:00:00.000Z' },
  });
  // The ticks of an outage come at once, and each of them runs.
  expect(await deliver('2026-01-03T02:00:00Z')).toMatchObject({ value: 'send-digest of 2026-01-03T02:00:00.000Z' });
  expect(host.output().stdout.join('\n')).toContain('"Namespace":"SingleExecution/jobs"');
  const { Items = [] } = await client.send(new ScanCommand({ TableName: table }));
  // By this, `check` notices when the job has stopped.
  expect(Items.map(({ schedule }) => schedule?.S)).toEqual([`${job.schedule} in ${job.timeZone}`]);
});

/** Puts values in place of the marks of a template, as they are when it is deployed. */
function fillerOf({ job: { name, ...job } }: Deployment, table: string): <T>(value: T) => T {
  const known: Readonly<Record<string, unknown>> = {
    ...job,
    job: name,
    namespace: 'SingleExecution/jobs',
    account: '123456789012',
    region: 'eu-central-1',
    'table.name': table,
  };
  return (value) => {
    const text = JSON.stringify(value).replace(/\{\{([\w.]+)\}\}/g, (mark, key: string) => String(known[key] ?? mark));
    expect(text).not.toContain('{{');
    return JSON.parse(text);
  };
}
