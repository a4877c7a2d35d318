import { type PostgresClient, postgresStore } from 'single-execution/postgres';
import { describe, expect, test } from 'vitest';
import { ownEngine } from '../support/backends/stage.js';
import { call, claim } from '../support/one-run.js';
import { type Foreign, finally_, INSTEAD, inside, misuseOf, objectsOfOrms, RAN } from './misuse.js';
import { startNeonProxy } from './neon-proxy.js';
import { prismaPackages } from './on-demand.js';
import {
  connectedKnex,
  connectedKysely,
  connectedMikroORM,
  connectedSequelize,
  connectedTypeORM,
} from './postgres-orms.js';

const { server, pool } = await ownEngine('postgres');
const { url } = server;

const { refusal, others, twoRuns } = misuseOf(postgresStore);
const BY_FUNCTION = 'pass a function (text, values) => rows, as in docs/stores/postgres.md';

const FOREIGN: Foreign = {
  ...objectsOfOrms({ connectedKnex, connectedKysely, connectedMikroORM, connectedSequelize, connectedTypeORM }, url),
  async "Drizzle's database"() {
    const { drizzle } = await import('drizzle-orm/node-postgres');
    const { drizzle: drizzlePostgresJs } = await import('drizzle-orm/postgres-js');
    const own = drizzle(url);
    const other = drizzlePostgresJs({ connection: { url } });
    finally_(() => Promise.all([own.$client.end(), other.$client.end()]));
    return [own, other, await inside((work) => own.transaction(work))];
  },
  async "Prisma's client"() {
    const prisma = await connectedPrisma();
    return [prisma, await inside((work) => prisma.$transaction(work))];
  },
  "Slonik's pool": async () => [await (await import('slonik')).createPool(url)],
};

async function connectedPrisma() {
  const { PrismaClient, PrismaPg } = await prismaPackages('pg');
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) });
  finally_(() => prisma.$disconnect());
  return prisma;
}

describe('row 143: an object that cannot run statements is refused when the store is made, by its name', () => {
  test.each(Object.entries(FOREIGN))('%s', async (name, objects) => {
    const remedy = name.startsWith('Drizzle') ? 'pass its own client, db.$client' : BY_FUNCTION;
    expect(others(name, remedy, await objects())).toEqual([]);
  });

  test('a query builder of Knex', async () => {
    const knex = await connectedKnex(url);
    finally_(() => knex.destroy());
    expect(refusal(knex('jobs'))).toBe('TypeError: client is a promise: await it first');
  });

  test('of pg: a Client that was never connected, the promise of a client, its options, its module', async () => {
    const pg = await import('pg');
    const { Client: NeonClient } = await import('@neondatabase/serverless');
    const { createClient } = await import('@vercel/postgres');
    const options = { connectionString: url.replace('postgres:', 'postgresql:').replace('127.0.0.1', 'localhost') };
    const promised = pool.connect();
    finally_(async () => (await promised).release());

    for (const client of [new pg.default.Client(options), new NeonClient(options), createClient(options)]) {
      expect(refusal(client)).toContain('a Client of pg that was never connected: await client.connect() first');
    }
    expect(refusal(promised)).toBe('TypeError: client is a promise: await it first');
    for (const client of [options, { client: pool }, pg, url]) {
      expect(refusal(client)).toMatch(/^TypeError: client is (an object|a string): pass a client of pg/);
    }
  });

  test('of postgres.js: a transaction, and a query', async () => {
    const { default: postgres } = await import('postgres');
    const sql = postgres(url);
    finally_(() => sql.end());
    const said = await sql.begin(async (transaction) => refusal(transaction));

    expect(said).toContain('TypeError: client is a transaction: pass the client that began it');
    expect(refusal(sql`SELECT 1`)).toBe('TypeError: client is a promise: await it first');
  });
});

