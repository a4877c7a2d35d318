import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as newestCdk from 'aws-cdk-lib';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as newestConstructs from '../../infra/constructs/cdk.js';
import { SingleExecutionStack } from '../../infra/single-execution-stack.js';
import { packagesOf } from '../support/package-sets.js';

/*
 * Tests the constructs on the oldest versions that the peer dependencies allow.
 */

const ROOT = join(import.meta.dirname, '../..');
const OLDEST = join(ROOT, 'test/oldest-cdk');

const { peerDependencies: ranges } = createRequire(import.meta.url)(join(ROOT, 'package.json'));
const packageOf = await packagesOf('test/oldest-cdk');
const oldestCdk = packageOf('aws-cdk-lib') as typeof newestCdk;
const newest = { ...newestConstructs, SingleExecutionStack };
let oldest: typeof newest;

const folder = mkdtempSync(join(tmpdir(), 'oldest-cdk-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Builds the constructs in a folder whose node_modules has the oldest packages. */
beforeAll(async () => {
  symlinkSync(join(OLDEST, 'node_modules'), join(folder, 'node_modules'));
  symlinkSync(join(ROOT, 'handlers'), join(folder, 'handlers'));
  const outfile = join(folder, 'infra/stack.mjs');
  const contents = "export * from './constructs/cdk.js'; export * from './single-execution-stack.js';";
  await build({
    stdin: { contents, resolveDir: join(ROOT, 'infra') },
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  });
  oldest = await import(/* @vite-ignore */ pathToFileURL(outfile).href);
});

/** An app whose functions are not bundled. */
function appOf({ App }: typeof newestCdk): newestCdk.App {
  const context = { 'aws:cdk:bundling-stacks': [] };
  return new App({ outdir: mkdtempSync(join(folder, 'cdk.out-')), context, builtinCloudFormationValidation: false });
}

/** The template of the app's stack, without the hash of the code, which differs between versions of the CDK. */
function templateOf(cdk: typeof newestCdk, constructs: typeof newest): { Resources: object } {
  const app = appOf(cdk);
  const props = {
    tenants: ['acme', 'globex'],
    tenantApiUrl: 'https://tenants.example/',
    alarmEmail: 'ops@example.com',
  };
  const stack = new constructs.SingleExecutionStack(app, 'jobs', props);
  expect(stack).toBeInstanceOf(cdk.Stack);
  const { template } = app.synth().getStackByName('jobs');
  return JSON.parse(JSON.stringify(template).replace(/[0-9a-f]{64}\.zip/g, 'code.zip'));
}

test.each(['aws-cdk-lib', 'constructs'])('the oldest %s is the lower end of its range', (name) => {
  expect(`^${packageOf(`${name}/package.json`).version}`).toBe(ranges[name]);
});

test("the app's stack has the same template on the oldest CDK as on the newest", () => {
  const template = templateOf(oldestCdk, oldest);

  // logical-ids.test.ts lists the resources.
  expect(Object.keys(template.Resources).length).toBeGreaterThan(40);
  expect(template).toEqual(templateOf(newestCdk, newest));
});

test('synthesis on the oldest CDK refuses eventually consistent replicas', () => {
  const app = appOf(oldestCdk);
  const stack = new oldestCdk.Stack(app, 'Jobs', { env: { account: '123456789012', region: 'eu-west-1' } });

  new oldest.LockTable(stack, 'Locks').table.addReplica({ region: 'us-east-1' });

  expect(() => app.synth()).toThrow('[Jobs/Locks/Table] locks do not hold in an eventually consistent global table');
});
