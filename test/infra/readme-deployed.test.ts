import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { App, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { Construct } from 'constructs';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { examplesOf } from '../docs/examples.js';
import { dynamoDBLocal, freshTable } from '../support/dynamodb-local.js';
import { emfProblems } from '../support/emf-check.js';
import { nodeBinary } from '../support/node-binary.js';
import { startLambda } from './lambda-runtime/lambda-host.js';
import { resolved } from './synthesised-app.js';

/*
 * README's handler in the construct of docs/deploy/cdk.md, both unchanged: bundled as a deployment does, and run as
 * Lambda does.
 */

const ROOT = join(import.meta.dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'readme-'));
const home = process.cwd();
afterAll(() => {
  process.chdir(home);
  rmSync(project, { recursive: true });
});

/** The first example of a page that contains this text. */
const example = (page: string, part: string, language = 'ts') =>
  examplesOf(page, language).find(({ code }) => code.includes(part))?.code ?? '';

/** The template of the construct, in the project of a user who has copied both examples. */
async function synthesised(): Promise<{ template: Template; taskRoot: string }> {
  mkdirSync(join(project, 'src'));
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'));
  writeFileSync(join(project, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3 }));
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ extends: join(ROOT, 'tsconfig.json') }));
  writeFileSync(join(project, 'jobs.ts'), example('docs/deploy/cdk.md', 'class Jobs extends Stack'));
  writeFileSync(join(project, 'src/send-digest.ts'), example('README.md', "name: 'send-digest'"));
  // The construct looks for the entry and the lock file in the working directory.
  process.chdir(project);
  const { Jobs } = (await import(join(project, 'jobs.ts'))) as { Jobs: new (scope: Construct, id: string) => Stack };
  const app = new App({ outdir: join(project, 'cdk.out'), builtinCloudFormationValidation: false });
  const jobs = new Jobs(app, 'Jobs');
  const { directory } = app.synth();
  const asset = readdirSync(directory).find((name) => name.startsWith('asset.')) ?? '';
  return { template: Template.fromStack(jobs), taskRoot: join(directory, asset) };
}

test('row 84: a run of it writes the metrics that its alarm waits for, and a skip writes a line that says why', async () => {
  const { template, taskRoot } = await synthesised();
  const { client, endpoint } = dynamoDBLocal();
  const table = await freshTable(client);
  const [fn] = Object.values(template.findResources('AWS::Lambda::Function'));
  const { Handler: handler, Environment } = fn?.['Properties'] ?? {};
  const host = await startLambda({
    node: await nodeBinary(24),
    taskRoot,
    handler,
    functionName: 'send-digest',
    region: 'eu-central-1',
    timeoutMs: 60_000,
    env: {
      ...(resolved(Environment.Variables, () => table) as Record<string, string>),
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    },
  });
  onTestFinished(() => host.stop());

  const tick = { scheduledTime: '2026-11-21T02:00:00Z', time: '2026-11-21T02:00:00Z' };
  expect(await host.invoke(tick)).toMatchObject({ status: 'succeeded', value: null });
  expect(await host.invoke(tick)).toMatchObject({ value: { reason: 'already-executed' } });

  // The page's program does the same before a deployment.
  writeFileSync(join(project, 'invoke.mjs'), example('docs/deploy/cdk.md', 'getRemainingTimeInMillis', 'js'));
  const keys = { AWS_REGION: 'local', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
  const env = { PATH: process.env['PATH'], ...keys, AWS_ENDPOINT_URL_DYNAMODB: endpoint, LOCK_TABLE: table };
  const invoked = await promisify(execFile)(process.execPath, ['invoke.mjs', join(taskRoot, 'index.mjs')], { env });
  expect(invoked.stdout.match(/reason: '[\w-]+'/g)).toEqual([
    "reason: 'already-executed'",
    "reason: 'already-executed'",
  ]);

  const [alarm] = Object.entries(template.findResources('AWS::CloudWatch::Alarm')).flatMap(([id, { Properties }]) =>
    id.includes('DidNotRun') ? [Properties] : [],
  );
  const watched = alarm?.['Metrics'].find(({ Id }: { Id: string }) => Id === 'executed');
  const { Namespace, MetricName, Dimensions } = watched.MetricStat.Metric;
  const { stdout, stderr } = host.output();
  const lines = stdout.filter((line) => line.startsWith('{"_aws"'));
  expect(lines.flatMap((line) => emfProblems(`${line}\n`))).toEqual([]);
  const documents = lines.map((line) => JSON.parse(line));
  // 1 for the run, 0 for the duplicate of its tick.
  expect(documents.filter((document) => MetricName in document)).toMatchObject(
    [1, 0].map((value) => ({
      _aws: { CloudWatchMetrics: [{ Namespace, Metrics: [{ Name: MetricName, Unit: 'Count' }] }] },
      [MetricName]: value,
      ...Object.fromEntries(Dimensions.map(({ Name, Value }: { Name: string; Value: string }) => [Name, Value])),
    })),
  );
  expect(stdout.filter((line) => !line.startsWith('{"_aws"'))).toEqual([
    'the digest of 2026-11-21T02:00:00.000Z',
    expect.stringContaining('"message":"lock \\"send-digest\\": skipped, this tick is done"'),
  ]);
  expect(stderr).toEqual([]);
}, 450_000);