describe('F151 what real clients answer instead of their rows', () => {
  test('TypeORM: rows and a count to an UPDATE', async () => {
    const dataSource = await connectedTypeORM(url);
    finally_(() => dataSource.destroy());

    for (const by of [dataSource, dataSource.manager]) {
      expect(await twoRuns((text, values) => by.query(text, values))).toEqual(['executed, unknown', INSTEAD]);
    }
  });

  test('Sequelize: rows and a count, and with typed queries that to a write alone', async () => {
    const { QueryTypes } = await import('sequelize');
    const sequelize = await connectedSequelize(url);
    finally_(() => sequelize.close());
    const typed: PostgresClient = (text, bind) => {
      const type = QueryTypes[text.slice(0, 6) as 'SELECT' | 'INSERT' | 'UPDATE'];
      return sequelize.query(text, { bind, type }) as unknown as Promise<object[]>;
    };

    const untyped = (text: string, bind: unknown[]) => sequelize.query(text, { bind });

    expect(await twoRuns(untyped as PostgresClient)).toEqual([INSTEAD, INSTEAD]);
    expect(await twoRuns(typed)).toEqual([INSTEAD, INSTEAD]);
  });

  test('Prisma: a number', async () => {
    const prisma = await connectedPrisma();
    const client = (text: string, values: unknown[]) => prisma.$executeRawUnsafe(text, ...values);

    expect(await twoRuns(client as unknown as PostgresClient)).toEqual([INSTEAD, INSTEAD]);
  });

  test('Knex: a result, and renamed columns', async () => {
    const knex = await connectedKnex(url);
    const renaming = await connectedKnex(url, {
      postProcessResponse: ({ rows }: { rows: object[] }) => ({ rows: rows.map(inCapitals) }),
      wrapIdentifier: (name, quote) => quote(name.toUpperCase()),
    });
    finally_(() => Promise.all([knex.destroy(), renaming.destroy()]));
    const raw = (by: typeof knex) => (text: string, values: (string | number)[]) =>
      by.raw(text.replaceAll(/\$\d/g, '?'), values);

    expect(await twoRuns(raw(knex) as unknown as PostgresClient)).toEqual([INSTEAD, INSTEAD]);
    expect(await twoRuns(async (...asked) => (await raw(renaming)(...asked)).rows)).toEqual([INSTEAD, INSTEAD]);
  });

  test('MikroORM: a result of a write', async () => {
    const orm = await connectedMikroORM(url);
    finally_(() => orm.close());
    const client: PostgresClient = (text, values) =>
      orm.em.getConnection().execute(text.replaceAll(/\$\d/g, '?'), values, 'run') as never;

    expect(await twoRuns(client)).toEqual([INSTEAD, INSTEAD]);
  });

  test('pg: rows as arrays, and values as its type parsers make them', async () => {
    const { default: pg } = await import('pg');
    // The parsers are those of this copy of pg.
    const pool = new pg.Pool({ connectionString: url });
    finally_(() => pool.end());
    const asArrays: PostgresClient = async (text, values) =>
      (await pool.query({ text, values, rowMode: 'array' })).rows;
    const [text, bigint] = [25, 20].map((type) => pg.types.getTypeParser(type));
    finally_(() => {
      pg.types.setTypeParser(25, text as () => string);
      pg.types.setTypeParser(20, bigint as () => string);
    });

    expect(await twoRuns(asArrays)).toEqual([INSTEAD, INSTEAD]);
    pg.types.setTypeParser(20, BigInt);
    expect(await twoRuns(pool)).toEqual([RAN, RAN]);
    pg.types.setTypeParser(25, (value) => value.toUpperCase());
    // The row of the first run is there, with a name that this client cannot read.
    expect(await twoRuns(pool)).toEqual([
      INSTEAD,
      expect.stringContaining('KEY_SCHEMA: the table treats two lock names as one'),
    ]);
  });

  test('postgres.js: columns and values that `transform` renames or changes', async () => {
    const { default: postgres } = await import('postgres');
    const runs = async (options: object) => {
      const client = postgres(url, options);
      finally_(() => client.end());
      return twoRuns(client);
    };

    for (const transform of [postgres.camel, postgres.kebab, { undefined: null }]) {
      expect(await runs({ transform })).toEqual([RAN, RAN]);
    }
    expect(await runs({ types: { bigint: postgres.BigInt } })).toEqual([RAN, RAN]);
    expect(await runs({ transform: postgres.pascal })).toEqual([INSTEAD, INSTEAD]);
    expect(await runs({ transform: { row: { from: Object.values } } })).toEqual([INSTEAD, INSTEAD]);
    const asObjects = await runs({ transform: { value: { from: (value: unknown) => ({ value }) } } });
    expect(asObjects).toEqual([expect.stringContaining('INVALID_REQUEST'), expect.stringContaining('INVALID_REQUEST')]);
  });

  test('Neon: rows as arrays; the full results of a version before 1.0', async () => {
    const proxy = await startNeonProxy(url);
    finally_(() => proxy.stop());
    const newest = await import('@neondatabase/serverless');
    const older = await import('@neondatabase/serverless-0.10');
    for (const { neon, neonConfig } of [newest, older]) {
      Object.assign(neonConfig, { fetchEndpoint: proxy.endpoint });
      expect(await twoRuns(neon(url, { arrayMode: true }) as PostgresClient)).toEqual([INSTEAD, INSTEAD]);
    }

    expect(await twoRuns(newest.neon(url, { fullResults: true }))).toEqual([RAN, RAN]);
    expect(await twoRuns(older.neon(url, { fullResults: true }) as never)).toEqual([INSTEAD, INSTEAD]);
  });

  test('pg-promise: columns that a `receive` event renames', async () => {
    const { default: pgPromise } = await import('pg-promise');
    const receive = ({ data }: { data: Record<string, unknown>[] }) => {
      for (const [at, row] of data.entries()) {
        for (const column of Object.keys(row)) delete row[column];
        Object.assign(data[at] ?? {}, inCapitals(row));
      }
    };
    const client = pgPromise({ receive, noWarnings: true })(url);
    finally_(() => client.$pool.end());

    expect(await twoRuns(client as PostgresClient)).toEqual([INSTEAD, INSTEAD]);
  });
});

