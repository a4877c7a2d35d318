import { versionOf } from './matrix.js';

interface PageRow {
  readonly client: string;
  readonly packages: readonly string[];
  readonly pass: string;
}

const BY_FUNCTION = '[a function](#pass-a-function)';

export const POSTGRES_ROWS: readonly PageRow[] = [
  {
    client: 'pg',
    packages: ['pg-8.0', 'pg'],
    pass: '`new Pool(…)`. A connected `new Client(…)` only in a script: [it never connects again](#when-a-connection-breaks)',
  },
  { client: 'postgres.js', packages: ['postgres-3.4.8', 'postgres'], pass: '`postgres(url)`' },
  {
    client: 'Neon',
    packages: ['@neondatabase/serverless-1.0', '@neondatabase/serverless'],
    pass: '`neon(url)`, or its `Pool`',
  },
  {
    client: 'Neon before 1.0',
    packages: ['@neondatabase/serverless-0.10'],
    pass: '`(text, values) => sql(text, values)` with `sql = neon(url)`, or its `Pool`',
  },
  { client: '@vercel/postgres', packages: ['@vercel/postgres'], pass: '`sql`, `db`, or `createPool()`' },
  { client: 'PGlite', packages: ['@electric-sql/pglite-0.2', '@electric-sql/pglite'], pass: '`new PGlite(…)`' },
  { client: 'pg-promise', packages: ['pg-promise'], pass: '`pgp(url)`' },
  { client: 'Bun', packages: ['bun'], pass: '`new SQL(url)`' },
  { client: 'Drizzle', packages: ['drizzle-orm'], pass: '`db.$client`' },
  { client: 'Knex, Objection', packages: ['knex', 'objection'], pass: BY_FUNCTION },
  { client: 'Kysely', packages: ['kysely'], pass: BY_FUNCTION },
  { client: 'MikroORM', packages: ['@mikro-orm/postgresql'], pass: BY_FUNCTION },
  { client: 'Prisma', packages: ['@prisma/client'], pass: BY_FUNCTION },
  { client: 'Sequelize', packages: ['sequelize'], pass: BY_FUNCTION },
  { client: 'Slonik', packages: ['slonik'], pass: BY_FUNCTION },
  { client: 'TypeORM', packages: ['typeorm'], pass: BY_FUNCTION },
];

export const SQLITE_ROWS: readonly PageRow[] = [
  { client: 'Cloudflare D1', packages: [], pass: '`env.DB`' },
  {
    client: 'Turso, libSQL',
    packages: ['@libsql/client-0.14', '@libsql/client'],
    pass: '`createClient({ url, authToken })`',
  },
  { client: 'node:sqlite, from Node 22.5', packages: [], pass: "`new DatabaseSync('locks.db')`" },
  { client: 'better-sqlite3', packages: ['better-sqlite3'], pass: "`new Database('locks.db')`" },
  { client: 'bun:sqlite', packages: ['bun'], pass: "`new Database('locks.db')`" },
  { client: 'Drizzle', packages: ['drizzle-orm'], pass: '`db.$client`' },
  { client: '@tursodatabase/serverless', packages: ['@tursodatabase/serverless'], pass: BY_FUNCTION },
  { client: '@tursodatabase/database', packages: ['@tursodatabase/database'], pass: BY_FUNCTION },
  { client: 'sqlite, sqlite3', packages: ['sqlite', 'sqlite3'], pass: BY_FUNCTION },
  { client: 'Knex, Kysely', packages: ['knex', 'kysely'], pass: BY_FUNCTION },
];

export const MYSQL_ROWS: readonly PageRow[] = [
  {
    client: 'mysql2',
    packages: ['mysql2-2', 'mysql2'],
    pass: '`createPool(…)` of `mysql2` or `mysql2/promise`. A connection only in a script: it never connects again',
  },
  {
    client: 'mariadb',
    packages: ['mariadb-3.0', 'mariadb'],
    pass: '`createPool(…)`. A connection only in a script',
  },
  {
    client: '@planetscale/database',
    packages: ['@planetscale/database-1.3', '@planetscale/database'],
    pass: '`new Client(…)`',
  },
  { client: 'Drizzle', packages: ['drizzle-orm'], pass: '`db.$client`' },
  { client: 'Knex', packages: ['knex'], pass: BY_FUNCTION },
  { client: 'Kysely', packages: ['kysely'], pass: BY_FUNCTION },
  {
    client: 'MikroORM',
    packages: ['@mikro-orm/mysql'],
    pass: "[a function](#pass-a-function); from 7.2, `await orm.em.getConnection('write').getNativeClient()`",
  },
  { client: 'Prisma', packages: ['@prisma/client'], pass: BY_FUNCTION },
  { client: 'Sequelize', packages: ['sequelize'], pass: BY_FUNCTION },
  { client: 'TypeORM', packages: ['typeorm'], pass: BY_FUNCTION },
];

export function pageTable(rows: readonly PageRow[]): string {
  const lines = rows.map(
    ({ client, packages, pass }) => `| ${client} | ${packages.map(versionOf).join(', ')} | ${pass} |`,
  );
  return ['| client | tested | pass |', '|---|---|---|', ...lines].join('\n');
}
