import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { connectRedis } from './resp.js';

const KEEPER = fileURLToPath(new URL('./redis-server-keeper.mjs', import.meta.url));
const PROGRAM = 'redis-server';
const HOST = '127.0.0.1';
const START_MS = 20_000;
/** Another process can take the free port before Redis does. */
const PORTS_TRIED = 3;

export interface RedisServer {
  readonly host: typeof HOST;
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the real redis-server in memory on a free port; it ends with `stop()` or with this process. */
export async function startRedisServer(): Promise<RedisServer> {
  await requireRedisServer();
  const failures: unknown[] = [];
  while (failures.length < PORTS_TRIED) {
    try {
      return await startOn(await freePort());
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(failures, `redis-server did not start: ${failures.map(String).join('; ')}`);
}

async function startOn(port: number): Promise<RedisServer> {
  const keeper = spawn(process.execPath, [KEEPER, PROGRAM, String(port)], { stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [keeper.stdout, keeper.stderr]) {
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-4_000);
    });
  }
  try {
    // Its own word first: on a port taken by another server, that one would answer the PING.
    await untilItSays('Ready to accept connections', keeper, () => output);
    await ping(port);
  } catch (error) {
    await end(keeper);
    throw new Error(`No redis-server on ${HOST}:${port}; its last output:\n${output}`, { cause: error });
  }
  return { host: HOST, port, url: `redis://${HOST}:${port}`, stop: () => end(keeper) };
}

/** @throws Error where it is not on the PATH */
export async function requireRedisServer(): Promise<void> {
  await promisify(execFile)(PROGRAM, ['--version']).catch((error: Error) => {
    throw new Error(
      `These tests need redis-server on the PATH (Debian: apt-get install redis-server); \`redis-server --version\` failed: ${error.message}`,
      { cause: error },
    );
  });
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, HOST, resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No free TCP port');
  return address.port;
}

async function untilItSays(words: string, keeper: ChildProcess, output: () => string): Promise<void> {
  const giveUpAt = Date.now() + START_MS;
  while (Date.now() < giveUpAt) {
    if (keeper.exitCode !== null) throw new Error(`It exited with code ${keeper.exitCode}`);
    if (output().includes(words)) return;
    await sleep(10);
  }
  throw new Error(`Not ready within ${START_MS} ms`);
}

async function ping(port: number): Promise<void> {
  const connection = await connectRedis(port);
  try {
    const [pong] = await connection.send([['PING']]);
    if (String(pong) !== 'PONG') throw new Error(`PING was answered ${JSON.stringify(pong)}`);
  } finally {
    connection.close();
  }
}

async function end(keeper: ChildProcess): Promise<void> {
  if (keeper.exitCode !== null || keeper.signalCode !== null) return;
  const exited = new Promise((resolve) => keeper.once('exit', resolve));
  keeper.stdin?.end();
  await exited;
}