function inCapitals(row: object): object {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column.toUpperCase(), value]));
}

describe('F130 a commit that fails is no success', () => {
  const failsAtCommit = async (table: string) => {
    await pool.query(`CREATE TABLE ${table} (name text PRIMARY KEY, record text NOT NULL, version bigint NOT NULL)`);
    await pool.query(
      `CREATE FUNCTION ${table}_fails() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'at commit' USING ERRCODE = '40001'; END $$`,
    );
    await pool.query(
      `CREATE CONSTRAINT TRIGGER fails AFTER INSERT OR UPDATE ON ${table} DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW EXECUTE FUNCTION ${table}_fails()`,
    );
  };

  test('over postgres.js 3.4.8 and later', async () => {
    await failsAtCommit('failing');
    const { default: newest } = await import('postgres');
    const { default: oldest } = await import('postgres-3.4.8');
    for (const client of [newest(url), oldest(url)]) {
      finally_(() => client.end());
      const store = postgresStore({ client, table: 'failing' });

      await expect(store.acquire(claim(), call(200))).rejects.toMatchObject({ code: 'UNAVAILABLE', retryable: true });
    }
  });

  test('postgres.js 3.4.7 tells it as a success, and is refused when the store is made', async () => {
    const { default: postgres } = await import('postgres-3.4.7');
    await failsAtCommit('lying');
    const client = postgres(url);
    finally_(() => client.end());
    const text = 'INSERT INTO lying (name, record, version) VALUES ($1, $2, 1) RETURNING name';

    expect(await client.unsafe(text, ['a', '{}'])).toEqual([{ name: 'a' }]);
    expect((await pool.query('SELECT * FROM lying')).rows).toEqual([]);
    expect(refusal(client)).toContain('TypeError: client is postgres.js before 3.4.8');
  });
});
