import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { camelCase, type Files, pascalCase } from './job-files.js';
import type { Project } from './project.js';

/** A template in the package, and the name of its copy. */
type Template = readonly [template: string, file: (name: string) => string];

/** The file of a job. Each job has its own, so that a folder can have several jobs. */
const JOB: Readonly<Record<Project['infra'], Template>> = {
  cdk: ['cdk/send-digest-stack.ts', (name) => `${name}-stack.ts`],
  sam: ['sam/template.yaml', (name) => `${name}.template.yaml`],
  terraform: ['terraform/main.tf', (name) => `${name}.tf`],
  serverless: ['serverless/serverless.yml', (name) => `${name}.serverless.yml`],
  sst: ['sst/send-digest.sst.ts', (name) => `${name}.sst.ts`],
};

/** The file that the jobs of a folder share; the first job adds it. */
const SHARED: Readonly<Partial<Record<Project['infra'], Template>>> = {
  terraform: ['terraform/versions.tf', () => 'versions.tf'],
  sst: ['sst/sst.config.ts', () => 'sst.config.ts'],
};

export interface InfraFiles {
  readonly files: Files;
  /** The line that adds the job to an existing app of SST. */
  readonly toAdd?: string;
}

/** The files of a job: a table, the function, its rights and alarms, and a schedule at 02:00 UTC every night. */
export async function infraFiles(name: string, project: Project, folder: string): Promise<InfraFiles> {
  const { infra, isTypeScript } = project;
  const shared = SHARED[infra];
  const isFirst = shared !== undefined && !(await hasShared(folder, infra));
  const root = dirname(createRequire(import.meta.url).resolve('single-execution/package.json'));
  const copies = [JOB[infra], ...(isFirst ? [shared] : [])].map(async ([template, fileOf]) => {
    const text = await readFile(join(root, 'infra/templates', template), 'utf8');
    return [fileOf(name), named(text, name, isTypeScript)] as const;
  });
  const files = Object.fromEntries(await Promise.all(copies));
  return infra === 'sst' && !isFirst ? { files, toAdd: `await import('./${name}.sst');` } : { files };
}

/** Whether the folder has the shared file: Terraform allows one `required_providers` in all files of a folder. */
async function hasShared(folder: string, infra: Project['infra']): Promise<boolean> {
  const files = await readdir(folder);
  if (infra === 'sst') return files.includes('sst.config.ts');
  const modules = files.filter((file) => file.endsWith('.tf'));
  const texts = await Promise.all(modules.map((file) => readFile(join(folder, file), 'utf8')));
  return modules.includes('versions.tf') || texts.some((text) => /^\s*required_providers\b/m.test(text));
}

function named(text: string, name: string, isTypeScript: boolean): string {
  const spellings: Readonly<Record<string, string>> = {
    'send-digest.ts': `${name}.${isTypeScript ? 'ts' : 'mjs'}`,
    'send-digest': name,
    send_digest: name.replaceAll('-', '_'),
    sendDigest: camelCase(name),
    SendDigest: pascalCase(name),
  };
  return text.replace(/send-digest(\.ts)?|send_digest|[sS]endDigest/g, (found) => spellings[found] ?? found);
}
