import { execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { listening } from './loopback.js';

export const HOST = '127.0.0.1';
const KEEPER = new URL('./server-keeper.mjs', import.meta.url);
/** Tries several ports, because another process can take a free port before the server does. */
const PORTS_TRIED = 3;
/** `fetch` refuses some lower ports. From `ANY_PORT` on, systems give ports to whoever asks for any. */
const [LOWEST_PORT, ANY_PORT] = [11_000, 32_768];

export interface KeptServer {
  stop(): Promise<void>;
}

/** A server that can go down and come back on the same port, with its data. */
export interface RestartedServer extends KeptServer {
  readonly port: number;
  /** Ends the server as its operator does, and resolves when it has ended. */
  goDown(): Promise<void>;
  /** Starts the server again, and resolves when it is ready. */
  comeBack(): Promise<void>;
}

interface Launch {
  readonly name: string;
  readonly folder: string;
  readonly commands: Omit<ServerPlan, 'files' | 'env'>;
  readonly env: Readonly<Record<string, string>>;
  readonly startMs: number;
  isReady(output: string): boolean | Promise<boolean>;
}

async function startKept({ name, folder, commands, env, startMs, isReady }: Launch) {
  const child = spawn(process.execPath, [fileURLToPath(KEEPER), JSON.stringify({ folder, ...commands })], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-4_000);
    });
  }
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.stdin.end();
    await exited;
  };
  const until = async (isSo: Launch['isReady']) => {
    const giveUpAt = Date.now() + startMs;
    while (child.exitCode === null && Date.now() < giveUpAt) {
      if (await isSo(output)) return;
      await sleep(10);
    }
    const why = child.exitCode === null ? `was not ready within ${startMs} ms` : `exited with code ${child.exitCode}`;
    await stop();
    throw new Error(`${name} ${commands.command.join(' ')} ${why}; its last output:\n${output}`);
  };
  const tell = (line: string, isSo: Launch['isReady']) => {
    output = '';
    child.stdin.write(`${line}\n`);
    return until(isSo);
  };
  await until(isReady);
  return {
    stop,
    goDown: () => tell('down', (text) => text.includes('the server is down')),
    comeBack: () => tell('up', isReady),
  };
}

interface ServerPlan {
  /** Files to write into the server's folder, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** The user for `prepare` and for the server, if this process runs as root. @default this process's user */
  readonly user?: string;
  /** A command to run before the server starts. */
  readonly prepare?: readonly string[];
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The signal that ends the server. @default 'SIGKILL' */
  readonly signal?: NodeJS.Signals;
  /** The signal by which the server goes down with its data. @default 'SIGTERM' */
  readonly downSignal?: NodeJS.Signals;
}

interface ServerLaunch {
  readonly name: string;
  /**
   * A text that the server prints when it is ready, so that another server on the same port is not mistaken for it. For
   * a server that prints nothing, a function that asks whether the port answers.
   */
  readonly ready: string | ((port: number) => Promise<boolean>);
  readonly startMs: number;
  /** The plan of the server. Its commands run in `folder`, which no other server uses. */
  plan(folder: string, port: string): ServerPlan;
}

/** Starts a server on a free port. It ends with `stop()` or with this process. */
export async function startServer(launch: ServerLaunch): Promise<RestartedServer> {
  const failures: unknown[] = [];
  while (failures.length < PORTS_TRIED) {
    try {
      return await startOn(await freePort(), launch);
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(failures, `${launch.name} did not start: ${failures.map(String).join('; ')}`);
}

async function startOn(port: number, { name, ready, startMs, plan }: ServerLaunch) {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  const { files = {}, env = {}, ...commands } = plan(folder, String(port));
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  const isReady = typeof ready === 'string' ? (output: string) => output.includes(ready) : () => ready(port);
  return { port, ...(await startKept({ name, folder, commands, env, startMs, isReady })) };
}

/**
 * The first of these programs that runs.
 *
 * @param missing the words of the error if none does
 */
export async function findProgram(programs: readonly string[], missing: string): Promise<string> {
  for (const program of programs) {
    const isThere = await promisify(execFile)(program, ['--version']).then(
      () => true,
      () => false,
    );
    if (isThere) return program;
  }
  throw new Error(missing);
}

/**
 * A free port that no other process is given by chance, so that a server can start on it later, or leave it and come
 * back.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer();
    const port = await listening(server, randomInt(LOWEST_PORT, ANY_PORT)).catch(() => undefined);
    if (port === undefined) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
