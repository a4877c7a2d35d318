import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { startKeeper } from '../support/keeper.js';
import { heard } from '../support/last-words.js';
import { nodeBinary } from '../support/node-binary.js';
import { installed } from '../support/package-sets.js';

/** The variables that the program reads. `--allow-env` must name them, and those of the library and @upstash/redis. */
const READ_BY_PROGRAM = ['REST_URL', 'REST_TOKEN'];
const READ_BY_LIBRARY = ['CRON_SECRET'];
const READ_BY_UPSTASH = ['UPSTASH_DISABLE_TELEMETRY', 'UPSTASH_CONSOLE', 'VERCEL', 'AWS_REGION'];

/** A JavaScript runtime, and how to start a program in it. */
export interface Runtime {
  readonly name: string;
  /** The binary, and the arguments before the program's path. */
  command(): Promise<readonly [binary: string, ...args: string[]]>;
}

const node = (major: 22 | 24): Runtime => ({ name: `Node ${major}`, command: async () => [await nodeBinary(major)] });
const thisNode: Runtime = { name: `Node ${process.version}`, command: async () => [process.execPath] };
const deno: Runtime = {
  name: 'Deno',
  command: async () => {
    const names = [...READ_BY_PROGRAM, ...READ_BY_LIBRARY, ...READ_BY_UPSTASH];
    return [await denoBinary(), 'run', '--no-prompt', '--no-remote', '--allow-net=127.0.0.1', `--allow-env=${names}`];
  },
};
const bun: Runtime = { name: 'Bun', command: async () => [await bunBinary()] };

/** This Node, Node 22 and 24, Deno and Bun. Deno may only reach loopback and read the variables above, and no file. */
export const RUNTIMES: readonly Runtime[] = [
  ...(/^v2[24]\./.test(process.version) ? [] : [thisNode]),
  node(22),
  node(24),
  deno,
  bun,
];

/** A program that prints what it does in lines of JSON. The first line has its `port`. */
export interface RunningProgram {
  readonly url: string;
  /** The lines that it has printed so far. */
  said(): readonly Readonly<Record<string, unknown>>[];
  kill(signal: NodeJS.Signals): void;
  /** How the program ended, and all that it wrote to stderr. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null; readonly stderr: string }>;
  stop(): Promise<void>;
}

/** @param env the whole environment of the program */
export async function startProgram(
  runtime: Runtime,
  program: string,
  env: Readonly<Record<string, string>>,
): Promise<RunningProgram> {
  const [binary, ...args] = await runtime.command();
  const cwd = dirname(program);
  const own = { DENO_DIR: join(cwd, '.deno'), DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1', ...env };
  const child = heard(spawn(binary, [...args, program], { cwd, env: own, stdio: ['ignore', 'pipe', 'pipe'] }));
  const keeper = startKeeper();
  if (child.pid !== undefined) keeper.add(child.pid);
  const stderr = text(child.stderr);
  const ended = once(child, 'close').then(async ([code, signal]) => ({ code, signal, stderr: await stderr }));
  const lines: Record<string, unknown>[] = [];
  const started = new Promise<number>((begin) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const said = JSON.parse(line);
      if (typeof said.port === 'number') begin(said.port);
      else lines.push(said);
    });
  });

  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    if (child.pid !== undefined) keeper.delete(child.pid);
    await keeper.stop();
  };
  // If the program never says its port, the test times out with what the program has written.
  const port = await Promise.race([started, ended]);
  if (typeof port !== 'number') {
    await stop();
    throw new Error(`${runtime.name} did not start: ${JSON.stringify(port)}`);
  }
  return { url: `http://127.0.0.1:${port}`, said: () => lines, kill: (signal) => child.kill(signal), ended, stop };
}

/*
 * The packages `deno` and `bun` have their binaries in a package for each platform. The binary is run in the folder in
 * which npm has put it, so that no install script has to run.
 */

export function denoBinary(): Promise<string> {
  const suffix = process.platform === 'linux' ? '-glibc' : '';
  return binaryOf(`@deno/${process.platform}-${process.arch}${suffix}`, 'deno');
}

export function bunBinary(): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  return binaryOf(`@oven/bun-${platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}`, 'bin/bun');
}

async function binaryOf(name: string, path: string): Promise<string> {
  const executable = process.platform === 'win32' ? `${path}.exe` : path;
  return join(await installed('test/edge'), 'node_modules', name, executable);
}
