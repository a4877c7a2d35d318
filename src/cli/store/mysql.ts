import { createMysqlTable, type MysqlStoreOptions, mysqlStore, mysqlTable } from '../../stores/mysql/mysql.js';
import { quoted, wrongUse } from '../exit-code.js';
import { NOBODY } from '../findings/finding.js';
import { lookAtMysql } from '../findings/look-at-mysql.js';
import { variable } from '../init/job-files.js';
import { checkEncoding, checkUrl, type StoreKind } from './kind.js';
import { PATIENCE_MS, placeAt, withInstalled } from './reach.js';
import { type Connected, openInTable, type Rows } from './sql-table.js';

export const mysql: StoreKind = {
  name: 'mysql',
  title: 'MySQL',
  option: 'mysql-url',
  options: {
    'mysql-url': {
      value: 'URL',
      help: 'the MySQL or MariaDB of the locks; by default MYSQL_URL, or DATABASE_URL if it is one of MySQL',
    },
  },
  variable: { name: 'MYSQL_URL', fits: /^(mysql|mariadb)/, or: 'DATABASE_URL' },
  hasTable: true,
  examined:
    'the table, its columns and the rights to it, clock, version, role, durability, replication and late writes',
  job: {
    words: 'MySQL or MariaDB over mysql2 and MYSQL_URL',
    needed: ['mysql2'],
    types: [],
    import: "import { createPool } from 'mysql2/promise';",
    sharedBy: 'hosts',
    client: (isTypeScript) => `createPool({
  uri: ${variable('MYSQL_URL', isTypeScript)} ?? '',
  // This pool is for locks only.
  connectionLimit: 4,
  connectTimeout: 2_000,
})`,
    // MYSQL_URL has a password, which an option would show in the list of processes.
    option: '',
    connect: 'export MYSQL_URL=mysql://user:password@host/database',
  },
  check(named) {
    checkUrl(named, /^(mysql|mariadb):$/, 'mysql://user:password@host/database');
    checkEncoding(named);
    tlsOf(named.value);
    mysqlTable(named.line.text('table'));
  },
  async open(named, clock) {
    const connected = await withInstalled<Connected<MysqlStoreOptions['client']>>('mysql-url', {
      mysql2: () => connectMysql2(named.value),
      mariadb: () => connectMariadb(named.value),
    });
    const parts = {
      store: mysqlStore,
      creation: mysqlTable,
      create: createMysqlTable,
      allow: (table: string) => `GRANT SELECT, INSERT, UPDATE ON ${table} to this user, and connect to the primary`,
      acquires: (table: string) => [
        `INSERT INTO ${table} (name, record, version) SELECT '', '{}', 0 FROM DUAL WHERE 1 = 0 ON DUPLICATE KEY UPDATE version = 0`,
        `UPDATE ${table} SET record = '{}', version = version + 1 WHERE name = '${NOBODY}' AND version = 0`,
      ],
      examine: lookAtMysql,
    };
    return openInTable(named, { ...connected, place: placeAt(named) }, parts, clock);
  },
};

/** The longest time to connect. */
const CONNECT_MS = 5_000;

/** The connections of a command. */
const CONNECTIONS = 4;

async function connectMysql2(url: string): Promise<Connected<MysqlStoreOptions['client']>> {
  const { createPool } = await import('mysql2/promise');
  const { uri, ssl } = tlsOf(url.replace(/^mariadb:/, 'mysql:'));
  const client = createPool({ uri, connectionLimit: CONNECTIONS, connectTimeout: CONNECT_MS, ...(ssl && { ssl }) });
  const rows: Rows = async (sql) => rowsOf((await client.query({ sql, timeout: PATIENCE_MS }))[0]);
  return { client, rows, close: () => void client.end().catch(() => undefined) };
}

async function connectMariadb(url: string): Promise<Connected<MysqlStoreOptions['client']>> {
  const { createPool } = await import('mariadb');
  const { ssl } = tlsOf(url);
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const [socketPath, database] = [searchParams.get('socketPath'), decodeURIComponent(pathname.slice(1))];
  const client = createPool({
    host: hostname,
    ...(port && { port: Number(port) }),
    ...(database && { database }),
    ...(socketPath && { socketPath }),
    ...(ssl && { ssl }),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    connectionLimit: CONNECTIONS,
    connectTimeout: CONNECT_MS,
  });
  return { client, rows: async (text) => rowsOf(await client.query(text)), close: () => void client.end() };
}

/** The settings of TLS, as Node has them. */
type Tls = Readonly<Record<string, unknown>>;

/**
 * Takes the setting of TLS out of a URL. The clients read it each in its own way, and ignore what they do not know: they
 * would send the password without TLS.
 *
 * @throws CliError for a value that `ssl` cannot have
 */
function tlsOf(url: string): { readonly uri: string; readonly ssl?: Tls } {
  const parsed = new URL(url);
  const { searchParams } = parsed;
  const remedy = 'for TLS, set ssl=true, or a JSON such as ssl={"rejectUnauthorized":false}';
  const ignored = [...searchParams.keys()].find((key) => /ssl|tls/i.test(key) && key !== 'ssl');
  if (ignored !== undefined) throw wrongUse(`--mysql-url has ${quoted(ignored)}, which its clients ignore: ${remedy}`);
  const given = searchParams.get('ssl');
  if (given === null) return { uri: url };
  searchParams.delete('ssl');
  const uri = parsed.href;
  if (given === 'false') return { uri };
  if (given === 'true') return { uri, ssl: {} };
  try {
    const ssl: unknown = JSON.parse(given);
    if (typeof ssl === 'object' && ssl !== null && !Array.isArray(ssl)) return { uri, ssl: ssl as Tls };
  } catch {
    // Not JSON.
  }
  throw wrongUse(`--mysql-url has an ssl that cannot be read: ${remedy}`);
}

/** The rows of an answer; none if it is a count. */
function rowsOf(answer: unknown): readonly object[] {
  return Array.isArray(answer) ? (answer as object[]) : [];
}
