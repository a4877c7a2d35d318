import { createMysqlTable, type MysqlStoreOptions, mysqlStore, mysqlTable } from '../../stores/sql/mysql.js';
import {
  clockVerdict,
  type Examiner,
  type Finding,
  look,
  NOBODY,
  ok,
  problem,
  unknown,
  type Verdict,
  warning,
} from '../findings/finding.js';
import { variable } from '../init/job-files.js';
import { checkUrl, type StoreKind } from './kind.js';
import { nameOfThrown, PATIENCE_MS, withInstalled } from './reach.js';
import { type Connected, openInTable, type Rows } from './sql-table.js';

export const mysql: StoreKind = {
  name: 'mysql',
  title: 'MySQL',
  option: 'mysql-url',
  options: {
    'mysql-url': {
      value: 'URL',
      help: 'the MySQL or MariaDB of the locks; else MYSQL_URL, or DATABASE_URL if it is one of MySQL',
    },
  },
  variable: { name: 'MYSQL_URL', fits: /^(mysql|mariadb)/, or: 'DATABASE_URL' },
  hasTable: true,
  examined: 'the table, its columns and the rights to it, clock, version, role and durability',
  job: {
    words: 'MySQL or MariaDB over mysql2 and MYSQL_URL',
    needed: ['mysql2'],
    types: [],
    import: "import { createPool } from 'mysql2/promise';",
    sharedBy: 'hosts',
    client: (isTypeScript) => `createPool({
  uri: ${variable('MYSQL_URL', isTypeScript)},
  // This pool is for locks only.
  connectionLimit: 2,
  connectTimeout: 2_000,
})`,
    // MYSQL_URL has a password, which an option would show in the list of processes.
    option: '',
  },
  check(named) {
    checkUrl(named, /^(mysql|mariadb):$/, 'mysql://user:password@host/database');
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
      examine: lookAtServer,
    };
    return openInTable(named, connected, parts, clock);
  },
};

/** The longest time to connect. */
const CONNECT_MS = 5_000;

async function connectMysql2(url: string): Promise<Connected<MysqlStoreOptions['client']>> {
  const { createPool } = await import('mysql2/promise');
  const client = createPool({
    uri: url.replace(/^mariadb:/, 'mysql:'),
    connectionLimit: 4,
    connectTimeout: CONNECT_MS,
  });
  const rows: Rows = async (sql) => rowsOf((await client.query({ sql, timeout: PATIENCE_MS }))[0]);
  return { client, rows, close: () => void client.end().catch(() => undefined) };
}

async function connectMariadb(url: string): Promise<Connected<MysqlStoreOptions['client']>> {
  const { createPool } = await import('mariadb');
  const client = createPool(url.replace(/^mysql:/, 'mariadb:'));
  return { client, rows: async (text) => rowsOf(await client.query(text)), close: () => void client.end() };
}

/** The rows of an answer; none if it is a count. */
function rowsOf(answer: unknown): readonly object[] {
  return Array.isArray(answer) ? (answer as object[]) : [];
}

const NAME_TYPE = `(SELECT data_type FROM information_schema.columns WHERE column_name = 'name' AND table_schema = `;

async function lookAtServer(rows: Rows, { clock }: Examiner, table: string): Promise<readonly Finding[]> {
  const finding = (check: string, statement: string, judge: (value: string, sentMs: number) => Verdict) =>
    look(
      check,
      async () => {
        const sentMs = clock.now();
        const [row] = (await rows(`SELECT CAST(${statement} AS CHAR) AS value`)) as readonly {
          readonly value: string;
        }[];
        return judge(row?.value ?? '', sentMs);
      },
      (error) => unknown(`may not look: ${nameOfThrown(error)}`, 'allow this user to read the settings of the server'),
    );
  return [
    await finding('table kind', nameTypeOf(table), (type) => kindOf(type, table)),
    await finding('clock', "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000", (value, sentMs) =>
      clockVerdict({ minMs: Number(value) - clock.now(), maxMs: Number(value) + 1 - sentMs }),
    ),
    await finding('version', 'VERSION()', (version) => ok(version)),
    await finding('role', '@@global.read_only', roleOf),
    await finding('durability', '@@innodb_flush_log_at_trx_commit', durabilityOf),
  ];
}

/** A statement for the type of the column `name`. */
function nameTypeOf(quoted: string): string {
  const parts = quoted
    .slice(1, -1)
    .split('`.`')
    .map((part) => `'${part.replaceAll('``', '`').replaceAll("'", "''")}'`);
  const [table = '', schema = 'DATABASE()'] = parts.reverse();
  return `${NAME_TYPE}${schema} AND table_name = ${table})`;
}

function kindOf(type: string, table: string): Verdict {
  if (/^(varbinary|binary)/.test(type)) return ok(`names are ${type}`);
  if (type === '') return unknown('not in the catalog', 'look at it with the client mysql');
  return problem(
    `name is ${type}`,
    `ALTER TABLE ${table} MODIFY name VARBINARY(255): as texts, two names can be equal, and mix up locks`,
  );
}

function roleOf(isReadOnly: string): Verdict {
  return /^(0|OFF)$/i.test(isReadOnly) ? ok('takes writes') : problem('read-only', 'give the URL of the primary');
}

function durabilityOf(setting: string): Verdict {
  if (setting === '1') return ok('innodb_flush_log_at_trx_commit 1');
  return warning(
    `innodb_flush_log_at_trx_commit ${setting}`,
    'set innodb_flush_log_at_trx_commit to 1: a server that crashes forgets its last writes, and two runs can overlap',
  );
}
