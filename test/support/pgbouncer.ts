import { findProgram, HOST, type KeptServer, startServer } from './kept-server.js';

const START_MS = 60_000;
/** Debian's folder for pgbouncer is not on everybody's PATH. */
const PROGRAMS = ['pgbouncer', '/usr/sbin/pgbouncer'];

export interface PgBouncer extends KeptServer {
  /** The URL of the same database, as the same user, through a pool that assigns a connection for each transaction. */
  readonly url: string;
}

/** Starts a real pgbouncer in front of a Postgres on this machine. It ends with `stop()` or with this process. */
export async function startPgBouncer(database: string): Promise<PgBouncer> {
  const program = await requirePgBouncer();
  const { hostname, port: serverPort, username, password } = new URL(database);
  const { port, stop } = await startServer({
    name: 'pgbouncer',
    ready: 'process up',
    startMs: START_MS,
    plan: (_, port) => ({
      files: {
        'users.txt': `"${username}" "${password}"\n`,
        'pgbouncer.ini': `[databases]
* = host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = ${HOST}
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = users.txt
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
`,
      },
      user: 'postgres',
      command: [program, 'pgbouncer.ini'],
      signal: 'SIGQUIT',
    }),
  });
  return { url: String(Object.assign(new URL(database), { host: `${HOST}:${port}` })), stop };
}

/** @returns the path of pgbouncer. @throws Error if it is not found */
export function requirePgBouncer(): Promise<string> {
  return findProgram(PROGRAMS, 'These tests need pgbouncer on the PATH (Debian: apt-get install pgbouncer)');
}
