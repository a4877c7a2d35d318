import { findProgram, HOST, type KeptServer, startServer } from './kept-server.js';

const START_MS = 60_000;
const DATABASE = 'jobs';
/** Debian's folder for MariaDB is not on everybody's PATH. */
const PROGRAMS = ['mariadbd', '/usr/sbin/mariadbd'];

export interface MariaDB extends KeptServer {
  /** The URL of an empty database. */
  readonly url: string;
}

/** Starts a real MariaDB on a free port. It ends with `stop()` or with this process. */
export async function startMariaDB(): Promise<MariaDB> {
  const program = await requireMariaDB();
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : [];
  const { port, stop } = await startServer({
    name: 'mariadb',
    ready: 'ready for connections',
    startMs: START_MS,
    plan: (folder, port) => ({
      // In MariaDB a folder is a database.
      prepare: ['mkdir', '-p', `data/${DATABASE}`],
      command: [
        program,
        // Turn off the check of rights: every client may do everything.
        ...['--no-defaults', ...asRoot, '--skip-grant-tables', `--bind-address=${HOST}`, `--port=${port}`],
        ...[`--datadir=${folder}/data`, `--socket=${folder}/socket`, '--innodb-flush-log-at-trx-commit=0'],
      ],
    }),
  });
  return { url: `mysql://root@${HOST}:${port}/${DATABASE}`, stop };
}

/** @returns the path of MariaDB. @throws Error if it is not found */
export function requireMariaDB(): Promise<string> {
  return findProgram(PROGRAMS, 'These tests need MariaDB on the PATH (Debian: apt-get install mariadb-server-core)');
}
