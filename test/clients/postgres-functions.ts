import type { MikroORM } from '@mikro-orm/postgresql';
import type { Knex } from 'knex';
import { CompiledQuery, type Kysely } from 'kysely';
import type { Sequelize } from 'sequelize';
import type { PostgresClient } from 'single-execution/postgres';
import { type DatabasePool, sql } from 'slonik';
import type { DataSource } from 'typeorm';

export const overKysely = <DB>(db: Kysely<DB>): PostgresClient => {
  return async (text, values) => (await db.withoutPlugins().executeQuery<object>(CompiledQuery.raw(text, values))).rows;
};

// Objection has its Knex in `Model.knex()`.
export const overKnex = (knex: Knex): PostgresClient => {
  return async (text, values) => (await knex.raw(text.replaceAll(/\$\d/g, '?'), values)).rows;
};

export const overMikroORM = (orm: MikroORM): PostgresClient => {
  return (text, values) => orm.em.getConnection('write').execute<object[]>(text.replaceAll(/\$\d/g, '?'), values);
};

interface Prisma {
  $queryRawUnsafe<T>(text: string, ...values: unknown[]): Promise<T>;
}
export const overPrisma = (prisma: Prisma): PostgresClient => {
  return (text, values) => prisma.$queryRawUnsafe<object[]>(text, ...values);
};

// Without `transaction: null`, statements would join the transaction of `Sequelize.useCLS`.
export const overSequelize = (sequelize: Sequelize): PostgresClient => {
  return async (text, values) => {
    const [rows] = await sequelize.query(text, { bind: values, transaction: null });
    return rows as object[];
  };
};

export const overSlonik = (pool: DatabasePool): PostgresClient => {
  return async (text, values) => (await pool.query({ ...sql.unsafe`SELECT`, sql: text, values })).rows as object[];
};

export const overTypeORM = (dataSource: DataSource): PostgresClient => {
  return async (text, values) => {
    const runner = dataSource.createQueryRunner();
    try {
      return (await runner.query(text, values, true)).records;
    } finally {
      await runner.release();
    }
  };
};
