import { findProgram, HOST, type RestartedServer, startServer } from './kept-server.js';

const START_MS = 60_000;
const DATABASE = 'jobs';
/** Writes the statements that make the tables of users and their rights, and a root without a password. */
const SYSTEM_TABLES = String.raw`{
  printf "CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket=NULL, @skip_auth_anonymous=1, @current_hostname='localhost';\n"
  cd /usr/share/mysql && cat mysql_system_tables.sql mysql_performance_tables.sql mysql_system_tables_data.sql
}`;
/** Debian's folder for MariaDB is not on everybody's PATH. */
const PROGRAMS = ['mariadbd', '/usr/sbin/mariadbd'];

export interface MariaDB extends RestartedServer {
  /** The URL of an empty database. */
  readonly url: string;
}

interface MariaDBSettings {
  /** Whether users have only the rights that they were granted. It starts more slowly then. @default false */
  readonly checksRights?: boolean;
  /** Further arguments of the program. */
  readonly settings?: readonly string[];
}

/** Starts a real MariaDB on a free port. It ends with `stop()` or with this process. */
export async function startMariaDB({ checksRights = false, settings = [] }: MariaDBSettings = {}): Promise<MariaDB> {
  const program = await requireMariaDB();
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : [];
  const server = await startServer({
    name: 'mariadb',
    ready: 'ready for connections',
    startMs: START_MS,
    plan: (folder, port) => ({
      // In MariaDB a folder is a database.
      prepare: checksRights
        ? [
            'sh',
            '-c',
            `mkdir -p data/${DATABASE} && ${SYSTEM_TABLES} | ${program} --no-defaults ${asRoot.join(' ')} --bootstrap --datadir=$PWD/data`,
          ]
        : ['mkdir', '-p', `data/${DATABASE}`],
      command: [
        program,
        // Unless rights are checked, every client may do everything.
        ...[
          '--no-defaults',
          ...asRoot,
          ...(checksRights ? [] : ['--skip-grant-tables']),
          `--bind-address=${HOST}`,
          `--port=${port}`,
        ],
        ...[`--datadir=${folder}/data`, `--socket=${folder}/socket`, '--innodb-flush-log-at-trx-commit=0'],
        ...settings,
      ],
    }),
  });
  return { ...server, url: `mysql://root@${HOST}:${server.port}/${DATABASE}` };
}

/** @returns the path of MariaDB. @throws Error if it is not found */
export function requireMariaDB(): Promise<string> {
  return findProgram(PROGRAMS, 'These tests need MariaDB on the PATH (Debian: apt-get install mariadb-server-core)');
}
