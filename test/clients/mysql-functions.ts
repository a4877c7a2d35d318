import type { MikroORM } from '@mikro-orm/mysql';
import type { Knex } from 'knex';
import { CompiledQuery, type Kysely } from 'kysely';
import type { Sequelize } from 'sequelize';
import type { MysqlClient } from 'single-execution/mysql';
import type { DataSource } from 'typeorm';

export const overKnex = (knex: Knex): MysqlClient => {
  return async (text, values) => (await knex.raw(text, values))[0];
};

export const overKysely = <DB>(db: Kysely<DB>): MysqlClient => {
  return async (text, values) => {
    const { rows, numAffectedRows } = await db.withoutPlugins().executeQuery<object>(CompiledQuery.raw(text, values));
    return numAffectedRows === undefined ? rows : { affectedRows: numAffectedRows };
  };
};

export const overMikroORM = (orm: MikroORM): MysqlClient => {
  return (text, values) => {
    const connection = orm.em.getConnection('write');
    if (text.startsWith('SELECT')) return connection.execute<object[]>(text, values);
    return connection.execute(text, values, 'run');
  };
};

interface Prisma {
  $queryRawUnsafe<T>(text: string, ...values: unknown[]): Promise<T>;
  $executeRawUnsafe(text: string, ...values: unknown[]): Promise<number>;
}
export const overPrisma = (prisma: Prisma): MysqlClient => {
  return async (text, values) => {
    if (text.startsWith('SELECT')) return prisma.$queryRawUnsafe<object[]>(text, ...values);
    return { affectedRows: await prisma.$executeRawUnsafe(text, ...values) };
  };
};

// Without `transaction: null`, statements would join the transaction of `Sequelize.useCLS`.
export const overSequelize = (sequelize: Sequelize): MysqlClient => {
  return async (text, values) => {
    let n = 0;
    const numbered = text.replaceAll('?', () => `$${++n}`);
    const [answer] = await sequelize.query(numbered, { bind: values, transaction: null });
    return answer as object[];
  };
};

export const overTypeORM = (dataSource: DataSource): MysqlClient => {
  return async (text, values) => {
    const runner = dataSource.createQueryRunner();
    try {
      return (await runner.query(text, values, true)).raw;
    } finally {
      await runner.release();
    }
  };
};
