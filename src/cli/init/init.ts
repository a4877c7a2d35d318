import { lstat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from '../command.js';
import { EXIT, either, failed, quoted, wrongUse } from '../exit-code.js';
import type { Session } from '../session.js';
import { KINDS } from '../store/kinds.js';
import { azureJob } from './azure-job.js';
import { type Files, type Job, testCommand } from './job-files.js';
import { lambdaJob } from './lambda-job.js';
import { processJob } from './process-job.js';
import { INFRA, type Project, projectIn } from './project.js';

/** Names that are valid for a file, a construct and a lock. */
const NAME = /^[a-z][a-z\d]*(-[a-z\d]+)*$/;
/** Names on AWS have at most 64 characters; some add the stage or the kind of the resource to the job's name. */
const LONGEST_NAME = 48;
/** The names of the table, the topic and the queue in the files; the function needs another name. */
const TAKEN = ['locks', 'alarms', 'dead-letters'];
/** The stores for jobs of long-lived processes. */
const SHARED = KINDS.flatMap(({ name, job }) => (job ? [{ name, job }] : []));
const STORES = ['dynamodb', ...SHARED.map(({ name }) => name), 'azure'];

export const init: Command = {
  name: 'init',
  summary: 'write a job, its test and what runs it into this folder',
  usage: `[--name NAME] [--store ${STORES.join('|')}] [--infra ${INFRA.join('|')}]`,
  operands: [0, 0],
  options: {
    name: { value: 'NAME', help: 'of the job, such as send-digest; by default that of the package or the folder' },
    store: {
      value: 'KIND',
      help: `dynamodb, for a function on AWS Lambda; azure, for a timer of Azure Functions; ${either(SHARED.map(({ name }) => name))}, for long-lived processes; by default dynamodb`,
    },
    infra: {
      value: 'KIND',
      help: 'cdk, sam, terraform, serverless or sst; by default found from the files of the folder, or cdk',
    },
  },
  shared: { store: false },
  about: [
    `For AWS Lambda: a handler, a test of it and a file that deploys it, with a table, the least rights, a schedule, its retries and alarms. For Azure Functions: a timer function, a test of its work and, if the app has none, a host.json. For processes: a job, a test of it and a program that runs it at 02:00 UTC every night, ${SHARED.map(({ job }) => `on ${job.words}`).join(', or ')}.`,
    'TypeScript or JavaScript, the test runner and a folder `test` are found in the folder. A second job in the same folder adds files of its own. If one of the files exists, nothing is written and the exit code is 1.',
    'The JSON has the names of the files, the missing packages and, for an existing app of SST, the line to add to its `sst.config.ts`.',
  ],
  examples: ['single-execution init --name send-digest --infra sam', 'single-execution init --store postgres'],
  async run(session) {
    const project = await projectIn(session.folder);
    const name = nameOf(session.text('name') ?? ownName(project.name));
    const { files, needed, steps, ...rest } = await jobOf(name, project, session);
    await writeNew(session.folder, files);
    const missing = ['single-execution', ...needed].filter((one) => !project.packages.has(one));
    report(session, { files: Object.keys(files), missing, ...rest }, { test: testCommand(name, project), ...steps });
    return EXIT.done;
  },
};

async function jobOf(name: string, project: Project, session: Session): Promise<Job> {
  const store = oneOf(STORES, 'store', session.text('store') ?? 'dynamodb');
  const infra = oneOf(INFRA, 'infra', session.text('infra') ?? project.infra);
  if (store === 'dynamodb') return lambdaJob(name, { ...project, infra }, session.folder);
  if (session.has('infra')) throw wrongUse(`--infra is for --store dynamodb: leave out --infra, or --store ${store}`);
  const kind = SHARED.find((its) => its.name === store);
  return kind ? processJob(name, project, kind) : azureJob(name, project, session.folder);
}

/** The name of the project, changed if another part of the files uses it. */
const ownName = (name: string): string => (TAKEN.includes(name) ? `${name}-job` : name);

function nameOf(name: string): string {
  if (TAKEN.includes(name))
    throw wrongUse(`--name is ${name}, the name of another part of the infrastructure: pass another`);
  if (NAME.test(name) && name.length <= LONGEST_NAME) return name;
  throw wrongUse(
    `--name is ${quoted(name)}: pass small letters, digits and single hyphens, such as send-digest, ${LONGEST_NAME} at most`,
  );
}

function oneOf<Kind extends string>(kinds: readonly Kind[], option: string, given: string): Kind {
  const known = kinds.find((kind) => kind === given);
  if (known !== undefined) return known;
  throw wrongUse(`--${option} is ${quoted(given)}: pass ${kinds.join(', ')}`);
}

/** @throws CliError if one of the files exists; nothing is written then */
async function writeNew(folder: string, files: Files): Promise<void> {
  for (const file of Object.keys(files)) {
    const isThere = await lstat(join(folder, file)).then(
      () => true,
      () => false,
    );
    if (isThere)
      throw failed(`${file} is there already, and nothing was written: move it away, or pass another --name`);
  }
  // `wx` fails if another process has created the file since the check.
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text, { flag: 'wx' });
}

function report(
  { terminal, has }: Session,
  done: { readonly files: readonly string[]; readonly missing: readonly string[]; readonly toAdd?: string },
  steps: Job['steps'],
): void {
  if (has('json')) {
    terminal.json(done);
    return;
  }
  const { files, missing } = done;
  for (const file of files) terminal.line(`wrote ${file}`);
  if (missing.length > 0) terminal.line(`to install: npm install ${missing.join(' ')}`);
  for (const [purpose, command] of Object.entries(steps)) terminal.line(`to ${purpose}: ${command}`);
}
