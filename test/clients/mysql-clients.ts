import type { MysqlClient } from 'single-execution/mysql';
import { overKnex, overKysely, overMikroORM, overPrisma, overSequelize, overTypeORM } from './mysql-functions.js';
import { prismaPackages } from './on-demand.js';
import { planetscaleFetch } from './planetscale-fetch.js';
import type { Connected, SqlClient } from './sql-client.js';

export interface ConnectedMysql extends Connected<MysqlClient> {
  /** Runs a statement of the program with the same client. On a pool it may run on any connection. */
  run?(text: string): Promise<unknown>;
}

export interface ClientOfMysql extends SqlClient<MysqlClient> {
  /** Whether it has one connection only, which the program may use too. */
  readonly isConnection?: true;
  connect(url: string): Promise<ConnectedMysql>;
}

type Promises = typeof import('mysql2/promise');
type Callbacks = typeof import('mysql2');
type Mariadb = typeof import('mariadb');
type Planetscale = typeof import('@planetscale/database');

/** An older version has other types, but the members that are used here. */
const older = <T>(load: () => Promise<unknown>) => load as () => Promise<T>;

const promises = () => import('mysql2/promise');
const callbacks = () => import('mysql2');

/** Every client of MySQL that the page of the store names, in its newest and its oldest version. */
export const MYSQL_CLIENTS: readonly ClientOfMysql[] = [
  ...ofMysql2('mysql2', promises, callbacks),
  ...ofMysql2(
    'mysql2-2',
    older<Promises>(() => import('mysql2-2/promise.js')),
    older<Callbacks>(() => import('mysql2-2')),
  ),
  ...ofMariadb('mariadb', () => import('mariadb')),
  ...ofMariadb(
    'mariadb-3.0',
    older<Mariadb>(() => import('mariadb-3.0')),
  ),
  ofPlanetscale('@planetscale/database', () => import('@planetscale/database')),
  ofPlanetscale(
    '@planetscale/database-1.3',
    older<Planetscale>(() => import('@planetscale/database-1.3')),
  ),
  { package: 'drizzle-orm', kind: 'db.$client, over mysql2', connect: ofDrizzle },
  { package: 'knex', kind: 'knex()', connect: ofKnex },
  { package: 'kysely', kind: 'Kysely', connect: ofKysely },
  { package: '@mikro-orm/mysql', kind: 'MikroORM', connect: ofMikroORM },
  { package: '@mikro-orm/mysql', kind: 'getNativeClient()', connect: ofMikroPool },
  { package: '@prisma/client', kind: 'PrismaClient, over mariadb', connect: ofPrisma },
  { package: 'sequelize', kind: 'Sequelize', connect: ofSequelize },
  { package: 'typeorm', kind: 'DataSource', connect: ofTypeORM },
];

function ofMysql2(name: string, promise: () => Promise<Promises>, callback: () => Promise<Callbacks>): ClientOfMysql[] {
  const isConnection = true;
  return [
    {
      package: name,
      kind: 'createPool() of mysql2/promise',
      async connect(url) {
        const client = (await promise()).createPool(url);
        return { client, close: () => client.end() };
      },
    },
    {
      package: name,
      kind: 'createPool()',
      async connect(url) {
        const client = (await callback()).createPool(url);
        return { client, close: () => client.promise().end() };
      },
    },
    {
      package: name,
      kind: 'createConnection() of mysql2/promise',
      isConnection,
      async connect(url) {
        const client = await (await promise()).createConnection(url);
        return { client, run: (text) => client.query(text), close: () => client.end() };
      },
    },
    {
      package: name,
      kind: 'createConnection()',
      isConnection,
      async connect(url) {
        const client = (await callback()).createConnection(url);
        return { client, run: (text) => client.promise().query(text), close: () => client.promise().end() };
      },
    },
    {
      package: name,
      kind: 'pool.getConnection() of mysql2/promise',
      isConnection,
      async connect(url) {
        const pool = (await promise()).createPool(url);
        const client = await pool.getConnection();
        return { client, run: (text) => client.query(text), close: () => pool.end() };
      },
    },
    {
      package: name,
      kind: 'a function over a connection',
      isConnection,
      async connect(url) {
        const own = await (await promise()).createConnection(url);
        const client = async (text: string, values: (string | number)[]) =>
          (await own.execute(text, values))[0] as object[];
        return { client, run: (text) => own.query(text), close: () => own.end() };
      },
    },
  ];
}

