import { findProgram, freePort, HOST, type KeptServer, startKept } from './kept-server.js';

const START_MS = 60_000;
const DATABASE = 'jobs';
/** Debian's place for it is not on everybody's PATH. */
const PROGRAMS = ['mariadbd', '/usr/sbin/mariadbd'];

export interface MariaDB extends KeptServer {
  /** Of an empty database. */
  readonly url: string;
}

/** Starts a real MariaDB on a free port; it ends with `stop()` or with this process. */
export async function startMariaDB(): Promise<MariaDB> {
  const program = await requireMariaDB();
  const port = await freePort();
  const kept = await startKept({
    keeper: new URL('./mariadb-keeper.mjs', import.meta.url),
    args: [program, String(port), DATABASE],
    startMs: START_MS,
    isReady: (output) => output.includes('ready for connections'),
  });
  return { url: `mysql://root@${HOST}:${port}/${DATABASE}`, ...kept };
}

/** @returns its path. @throws Error where it is not found */
export function requireMariaDB(): Promise<string> {
  return findProgram(PROGRAMS, 'These tests need MariaDB on the PATH (Debian: apt-get install mariadb-server-core)');
}
