import { lstat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from '../../core/values/describe.js';
import type { Command, Session } from '../command.js';
import { EXIT, failed, wrongUse } from '../exit-code.js';
import { infraFiles } from './infra-files.js';
import { type Files, jobFiles, testCommand } from './job-files.js';
import { INFRA, type Project, projectIn } from './project.js';

/** Names that are valid for a file, a construct and a lock. */
const NAME = /^[a-z][a-z\d]*(-[a-z\d]+)*$/;
/** Names on AWS have at most 64 characters; some add the stage or the kind of the resource to the job's name. */
const LONGEST_NAME = 48;
/** The names of the table, the topic and the queue in the files; the function needs another one. */
const TAKEN = ['locks', 'alarms', 'dead-letters'];
const NEEDED = ['single-execution', '@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb'];
const NEEDED_BY: Readonly<Record<Project['infra'], readonly string[]>> = {
  cdk: ['aws-cdk-lib', 'constructs', 'esbuild'],
  sam: ['esbuild'],
  terraform: ['esbuild'],
  serverless: ['osls', 'esbuild'],
  sst: ['sst'],
};

export const init: Command = {
  name: 'init',
  summary: 'write a job, its test and its infrastructure into this folder',
  usage: '[--name NAME] [--infra cdk|sam|terraform|serverless|sst]',
  operands: [0, 0],
  options: {
    name: { value: 'NAME', help: 'of the job, such as send-digest; else that of the package or the folder' },
    infra: {
      value: 'KIND',
      help: 'cdk, sam, terraform, serverless or sst; else found from the files of the folder, or cdk',
    },
  },
  shared: { store: false },
  about: [
    'A handler of AWS Lambda, a test of it and a file that deploys it, with a table, the least rights, a schedule, its retries and alarms. TypeScript or JavaScript, the test runner and a folder `test` are found in the folder. A second job in the same folder adds files of its own. If one of the files exists, nothing is written and the exit code is 1.',
    'The JSON has the names of the files, the missing packages and, for an existing app of SST, the line to add to its `sst.config.ts`.',
  ],
  examples: ['single-execution init --name send-digest --infra sam'],
  async run(session) {
    const project = await projectIn(session.folder);
    const name = nameOf(session.text('name') ?? ownName(project.name));
    const infra = infraOf(session.text('infra') ?? project.infra);
    const { files: infraOnes, ...rest } = await infraFiles(name, { ...project, infra }, session.folder);
    const files = { ...jobFiles(name, project), ...infraOnes };
    await writeNew(session.folder, files);
    const missing = [...NEEDED, ...NEEDED_BY[infra]].filter((needed) => !project.packages.has(needed));
    tell(session, { files: Object.keys(files), missing, ...rest }, testCommand(name, project));
    return EXIT.done;
  },
};

/** The name of the project, changed if another part of the files uses it. */
const ownName = (name: string): string => (TAKEN.includes(name) ? `${name}-job` : name);

function nameOf(name: string): string {
  if (TAKEN.includes(name))
    throw wrongUse(`--name is ${name}, the name of another part of the infrastructure: give another`);
  if (NAME.test(name) && name.length <= LONGEST_NAME) return name;
  throw wrongUse(
    `--name is ${describe(name)}: give small letters, digits and single hyphens, such as send-digest, ${LONGEST_NAME} at most`,
  );
}

function infraOf(kind: string): Project['infra'] {
  const known = INFRA.find((one) => one === kind);
  if (known) return known;
  throw wrongUse(`--infra is ${describe(kind)}: give ${INFRA.join(', ')}`);
}

/** @throws CliError if one of the files exists; nothing is written then */
async function writeNew(folder: string, files: Files): Promise<void> {
  for (const file of Object.keys(files)) {
    const isThere = await lstat(join(folder, file)).then(
      () => true,
      () => false,
    );
    if (isThere)
      throw failed(`${file} is there already, and nothing was written: move it away, or give another --name`);
  }
  // `wx`: another process may have created one since.
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text, { flag: 'wx' });
}

function tell(
  { terminal, has }: Session,
  done: { readonly files: readonly string[]; readonly missing: readonly string[]; readonly toAdd?: string },
  testing: string,
): void {
  if (has('json')) {
    terminal.json(done);
    return;
  }
  const { files, missing, toAdd } = done;
  for (const file of files) terminal.line(`wrote ${file}`);
  if (missing.length > 0) terminal.line(`to install: npm install ${missing.join(' ')}`);
  terminal.line(`to test: ${testing}`);
  if (toAdd !== undefined) terminal.line(`to deploy: add this line to run() in sst.config.ts: ${toAdd}`);
}
