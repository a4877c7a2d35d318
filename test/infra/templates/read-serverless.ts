import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installed } from '../../support/package-sets.js';
import { type Deployment, readTemplate } from './deployment.js';
import type { Resource, Resources } from './resources.js';

/** The name that `init` gives to a job's file. */
const CONFIG = 'send-digest.serverless.yml';

/** The resources that the framework adds for itself: a bucket for the code, and its policy. */
const ITS_OWN = /^ServerlessDeploymentBucket/;

/** Lets osls package a service that deploys one job, and reads the template that osls would deploy. */
export async function readServerless(text: string): Promise<Deployment> {
  const folder = await mkdtemp(join(tmpdir(), 'serverless-'));
  try {
    await mkdir(join(folder, 'dist'));
    await writeFile(join(folder, 'dist/send-digest.js'), '');
    await writeFile(join(folder, CONFIG), text);
    const nowhere = 'http://127.0.0.1:9';
    const env = { PATH: process.env['PATH'], HOME: folder, HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere, CI: 'true' };
    const osls = join(await installed('test/infra/templates'), 'node_modules/.bin/osls');
    await promisify(execFile)(osls, ['package', '--config', CONFIG], { cwd: folder, env });
    const file = await readFile(join(folder, '.serverless/cloudformation-template-update-stack.json'), 'utf8');
    const { Resources } = JSON.parse(file) as { readonly Resources: Resources };
    return readTemplate({
      jobName: /^ {2}job: (.+)$/m.exec(text)?.[1] ?? '',
      parameters: { ServerlessDeploymentBucket: 'a bucket' },
      resources: withLog(Object.fromEntries(Object.entries(Resources).filter(([id]) => !ITS_OWN.test(id)))),
      alarmName: (id) => id.replace(/Alarm$/, ''),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Names the log group of each function. A function that names none writes to the group with the function's name. */
function withLog(resources: Resources): Resources {
  const logs = new Set(Object.values(resources).map(({ Properties }) => Properties?.['LogGroupName']));
  const withLogOf = (resource: Resource): Resource => {
    const { Type, Properties } = resource;
    if (Type !== 'AWS::Lambda::Function' || !logs.has(`/aws/lambda/${Properties?.['FunctionName']}`)) return resource;
    return { Type, Properties: { ...Properties, LoggingConfig: { LogGroup: '{{log.name}}' } } };
  };
  return Object.fromEntries(Object.entries(resources).map(([id, resource]) => [id, withLogOf(resource)]));
}
