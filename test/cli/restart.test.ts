import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { executeWithLock, type LockStore } from 'single-execution';
import { createPostgresTable, postgresStore } from 'single-execution/postgres';
import { redisStore } from 'single-execution/redis';
import { describe, test } from 'vitest';
import { type BuiltCli, builtCli, type StartedCli } from '../support/built-cli.js';
import { innerCli } from '../support/inner-cli.js';
import type { RestartedServer } from '../support/kept-server.js';
import { startPostgresServer } from '../support/postgres-server.js';
import { startRedisServer } from '../support/redis-server.js';
import { consoleOf } from './console/stage.js';

/*
 * The published tool, while its server restarts: with a command under a lock, and with an open console. A tool that stays
 * must survive a restart with every client that it can use.
 */

interface Case {
  readonly clients: readonly string[];
  start(): Promise<{
    readonly server: RestartedServer;
    readonly args: readonly string[];
    readonly store: () => Stored;
  }>;
}

interface Stored {
  readonly store: LockStore;
  close(): unknown;
}

const postgres: Case['start'] = async () => {
  const server = await startPostgresServer();
  const store = () => {
    const client = new Pool({ connectionString: server.url });
    return { store: postgresStore({ client }), close: () => client.end() };
  };
  const client = new Pool({ connectionString: server.url });
  await createPostgresTable(client);
  await client.end();
  return { server, args: ['--postgres-url', server.url], store };
};
const redis: Case['start'] = async () => {
  const server = await startRedisServer({ appendOnly: true });
  const store = () => {
    const client = new Redis(server.url);
    return { store: redisStore({ client }), close: () => client.disconnect() };
  };
  return { server, args: ['--redis-url', server.url], store };
};
const CASES: Readonly<Record<string, Case>> = {
  pg: { clients: ['pg'], start: postgres },
  'postgres.js': { clients: ['postgres'], start: postgres },
  ioredis: { clients: ['ioredis'], start: redis },
  'node-redis': { clients: ['redis', '@redis'], start: redis },
};

const LONG = 120_000;

async function restart(server: RestartedServer): Promise<void> {
  await server.goDown();
  await server.comeBack();
}

/** Runs a tick of a lock, for which it must be free and open. @returns the status */
async function ran({ store, close }: Stored, name: string, tick: Date): Promise<string> {
  const options = { name, store, lockAtMostFor: '1m', tick, observers: [] } as const;
  const outcome = await executeWithLock(() => 'done', options);
  await close();
  return outcome.status === 'skipped' ? outcome.reason : outcome.status;
}

function untilText({ child }: StartedCli, text: string): Promise<void> {
  return new Promise((resolve) => child.stdout?.on('data', (chunk) => String(chunk).includes(text) && resolve()));
}

describe.concurrent.each(Object.entries(CASES))(
  'row 146: F135 the command-line tool over %s',
  (_, { clients, start }) => {
    test(
      'row 146: run keeps its lock over a restart, and its tick is done once',
      async ({ expect, onTestFinished }) => {
        const { server, args, store } = await start();
        const folder = await mkdtemp(join(tmpdir(), 'cli-restart-'));
        const cli: BuiltCli = await builtCli(clients);
        onTestFinished(async () => {
          await cli.remove();
          await rm(folder, { recursive: true });
          await server.stop();
        });
        const tick = '2026-11-21T02:00:00.000Z';
        const go = join(folder, 'go');
        const command = ['sh', '-c', `echo started; until [ -e ${go} ]; do sleep 0.1; done; echo ended`];
        const line = [
          'run',
          '--name',
          'job',
          '--tick',
          tick,
          '--keep-alive',
          '--at-most',
          '6s',
          ...args,
          '--',
          ...command,
        ];
        const running = cli.start(line);
        await untilText(running, 'started');
        const heldUntil = async () => JSON.parse((await innerCli(['show', 'job', '--json', ...args])).stdout).lockUntil;
        await restart(server);
        const before = await heldUntil();
        await expect.poll(async () => Date.parse(await heldUntil())).toBeGreaterThan(Date.parse(before));
        await writeFile(go, '');

        expect(await running.ended).toMatchObject({ code: 0 });
        expect(await ran(store(), 'job', new Date(tick))).toBe('already-executed');
      },
      LONG,
    );

    test(
      'row 146: an open console shows the error, and after the restart the locks',
      async ({ expect, onTestFinished }) => {
        const { server, args, store } = await start();
        const cli: BuiltCli = await builtCli(clients);
        const running = cli.start(['console', ...args]);
        onTestFinished(async () => {
          running.child.kill('SIGTERM');
          await running.ended;
          await cli.remove();
          await server.stop();
        });
        const { ask } = await consoleOf(running.child);
        const locks = async () => (await ask('/api/locks')).body;
        expect(await locks()).toEqual([]);

        await restart(server);
        expect(await ran(store(), 'after', new Date())).toBe('executed');
        await expect.poll(locks).toEqual([expect.objectContaining({ name: 'after' })]);
        await server.goDown();
        await expect.poll(async () => (await ask('/api/locks')).status).toBe(502);
        await server.comeBack();
        await expect.poll(locks).toEqual([expect.objectContaining({ name: 'after' })]);
        expect(running.child.exitCode).toBe(null);
      },
      LONG,
    );
  },
);
