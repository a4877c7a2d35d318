import { execFile } from 'node:child_process';
import { readdir, realpath } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { HOST, type RestartedServer, startServer } from './kept-server.js';

const DEBIAN = '/usr/lib/postgresql';
const START_MS = 120_000;
const PASSWORD = 'correct-horse';
const SETTINGS = {
  listen_addresses: HOST,
  unix_socket_directories: '',
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  autovacuum: 'off',
};

export interface PostgresServer extends RestartedServer {
  /** The URL with a user who may do everything. */
  readonly url: string;
}

/** Starts a real PostgreSQL on a free port, with an empty cluster. It ends with `stop()` or with this process. */
export async function startPostgresServer(): Promise<PostgresServer> {
  const programs = await requirePostgres();
  const server = await startServer({
    name: 'postgres',
    ready: 'database system is ready to accept connections',
    startMs: START_MS,
    plan: (_, port) => ({
      files: { password: PASSWORD },
      user: 'postgres',
      prepare: [
        ...[join(programs, 'initdb'), '--pgdata=data', '--username=postgres', '--pwfile=password', '--no-locale'],
        ...['--auth=scram-sha-256', '--encoding=UTF8', '--no-sync', '--no-instructions'],
      ],
      command: [
        ...[join(programs, 'postgres'), '-D', 'data', '-p', port],
        ...Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      signal: 'SIGQUIT',
      // What `pg_ctl restart` and systemd send: clients are told, and their connections end.
      downSignal: 'SIGINT',
    }),
  });
  return { ...server, url: `postgres://postgres:${PASSWORD}@${HOST}:${server.port}/postgres` };
}

/**
 * The folder of PostgreSQL's programs: Debian's newest version, or the folder of `postgres` on the PATH.
 *
 * @throws Error if there is none
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
