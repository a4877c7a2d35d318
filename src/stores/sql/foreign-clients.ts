/*
 * Objects that people pass as a client although no statement can be run with them safely: those of ORMs and query
 * builders, and a connection that was never opened. Each is recognised by what no other object has, so the error can name it
 * and what to pass instead.
 */

interface Foreign {
  readonly name: string;
  /** What to pass instead. */
  readonly remedy: string;
  is(client: Members): boolean;
}

/** The members of an object, of which nothing is known. */
type Members = Readonly<Record<string, unknown>>;

const has = (client: Members, ...methods: readonly string[]) =>
  methods.every((method) => typeof client[method] === 'function');

const BY_FUNCTION = 'pass a function (text, values) => rows, as in ';

/** The members `@instanceof` of TypeORM's classes, which its own type checks use. */
const TYPEORM = /^(DataSource|EntityManager|(Base|Postgres|Cockroach|Sqlite|Abstract\w*)?QueryRunner)$/;

/** What people pass to any store over a database. */
const FOREIGN: readonly Foreign[] = [
  {
    name: "Drizzle's database",
    remedy: 'pass its own client, db.$client',
    is: (client) =>
      client['$client'] !== undefined || (has(client, 'select', 'insert') && typeof client['dialect'] === 'object'),
  },
  {
    name: "TypeORM's",
    remedy: BY_FUNCTION,
    is: (client) =>
      (typeof client['@instanceof'] === 'symbol' && TYPEORM.test(client['@instanceof'].description ?? '')) ||
      has(client, 'createQueryRunner') ||
      has(client, 'query', 'startTransaction', 'commitTransaction'),
  },
  { name: "Prisma's client", remedy: BY_FUNCTION, is: (client) => has(client, '$queryRawUnsafe', '$executeRawUnsafe') },
  { name: "Sequelize's", remedy: BY_FUNCTION, is: (client) => has(client, 'getQueryInterface', 'define', 'query') },
  {
    name: "Knex's",
    remedy: BY_FUNCTION,
    is: (client) => has(client, 'raw', 'transaction') && client['schema'] !== undefined,
  },
  { name: "Kysely's", remedy: BY_FUNCTION, is: (client) => has(client, 'selectFrom', 'executeQuery') },
  {
    name: "MikroORM's",
    remedy: BY_FUNCTION,
    is: (client) =>
      has(client, 'getConnection', 'getUnitOfWork') ||
      // Its connection and its driver, whose `execute` returns no count.
      has(client, 'getPlatform', 'execute') ||
      (has(client, 'getMetadata') && typeof client['em'] === 'object'),
  },
];

const TRANSACTION: Foreign = {
  name: 'a transaction',
  remedy: 'pass the client that began it: others must see the lock before your work is committed',
  is: (client) => has(client, 'rollback', 'commit', 'execute') || has(client, 'savepoint', 'unsafe'),
};

/** What people pass to one kind of store, and the page about its clients. A bundle carries that of its own kind only. */
interface ForeignTo {
  readonly page: string;
  readonly clients: readonly Foreign[];
}

export const FOREIGN_TO_POSTGRES: ForeignTo = {
  page: 'docs/stores/postgres.md',
  clients: [
    TRANSACTION,
    { name: "Slonik's pool", remedy: BY_FUNCTION, is: (client) => has(client, 'query', 'maybeOne', 'anyFirst') },
    {
      name: 'postgres.js before 3.4.8',
      remedy: 'update it: an older version reports a commit that failed as a success',
      // The first version with the option `sslnegotiation` is the first one that waits for the commit.
      is: (client) => {
        const options = Object(client['options']) as Members;
        return has(client, 'unsafe') && 'fetch_types' in options && !('sslnegotiation' in options);
      },
    },
    {
      name: 'a Client of pg that was never connected',
      remedy: 'await client.connect() first, or better pass a Pool, which connects anew when a connection is lost',
      is: (client) =>
        client['_connected'] === false && client['_connecting'] === false && has(client, 'connect', 'query'),
    },
  ],
};

export const FOREIGN_TO_SQLITE: ForeignTo = {
  page: 'docs/stores/sqlite.md',
  clients: [
    TRANSACTION,
    {
      name: 'a Database of sqlite or sqlite3',
      remedy: BY_FUNCTION,
      is: (client) => has(client, 'parallelize', 'serialize', 'each'),
    },
    { name: "Turso's database", remedy: BY_FUNCTION, is: (client) => has(client, 'prepare', 'all') },
  ],
};

export const FOREIGN_TO_MYSQL: ForeignTo = {
  page: 'docs/stores/mysql.md',
  clients: [
    {
      name: 'of the package mysql',
      remedy: 'pass a pool of mysql2 or mariadb: this one writes values into the text of statements',
      is: (client) => has(client, 'query', 'escape') && !has(client, 'execute') && !has(client, 'batch'),
    },
    {
      name: 'of mariadb before 3',
      remedy: 'update it: an older version has no statements that the server prepares',
      is: (client) => has(client, 'query', 'batch') && !has(client, 'execute'),
    },
    {
      name: 'of mariadb/callback',
      remedy: 'pass a pool of mariadb, which has promises',
      // Before the callback, a statement and its values.
      is: (client) => has(client, 'execute', 'batch') && (client['execute'] as () => void).length > 2,
    },
    {
      name: 'a cluster of pools',
      remedy: 'pass a pool of one server, the primary',
      is: (client) =>
        has(client, 'getConnection') &&
        (has(client, 'of') ||
          '_cluster' in client ||
          'poolNamespace' in client ||
          (has(client, 'batch') && !has(client, 'end'))),
    },
    {
      ...TRANSACTION,
      // PlanetScale's has the connection that began it.
      is: (client) => has(client, 'execute') && has(Object(client['conn']) as Members, 'transaction', 'refresh'),
    },
  ],
};

/** @throws TypeError for an object that is known and cannot be used */
export function refuseForeign(client: unknown, { page, clients }: ForeignTo): void {
  if ((typeof client !== 'object' && typeof client !== 'function') || client === null) return;
  if (typeof client === 'object' && has(client as Members, 'then') && !has(client as Members, 'query')) {
    throw new TypeError('client is a promise: await it first');
  }
  const foreign = [...FOREIGN, ...clients].find(({ is }) => is(client as Members));
  if (foreign === undefined) return;
  const remedy = foreign.remedy === BY_FUNCTION ? `${BY_FUNCTION}${page}` : foreign.remedy;
  throw new TypeError(`client is ${foreign.name}: ${remedy}`);
}
