import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { SendDigestStack } from '../../../infra/templates/cdk/send-digest-stack.js';
import { type Deployment, readTemplate } from './deployment.js';
import type { Resources } from './resources.js';

/** The deployment that the construct makes for the job in `cdk/send-digest-stack.ts`. */
export function synthesise(): Deployment {
  const home = process.cwd();
  const folder = mkdtempSync(join(tmpdir(), 'templates-'));
  for (const file of ['send-digest.ts', 'package-lock.json']) writeFileSync(join(folder, file), '');
  const context = { 'aws:cdk:bundling-stacks': [], 'aws:cdk:enable-path-metadata': true };
  try {
    // The stack gives its handler's path relative to the folder in which cdk runs.
    process.chdir(folder);
    const app = new App({ outdir: join(folder, 'cdk.out'), context, builtinCloudFormationValidation: false });
    const stack = new SendDigestStack(app, 'Jobs');
    const text = JSON.stringify(Template.fromStack(stack).toJSON());
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
