import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type OutputOptions, rolldown } from 'rolldown';
import config from '../../rolldown.config.js';
import { heard } from './last-words.js';
import { onceARun } from './once-a-run.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The folders of node_modules with the clients of DynamoDB and Redis. */
export const PEERS = ['@aws-sdk', '@azure', '@upstash', 'ioredis', 'redis'];

type Variables = Readonly<Record<string, string | undefined>>;

export interface CliEnd {
  /** The exit code, or the signal that ended the process. */
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command-line tool as it is published, in a folder of its own. */
export interface BuiltCli {
  /** The file that npm links as `single-execution`. */
  readonly path: string;
  readonly folder: string;
  /** Runs a command line to its end. Its stdin is empty. */
  run(args: readonly string[], env?: Variables): Promise<CliEnd>;
  /** Starts a command line, with pipes for all three streams. */
  start(args: readonly string[], env?: Variables, options?: SpawnOptions): StartedCli;
  remove(): Promise<void>;
}

export interface StartedCli {
  readonly child: ChildProcess;
  readonly ended: Promise<CliEnd>;
}

/** @param peers the packages that are installed beside the tool */
export async function builtCli(peers: readonly string[] = PEERS): Promise<BuiltCli> {
  const folder = await mkdtemp(join(tmpdir(), 'built-cli-'));
  const installed = join(folder, 'node_modules/single-execution');
  await cp(await onceARun('cli', build), installed, { recursive: true });
  for (const peer of new Set(peers))
    await symlink(join(ROOT, 'node_modules', peer), join(folder, 'node_modules', peer), 'dir');
  const path = join(installed, 'dist/cli.js');
  const started = new Set<ChildProcess>();

  const start: BuiltCli['start'] = (args, env = {}, options = {}) => {
    const child = heard(
      spawn(process.execPath, [path, ...args], {
        cwd: folder,
        env: { ...environment(), ...env },
        stdio: 'pipe',
        ...options,
      }),
    );
    started.add(child);
    const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => (stream ? text(stream) : ''));
    const ended = once(child, 'close').then(async ([code, signal]) => {
      started.delete(child);
      return { code: signal ?? code, stdout: (await stdout) ?? '', stderr: (await stderr) ?? '' };
    });
    return { child, ended };
  };
  return {
    path,
    folder,
    start,
    run(args, env) {
      const { child, ended } = start(args, env);
      child.stdin?.end();
      return ended;
    },
    async remove() {
      for (const child of started) child.kill('SIGKILL');
      await rm(folder, { recursive: true });
    },
  };
}

/** Builds the part of the package that the tool needs. */
async function build(folder: string): Promise<void> {
  await cp(join(ROOT, 'package.json'), join(folder, 'package.json'));
  await cp(join(ROOT, 'infra/templates'), join(folder, 'infra/templates'), { recursive: true });
  // Leave out the first configuration: it builds the doors of the library.
  for (const { output, ...input } of config.slice(1)) {
    const bundle = await rolldown({ ...input, cwd: ROOT });
    for (const one of output as OutputOptions[]) await bundle.write({ ...one, dir: join(folder, 'dist') });
    await bundle.close();
  }
}

/** An environment without a store, and with only the variables of this process that a program needs. */
function environment(): Variables {
  const { PATH, HOME, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION } = process.env;
  return {
    PATH,
    HOME,
    AWS_ACCESS_KEY_ID,
    AWS_SECRET_ACCESS_KEY,
    AWS_REGION,
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  };
}
