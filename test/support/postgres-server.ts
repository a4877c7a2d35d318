import { execFile } from 'node:child_process';
import { readdir, realpath } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, HOST, type KeptServer, startKept } from './kept-server.js';

const DEBIAN = '/usr/lib/postgresql';
const START_MS = 120_000;
export const PASSWORD = 'correct-horse';

export interface PostgresServer extends KeptServer {
  readonly port: number;
  /** With a user who may do everything. */
  readonly url: string;
}

/** Starts a real PostgreSQL on a free port and an empty cluster; it ends with `stop()` or with this process. */
export async function startPostgresServer(): Promise<PostgresServer> {
  const programs = await requirePostgres();
  const port = await freePort();
  const kept = await startKept({
    keeper: new URL('./postgres-server-keeper.mjs', import.meta.url),
    args: [programs, String(port), PASSWORD],
    startMs: START_MS,
    isReady: (output) => output.includes('database system is ready to accept connections'),
  });
  return { port, url: `postgres://postgres:${PASSWORD}@${HOST}:${port}/postgres`, ...kept };
}

/**
 * The folder of its programs: Debian's newest, or that of `postgres` on the PATH.
 *
 * @throws Error where there is none
 */
export async function requirePostgres(): Promise<string> {
  const versions = (await readdir(DEBIAN).catch(() => [])).sort((a, b) => Number(b) - Number(a));
  const onPath = (process.env['PATH'] ?? '').split(delimiter);
  for (const folder of [...versions.map((version) => join(DEBIAN, version, 'bin')), ...onPath]) {
    const initdb = await realpath(join(folder, 'initdb')).catch(() => undefined);
    if (initdb === undefined) continue;
    await promisify(execFile)(initdb, ['--version']);
    return dirname(initdb);
  }
  throw new Error(`These tests need PostgreSQL in ${DEBIAN} or on the PATH (Debian: apt-get install postgresql)`);
}
