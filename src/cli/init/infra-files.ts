import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { camelCase, type Files, pascalCase } from './job-files.js';
import type { Project } from './project.js';

/** The template of each tool in the package, and what the file of a job is called. */
const TEMPLATES: Readonly<Record<Project['infra'], readonly [template: string, file: (name: string) => string]>> = {
  cdk: ['cdk/send-digest-stack.ts', (name) => `${name}-stack.ts`],
  sam: ['sam/template.yaml', (name) => `${name}.template.yaml`],
  terraform: ['terraform/main.tf', (name) => `${name}.tf`],
  serverless: ['serverless/serverless.yml', () => 'serverless.yml'],
  sst: ['sst/sst.config.ts', () => 'sst.config.ts'],
};

/** A table, the function, its rights, its schedule and its alarms, every night at 02:00 UTC, in one file. */
export async function infraFiles(
  name: string,
  { infra, isTypeScript }: Pick<Project, 'infra' | 'isTypeScript'>,
): Promise<Files> {
  const [template, fileOf] = TEMPLATES[infra];
  const root = dirname(createRequire(import.meta.url).resolve('single-execution/package.json'));
  const text = await readFile(join(root, 'infra/templates', template), 'utf8');
  const spellings: Readonly<Record<string, string>> = {
    'send-digest.ts': `${name}.${isTypeScript ? 'ts' : 'mjs'}`,
    'send-digest': name,
    send_digest: name.replaceAll('-', '_'),
    sendDigest: camelCase(name),
    SendDigest: pascalCase(name),
  };
  const named = text.replace(/send-digest(\.ts)?|send_digest|[sS]endDigest/g, (found) => spellings[found] ?? found);
  return { [fileOf(name)]: named };
}