function ofMariadb(name: string, load: () => Promise<Mariadb>): ClientOfMysql[] {
  const optionsOf = (url: string) => {
    const { hostname, port, username, pathname } = new URL(url);
    return { host: hostname, port: Number(port), user: username, database: pathname.slice(1) };
  };
  return [
    {
      package: name,
      kind: 'createPool()',
      async connect(url) {
        const client = (await load()).createPool(optionsOf(url));
        return { client, close: () => client.end() };
      },
    },
    {
      package: name,
      kind: 'createConnection()',
      isConnection: true,
      async connect(url) {
        const client = await (await load()).createConnection(optionsOf(url));
        return { client, run: (text) => client.query(text), close: () => client.end() };
      },
    },
  ];
}

function ofPlanetscale(name: string, load: () => Promise<Planetscale>): ClientOfMysql {
  return {
    package: name,
    kind: 'Client, before a server of ours',
    async connect(url) {
      const { Client } = await load();
      const pool = (await promises()).createPool(url);
      const fetch = planetscaleFetch(pool);
      return { client: new Client({ host: 'planetscale.example', fetch }), close: () => pool.end() };
    },
  };
}

async function ofDrizzle(url: string): Promise<ConnectedMysql> {
  const { drizzle } = await import('drizzle-orm/mysql2');
  const db = drizzle(url);
  return { client: db.$client, close: () => db.$client.promise().end() };
}

export async function connectedKnex(url: string) {
  const { default: knex } = await import('knex');
  return knex({ client: 'mysql2', connection: url, pool: { min: 0, max: 10 } });
}

async function ofKnex(url: string): Promise<ConnectedMysql> {
  const knex = await connectedKnex(url);
  return { client: overKnex(knex), close: () => knex.destroy() };
}

export async function connectedKysely(url: string) {
  const { Kysely, MysqlDialect, CamelCasePlugin, ParseJSONResultsPlugin } = await import('kysely');
  return new Kysely<{ jobs: { id: number } }>({
    dialect: new MysqlDialect({ pool: (await callbacks()).createPool(url) }),
    plugins: [new CamelCasePlugin(), new ParseJSONResultsPlugin()],
  });
}

async function ofKysely(url: string): Promise<ConnectedMysql> {
  const db = await connectedKysely(url);
  return { client: overKysely(db), close: () => db.destroy() };
}

export async function connectedMikroORM(url: string) {
  const { EntitySchema, MikroORM } = await import('@mikro-orm/mysql');
  const job = new EntitySchema({ name: 'Job', properties: { id: { type: 'number', primary: true } } });
  return MikroORM.init({ clientUrl: url, entities: [job] });
}

async function ofMikroORM(url: string): Promise<ConnectedMysql> {
  const orm = await connectedMikroORM(url);
  return { client: overMikroORM(orm), close: () => orm.close() };
}

async function ofMikroPool(url: string): Promise<ConnectedMysql> {
  const orm = await connectedMikroORM(url);
  return { client: await orm.em.getConnection('write').getNativeClient(), close: () => orm.close() };
}

async function ofPrisma(url: string): Promise<ConnectedMysql> {
  const { PrismaClient, PrismaMariaDb } = await prismaPackages('mariadb');
  const prisma = new PrismaClient({ adapter: new PrismaMariaDb(url) });
  return { client: overPrisma(prisma), close: () => prisma.$disconnect() };
}

export async function connectedSequelize(url: string) {
  const { Sequelize } = await import('sequelize');
  return new Sequelize(url, { logging: false, pool: { max: 10 } });
}

async function ofSequelize(url: string): Promise<ConnectedMysql> {
  const sequelize = await connectedSequelize(url);
  return { client: overSequelize(sequelize), close: () => sequelize.close() };
}

export async function connectedTypeORM(url: string) {
  const { DataSource } = await import('typeorm');
  return new DataSource({ type: 'mysql', url }).initialize();
}

async function ofTypeORM(url: string): Promise<ConnectedMysql> {
  const dataSource = await connectedTypeORM(url);
  return { client: overTypeORM(dataSource), close: () => dataSource.destroy() };
}
