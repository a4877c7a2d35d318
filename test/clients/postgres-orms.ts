import type { Knex } from 'knex';
import type { PostgresClient } from 'single-execution/postgres';
import { prismaPackages } from './on-demand.js';
import {
  overKnex,
  overKysely,
  overMikroORM,
  overPrisma,
  overSequelize,
  overSlonik,
  overTypeORM,
} from './postgres-functions.js';
import type { Connected, SqlClient } from './sql-client.js';

type Opened = Promise<Connected<PostgresClient>>;

/** Clients that are reached by a function, or by the client inside them. */
export const ORMS: readonly SqlClient<PostgresClient>[] = [
  { package: 'drizzle-orm', kind: 'db.$client, over pg', connect: ofDrizzleOverPg },
  { package: 'drizzle-orm', kind: 'db.$client, over postgres', connect: ofDrizzleOverPostgresJs },
  { package: 'knex', kind: 'knex()', connect: ofKnex },
  { package: 'objection', kind: 'Model.knex()', connect: ofObjection },
  { package: 'kysely', kind: 'Kysely', connect: ofKysely },
  { package: '@mikro-orm/postgresql', kind: 'MikroORM', connect: ofMikroORM },
  { package: 'sequelize', kind: 'Sequelize', connect: ofSequelize },
  { package: 'slonik', kind: 'createPool()', runtime: 'Node 24', connect: ofSlonik },
  { package: '@prisma/client', kind: 'PrismaClient', connect: ofPrisma },
  { package: 'typeorm', kind: 'DataSource', connect: ofTypeORM },
];

async function ofDrizzleOverPg(url: string): Opened {
  const { drizzle } = await import('drizzle-orm/node-postgres');
  const db = drizzle(url);
  return { client: db.$client, close: () => db.$client.end() };
}

async function ofDrizzleOverPostgresJs(url: string): Opened {
  const { drizzle } = await import('drizzle-orm/postgres-js');
  const db = drizzle({ connection: { url, onnotice: () => undefined } });
  return { client: db.$client, close: () => db.$client.end() };
}

export async function connectedKnex(url: string, more: Knex.Config = {}) {
  const { default: knex } = await import('knex');
  return knex({ client: 'pg', connection: url, pool: { min: 0, max: 10 }, ...more });
}

async function ofKnex(url: string): Opened {
  const knex = await connectedKnex(url);
  return { client: overKnex(knex), close: () => knex.destroy() };
}

async function ofObjection(url: string): Opened {
  const { Model } = await import('objection');
  class Job extends Model {
    static override tableName = 'jobs';
  }
  Job.knex(await connectedKnex(url));
  return { client: overKnex(Job.knex()), close: () => Job.knex().destroy() };
}

export async function connectedKysely(url: string) {
  const { Kysely, PostgresDialect, CamelCasePlugin, ParseJSONResultsPlugin } = await import('kysely');
  const { Pool } = (await import('pg')).default;
  return new Kysely<{ jobs: { id: number } }>({
    dialect: new PostgresDialect({ pool: new Pool({ connectionString: url }) }),
    plugins: [new CamelCasePlugin(), new ParseJSONResultsPlugin()],
  });
}

async function ofKysely(url: string): Opened {
  const db = await connectedKysely(url);
  return { client: overKysely(db), close: () => db.destroy() };
}

export async function connectedMikroORM(url: string) {
  const { EntitySchema, MikroORM } = await import('@mikro-orm/postgresql');
  const job = new EntitySchema({ name: 'Job', properties: { id: { type: 'number', primary: true } } });
  return MikroORM.init({ clientUrl: url, entities: [job] });
}

async function ofMikroORM(url: string): Opened {
  const orm = await connectedMikroORM(url);
  return { client: overMikroORM(orm), close: () => orm.close() };
}

async function ofPrisma(url: string): Opened {
  const { PrismaClient, PrismaPg } = await prismaPackages('pg');
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) });
  return { client: overPrisma(prisma), close: () => prisma.$disconnect() };
}

export async function connectedSequelize(url: string) {
  const { Sequelize } = await import('sequelize');
  return new Sequelize(url, { logging: false, pool: { max: 10 } });
}

async function ofSequelize(url: string): Opened {
  const sequelize = await connectedSequelize(url);
  return { client: overSequelize(sequelize), close: () => sequelize.close() };
}

async function ofSlonik(url: string): Opened {
  const { createPool } = await import('slonik');
  const pool = await createPool(url);
  return { client: overSlonik(pool), close: () => pool.end() };
}

export async function connectedTypeORM(url: string) {
  const { DataSource } = await import('typeorm');
  return new DataSource({ type: 'postgres', url }).initialize();
}

async function ofTypeORM(url: string): Opened {
  const dataSource = await connectedTypeORM(url);
  return { client: overTypeORM(dataSource), close: () => dataSource.destroy() };
}
