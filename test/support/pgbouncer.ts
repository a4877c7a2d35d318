import { findProgram, freePort, HOST, type KeptServer, startKept } from './kept-server.js';

const START_MS = 60_000;
/** Debian's place for it is not on everybody's PATH. */
const PROGRAMS = ['pgbouncer', '/usr/sbin/pgbouncer'];

export interface PgBouncer extends KeptServer {
  /** Of the same database as the same user, over a pool that gives a connection for one transaction. */
  readonly url: string;
}

/** Starts a real pgbouncer before a Postgres of this machine; it ends with `stop()` or with this process. */
export async function startPgBouncer(database: string): Promise<PgBouncer> {
  const program = await requirePgBouncer();
  const port = await freePort();
  const kept = await startKept({
    keeper: new URL('./pgbouncer-keeper.mjs', import.meta.url),
    args: [program, String(port), database],
    startMs: START_MS,
    isReady: (output) => output.includes('process up'),
  });
  return { url: String(Object.assign(new URL(database), { host: `${HOST}:${port}` })), ...kept };
}

/** @returns its path. @throws Error where it is not found */
export function requirePgBouncer(): Promise<string> {
  return findProgram(PROGRAMS, 'These tests need pgbouncer on the PATH (Debian: apt-get install pgbouncer)');
}
