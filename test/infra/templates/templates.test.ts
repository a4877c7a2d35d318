import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { App } from 'aws-cdk-lib';
import { Template as SynthesisedTemplate } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { SendDigestStack } from '../../../infra/templates/cdk/send-digest-stack.js';
import { type Deployment, readTemplate } from './deployment.js';
import { readSam } from './read-sam.js';
import { readServerless } from './read-serverless.js';
import { readSst } from './read-sst.js';
import { readTerraform } from './read-terraform.js';
import type { Resources } from './resources.js';

/*
 * Compares the templates of other tools with the construct's template. All are read into the same plain values.
 */

const ROOT = join(import.meta.dirname, '../../..');
/** A start of osls takes five seconds, and more on a machine that is busy. */
const SLOW = { timeout: 180_000 };
const fileOf = (name: string): string => readFileSync(join(ROOT, 'infra/templates', name), 'utf8');

interface Template {
  readonly file: string;
  readonly read: (text: string) => Deployment | Promise<Deployment>;
  /** The lines in which a user changes the job, its schedule and its time zone. */
  readonly settings: readonly [from: string, to: string][];
  /** Mistakes where the readers convert most, each with the value in which the comparison must find it. */
  readonly mistakes: readonly [from: string, to: string, value: string][];
}

const CLOUDFORMATION_MISTAKES: Template['mistakes'] = [
  ['PointInTimeRecoveryEnabled: true', 'PointInTimeRecoveryEnabled: false', 'table.PointInTimeRecoverySpecification'],
  ['DeletionPolicy: Retain', 'DeletionPolicy: Delete', 'table.DeletionPolicy'],
  ['Action: dynamodb:UpdateItem', "Action: 'dynamodb:*'", 'role.statements.0.Action'],
  ["'Null':", 'StringLike:', 'role.statements.0.Condition'],
  ['MaximumRetryAttempts: 185', 'MaximumRetryAttempts: 18', 'schedule.Target.RetryPolicy.MaximumRetryAttempts'],
  ['"time": "<aws.scheduler.scheduled-time>"', '"time": "<aws.scheduler.execution-id>"', 'input.time'],
  ['Expression: FILL(IF(attempted + executed', 'Expression: FILL(IF(executed', 'alarms.DidNotRun.Metrics.0.Expression'],
];

const PROVIDER_MISTAKES: Template['mistakes'] = [
  ['dynamodb:UpdateItem', 'dynamodb:*', 'role.statements.0.Action'],
  ['ForAllValues:StringEquals', 'StringEquals', 'role.statements.0.Condition'],
  ['aws:SourceAccount', 'aws:PrincipalAccount', 'schedulerRole.trust.0.Condition'],
  ['Deny', 'Allow', 'queuePolicy.PolicyDocument.0.Effect'],
  ['FILL(IF(attempted + executed', 'FILL(IF(executed', 'alarms.DidNotRun.Metrics.0.Expression'],
];

const TEMPLATES: readonly Template[] = [
  {
    file: 'sam/template.yaml',
    read: readSam,
    settings: [
      ['Default: send-digest', 'Default: other'],
      ["Default: 'cron(0 2 * * ? *)'", "Default: 'cron(30 4 ? * MON *)'"],
      ['Default: Etc/UTC', 'Default: Europe/Berlin'],
    ],
    mistakes: [
      ...CLOUDFORMATION_MISTAKES,
      ['Timeout: !Ref TimeoutSeconds', 'Timeout: 30', 'job.timeoutSeconds'],
      ['MaximumRetryAttempts: 2', 'MaximumRetryAttempts: 1', 'runRetries.MaximumRetryAttempts'],
    ],
  },
  {
    file: 'serverless/serverless.yml',
    read: readServerless,
    settings: [
      ['job: send-digest', 'job: other'],
      ["schedule: 'cron(0 2 * * ? *)'", "schedule: 'cron(30 4 ? * MON *)'"],
      ['timeZone: Etc/UTC', 'timeZone: Europe/Berlin'],
    ],
    mistakes: [
      ...CLOUDFORMATION_MISTAKES,
      ['memorySize: 256', 'memorySize: 128', 'fn.MemorySize'],
      ["timeout: '${self:custom.timeoutSeconds}'", 'timeout: 30', 'job.timeoutSeconds'],
      ['maximumRetryAttempts: 2', 'maximumRetryAttempts: 1', 'runRetries.MaximumRetryAttempts'],
    ],
  },
  {
    file: 'sst/send-digest.sst.ts',
    read: readSst,
    settings: [
      ["name: 'send-digest',\n", "name: 'other',\n"],
      ["schedule: 'cron(0 2 * * ? *)'", "schedule: 'cron(30 4 ? * MON *)'"],
      ["timeZone: 'Etc/UTC'", "timeZone: 'Europe/Berlin'"],
    ],
    mistakes: [
      ...PROVIDER_MISTAKES,
      ['{ enabled: true }', '{ enabled: false }', 'table.PointInTimeRecoverySpecification'],
      ['retainOnDelete = true', 'retainOnDelete = false', 'table.DeletionPolicy'],
      ["memory: '256 MB'", "memory: '128 MB'", 'fn.MemorySize'],
      ['retries: 2', 'retries: 0', 'runRetries.MaximumRetryAttempts'],
      ['maximumRetryAttempts: 185', 'maximumRetryAttempts: 18', 'schedule.Target.RetryPolicy.MaximumRetryAttempts'],
      ["time: '<aws.scheduler.scheduled-time>'", "time: '<aws.scheduler.execution-id>'", 'input.time'],
      ['threshold: 0.9 * job', 'threshold: 0.8 * job', 'alarms.LongRun.Threshold'],
    ],
  },
  {
    file: 'terraform/main.tf',
    read: readTerraform,
    settings: [
      ['name = "send-digest"', 'name = "other"'],
      ['schedule  = "cron(0 2 * * ? *)"', 'schedule  = "cron(30 4 ? * MON *)"'],
      ['time_zone = "Etc/UTC"', 'time_zone = "Europe/Berlin"'],
    ],
    mistakes: [
      ...PROVIDER_MISTAKES,
      ['prevent_destroy = true', 'prevent_destroy = false', 'table.DeletionPolicy'],
      ['deletion_protection_enabled = true', 'deletion_protection_enabled = false', 'table.DeletionProtectionEnabled'],
      ['maximum_retry_attempts       = 2', 'maximum_retry_attempts       = 0', 'runRetries.MaximumRetryAttempts'],
      ['"time": "<aws.scheduler.scheduled-time>"', '"time": "<aws.scheduler.execution-id>"', 'input.time'],
      ['= 0.9 * local', '= 0.8 * local', 'alarms.LongRun.Threshold'],
    ],
  },
];

