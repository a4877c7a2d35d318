import type { Knex } from 'knex';
import { CompiledQuery, type Kysely } from 'kysely';
import type { SqliteClient } from 'single-execution/sqlite';

/** Turso's `connect()`, or `open()` of the package sqlite. */
interface Database {
  all(text: string, values: unknown[]): Promise<object[]>;
}
export const overDatabase = (db: Database): SqliteClient => {
  return (text, values) => db.all(text, values);
};

/** `new sqlite3.Database(file)`. */
interface Sqlite3 {
  all<T>(text: string, values: unknown[], done: (error: Error | null, rows: T[]) => void): unknown;
}
export const overSqlite3 = (db: Sqlite3): SqliteClient => {
  return (text, values) =>
    new Promise((resolve, reject) => {
      db.all<object>(text, values, (error, rows) => (error ? reject(error) : resolve(rows)));
    });
};

export const overKysely = <DB>(db: Kysely<DB>): SqliteClient => {
  return async (text, values) => (await db.withoutPlugins().executeQuery<object>(CompiledQuery.raw(text, values))).rows;
};

export const overKnex = (knex: Knex): SqliteClient => {
  return (text, values) => knex.raw(text, values);
};
