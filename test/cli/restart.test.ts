import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { executeWithLock } from 'single-execution';
import { test } from 'vitest';
import type { StoreAddress } from '../support/backends/backend.js';
import { DEFAULT_PREFIX } from '../support/backends/redis.js';
import { BACKENDS, type Kind, openStore } from '../support/backends.js';
import { type BuiltCli, builtCli } from '../support/built-cli.js';
import { innerCli } from '../support/inner-cli.js';
import type { RestartedServer } from '../support/kept-server.js';
import { startRedisServer } from '../support/redis-server.js';
import { consoleOf } from './console/stage.js';
import { CLIENTS, untilText } from './stage.js';

/*
 * The published tool, while its server restarts: with a command under a lock, and with an open console. A tool that stays
 * must survive a restart with every client that it can use.
 */

interface Started {
  readonly server: RestartedServer;
  readonly address: StoreAddress;
  readonly args: readonly string[];
  stop(): Promise<void>;
}

/** Starts a server that keeps its data while it is down. */
async function startKeeping(kind: Kind): Promise<Started> {
  if (kind === 'redis') {
    const server = await startRedisServer({ appendOnly: true });
    const address = { kind, url: server.url, place: DEFAULT_PREFIX };
    return { server, address, args: ['--redis-url', server.url], stop: server.stop };
  }
  const engine = await BACKENDS[kind as 'postgres' | 'mysql'].start();
  const address = engine.at();
  await engine.make(address);
  return { server: engine.server, address, args: engine.args(address), stop: engine.stop };
}

const LONG = 120_000;

async function restart(server: RestartedServer): Promise<void> {
  await server.goDown();
  await server.comeBack();
}

/** Runs a tick of a lock, for which it must be free and open. @returns the status */
async function ran(address: StoreAddress, name: string, tick: Date): Promise<string> {
  const { store, close } = await openStore(address);
  const options = { name, store, lockAtMostFor: '1m', tick, observers: [] } as const;
  const outcome = await executeWithLock(() => 'done', options);
  close();
  return outcome.status === 'skipped' ? outcome.reason : outcome.status;
}

test.concurrent.for(['pg', 'postgres.js', 'mysql2', 'mariadb', 'ioredis', 'node-redis'])(
  'row 146: F135 over %s, run and an open console survive restarts, and the tick of the run is done once',
  { timeout: LONG },
  async (client, { expect, onTestFinished }) => {
    const [kind = 'redis', ...packages] = CLIENTS[client] ?? [];
    const { server, address, args, stop } = await startKeeping(kind);
    const folder = await mkdtemp(join(tmpdir(), 'cli-restart-'));
    const cli: BuiltCli = await builtCli(packages);
    const opened = cli.start(['console', ...args]);
    onTestFinished(async () => {
      opened.child.kill('SIGTERM');
      await opened.ended;
      await cli.remove();
      await rm(folder, { recursive: true });
      await stop();
    });
    const { ask } = await consoleOf(opened.child);
    const locks = async () => (await ask('/api/locks')).body;
    expect(await locks()).toEqual([]);

    const tick = '2026-11-21T02:00:00.000Z';
    const go = join(folder, 'go');
    const options = ['--name', 'job', '--tick', tick, '--keep-alive', '--at-most', '30s'];
    const command = ['sh', '-c', `echo started; until [ -e ${go} ]; do sleep 0.1; done; echo ended`];
    const running = cli.start(['run', ...options, ...args, '--', ...command]);
    await untilText(running, 'started');
    const heldUntil = async () => JSON.parse((await innerCli(['show', 'job', '--json', ...args])).stdout).lockUntil;
    await restart(server);
    const before = await heldUntil();
    await expect.poll(async () => Date.parse(await heldUntil())).toBeGreaterThan(Date.parse(before));
    await writeFile(go, '');
    expect(await running.ended).toMatchObject({ code: 0 });
    expect(await ran(address, 'job', new Date(tick))).toBe('already-executed');

    const job = [expect.objectContaining({ name: 'job' })];
    await expect.poll(locks).toEqual(job);
    await server.goDown();
    await expect.poll(async () => (await ask('/api/locks')).status).toBe(502);
    await server.comeBack();
    await expect.poll(locks).toEqual(job);
    expect(opened.child.exitCode).toBe(null);
  },
);
