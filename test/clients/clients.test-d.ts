import type { PGlite } from '@electric-sql/pglite';
import type { PGlite as OldestPGlite } from '@electric-sql/pglite-0.2';
import type { Client as Libsql } from '@libsql/client';
import type { Client as OldestLibsql } from '@libsql/client-0.14';
import type * as neon from '@neondatabase/serverless';
import type * as neonBefore1 from '@neondatabase/serverless-0.10';
import type * as neon1 from '@neondatabase/serverless-1.0';
import type * as vercel from '@vercel/postgres';
import type { Client, Pool, PoolClient } from 'pg';
import type { IDatabase } from 'pg-promise';
import type { ReservedSql, Sql } from 'postgres';
import type { PostgresClient } from 'single-execution/postgres';
import type { SqliteClient } from 'single-execution/sqlite';
import { expectTypeOf, test } from 'vitest';

test('row 142: the types of the clients that the pages name fit', () => {
  expectTypeOf<Pool | Client | PoolClient>().toExtend<PostgresClient>();
  expectTypeOf<Sql | ReservedSql>().toExtend<PostgresClient>();
  expectTypeOf<PGlite | OldestPGlite>().toExtend<PostgresClient>();
  expectTypeOf<ReturnType<typeof neon.neon<false, false>>>().toExtend<PostgresClient>();
  expectTypeOf<ReturnType<typeof neon1.neon<false, false>>>().toExtend<PostgresClient>();
  expectTypeOf<ReturnType<typeof neonBefore1.neon<false, false>>>().not.toExtend<PostgresClient>();
  expectTypeOf<neon.Pool | neon.Client | neon1.Pool | neonBefore1.Pool>().toExtend<PostgresClient>();
  expectTypeOf<typeof vercel.sql | vercel.VercelPool | vercel.VercelClient>().toExtend<PostgresClient>();
  expectTypeOf<IDatabase<object>>().toExtend<PostgresClient>();
  expectTypeOf<Libsql | OldestLibsql>().toExtend<SqliteClient>();
});