test.each(TEMPLATES)(
  '$file deploys what the construct deploys, whatever its settings',
  SLOW,
  async ({ file, read, settings }) => {
    const job = { name: 'other', schedule: 'cron(30 4 ? * MON *)', timeZone: 'Europe/Berlin', timeoutSeconds: 300 };

    expect(await read(changed(fileOf(file), settings))).toEqual({ ...synthesise(), job });
  },
);

test.each(TEMPLATES)('every mistake in $file is noticed', SLOW, async ({ file, read, mistakes }) => {
  const right = synthesise();
  const wrong = await read(changed(fileOf(file), mistakes));

  const unnoticed = mistakes.filter(([, , path]) => isDeepStrictEqual(valueAt(wrong, path), valueAt(right, path)));
  expect(unnoticed).toEqual([]);
});

test.each([
  ['Serverless Framework', 'serverless/serverless.yml'],
  ['Terraform or OpenTofu', 'terraform/main.tf'],
])(
  'the section %s of docs/deploy/templates.md bundles the handler as a comment of its template says',
  (heading, file) => {
    const page = readFileSync(join(ROOT, 'docs/deploy/templates.md'), 'utf8');
    const [, section = ''] = page.split(`\n## ${heading}\n`);
    const [command = ''] = /^npx esbuild (.*\\\n)*.*/m.exec(section.split('\n## ')[0] ?? '') ?? [];
    const comments = fileOf(file).replace(/^ *# */gm, '');

    expect(command).toContain('--sources-content=false');
    // The indentation may differ between the file and the page.
    expect(comments).toContain(command.replace(/^ +/gm, '').replace('send-digest.mjs', 'send-digest.ts'));
  },
);

/** Replaces the first occurrence of each text. Each text must occur. */
function changed(text: string, changes: readonly (readonly [from: string, to: string, ...rest: string[]])[]): string {
  return changes.reduce((all, [from, to]) => {
    expect(all).toContain(from);
    return all.replace(from, () => to);
  }, text);
}

function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce((part, key) => (part as Readonly<Record<string, unknown>>)[key], value);
}

/** The deployment that the construct makes for the job in `cdk/send-digest-stack.ts`. */
function synthesise(): Deployment {
  const home = process.cwd();
  const folder = mkdtempSync(join(tmpdir(), 'templates-'));
  for (const file of ['send-digest.ts', 'package-lock.json']) writeFileSync(join(folder, file), '');
  const context = { 'aws:cdk:bundling-stacks': [], 'aws:cdk:enable-path-metadata': true };
  try {
    // The stack gives its handler's path relative to the folder in which cdk runs.
    process.chdir(folder);
    const app = new App({ outdir: join(folder, 'cdk.out'), context, builtinCloudFormationValidation: false });
    const stack = new SendDigestStack(app, 'Jobs');
    const text = JSON.stringify(SynthesisedTemplate.fromStack(stack).toJSON());
    // Alarm descriptions have the function's path, which other tools do not have.
    const { Resources } = JSON.parse(text.replaceAll('Jobs/SendDigest:', 'send-digest:')) as { Resources: Resources };
    return readTemplate({
      jobName: 'send-digest',
      resources: Resources,
      alarmName: (_, alarm) => /\/Alarms\/(\w+)/.exec(String(alarm.Metadata?.['aws:cdk:path']))?.[1] ?? 'unknown',
    });
  } finally {
    process.chdir(home);
    rmSync(folder, { recursive: true });
  }
}
