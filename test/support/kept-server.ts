import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const HOST = '127.0.0.1';

export interface KeptServer {
  stop(): Promise<void>;
}

interface Launch {
  /** A program that starts the server and ends it when its own stdin closes. */
  readonly keeper: URL;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly startMs: number;
  isReady(output: string): boolean | Promise<boolean>;
}

/** Starts a server that ends with `stop()` or with this process, however that ends. */
export async function startKept({ keeper, args, env, startMs, isReady }: Launch): Promise<KeptServer> {
  const child = spawn(process.execPath, [fileURLToPath(keeper), ...args], {
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
  const giveUpAt = Date.now() + startMs;
  while (child.exitCode === null && Date.now() < giveUpAt) {
    if (await isReady(output)) return { stop };
    await sleep(10);
  }
  const why = child.exitCode === null ? `was not ready within ${startMs} ms` : `exited with code ${child.exitCode}`;
  await stop();
  throw new Error(`${keeper.pathname} ${args.join(' ')} ${why}; its last output:\n${output}`);
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

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, HOST, resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No free TCP port');
  return address.port;
}
