import { Pool } from 'pg';
import type { LockStoreError } from 'single-execution';
import { postgresStore } from 'single-execution/postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownEngine } from '../../support/backends/stage.js';
import { call, claim, done, grant } from '../../support/one-run.js';
import { failureOf } from '../../support/settled.js';

const { server, pool } = await ownEngine('postgres');
const asJobs = new Pool({
  connectionString: String(Object.assign(new URL(server.url), { username: 'jobs', password: 'j' })),
  max: 2,
});
beforeAll(async () => {
  await pool.query(`CREATE ROLE jobs LOGIN PASSWORD 'j'`);
  await pool.query('CREATE EXTENSION IF NOT EXISTS file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw');
  for (const [name, body] of Object.entries(TRIGGERS)) {
    await pool.query(`CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN ${body} END'`);
  }
});
afterAll(() => asJobs.end());

const TRIGGERS = { raising: "RAISE EXCEPTION ''not here'';", touching: 'NEW.touched = now(); RETURN NEW;' };

/** The columns of a lock, some of them of another type. */
const columns = ({ name = 'text PRIMARY KEY', record = 'text NOT NULL', version = 'bigint NOT NULL' } = {}) =>
  `name ${name}, record ${record}, version ${version}`;
const created = (...changes: Parameters<typeof columns>) => `CREATE TABLE t (${columns(...changes)})`;

/** Tables that somebody may have made for the locks, and the code of a first run; undefined if it works. */
const TABLES: Readonly<Record<string, readonly [string, LockStoreError['code'] | undefined]>> = {
  'the table of the page': [created(), undefined],
  'varchar columns': [created({ name: 'varchar PRIMARY KEY', record: 'varchar NOT NULL' }), undefined],
  'a version that is an integer': [created({ version: 'integer NOT NULL' }), undefined],
  'a version that is numeric': [created({ version: 'numeric NOT NULL' }), undefined],
  'a unique name that is no primary key': [created({ name: 'text UNIQUE NOT NULL' }), undefined],
  'a column more, with a default': [`CREATE TABLE t (${columns()}, made timestamptz DEFAULT now())`, undefined],
  'an unlogged table': [`CREATE UNLOGGED TABLE t (${columns()})`, undefined],
  'a partitioned table': [
    `CREATE TABLE t (${columns()}) PARTITION BY HASH (name); CREATE TABLE t_0 PARTITION OF t FOR VALUES WITH (MODULUS 1, REMAINDER 0)`,
    undefined,
  ],
  'a view of one table': [`CREATE TABLE t_b (${columns()}); CREATE VIEW t AS SELECT * FROM t_b`, undefined],
  'a trigger that fills another column': [
    `CREATE TABLE t (${columns()}, touched timestamptz); CREATE TRIGGER r BEFORE INSERT OR UPDATE ON t FOR EACH ROW EXECUTE FUNCTION touching()`,
    undefined,
  ],
  'row level security that lets this role in': [
    `${created()}; ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON t USING (true)`,
    undefined,
  ],
  'row level security that lets nobody in': [`${created()}; ALTER TABLE t ENABLE ROW LEVEL SECURITY`, 'ACCESS_DENIED'],
  'a record that is a number': [created({ record: 'integer NOT NULL' }), 'KEY_SCHEMA'],
  'a record that is too short': [created({ record: 'varchar(20) NOT NULL' }), 'KEY_SCHEMA'],
  'a record with a check': [created({ record: 'text NOT NULL CHECK (length(record) < 9)' }), 'KEY_SCHEMA'],
  'a record that is generated': [created({ record: `text GENERATED ALWAYS AS ('x') STORED` }), 'KEY_SCHEMA'],
  'a version that is a uuid': [created({ version: 'uuid NOT NULL' }), 'KEY_SCHEMA'],
  'a version that counts by itself': [created({ version: 'bigint GENERATED ALWAYS AS IDENTITY' }), 'KEY_SCHEMA'],
  'no primary key': [created({ name: 'text' }), 'KEY_SCHEMA'],
  'a primary key of two columns': [
    `CREATE TABLE t (${columns({ name: 'text' })}, tenant int DEFAULT 0, PRIMARY KEY (name, tenant))`,
    'KEY_SCHEMA',
  ],
  'a primary key that is checked at the commit': [
    created({ name: 'text PRIMARY KEY DEFERRABLE INITIALLY DEFERRED' }),
    'KEY_SCHEMA',
  ],
  'a name that is a uuid': [created({ name: 'uuid PRIMARY KEY' }), 'KEY_SCHEMA'],
  'a name that is a number': [created({ name: 'bigint PRIMARY KEY' }), 'KEY_SCHEMA'],
  'a name that is too short': [created({ name: 'varchar(3) PRIMARY KEY' }), 'KEY_SCHEMA'],
  'a name of blank padded characters that is too short': [created({ name: 'char(3) PRIMARY KEY' }), 'KEY_SCHEMA'],
  'a name of another table': [
    `CREATE TABLE jobs (name text PRIMARY KEY); ${created({ name: 'text PRIMARY KEY REFERENCES jobs' })}`,
    'KEY_SCHEMA',
  ],
  'a column more, without a default': [`CREATE TABLE t (${columns()}, tenant text NOT NULL)`, 'KEY_SCHEMA'],
  'columns in upper case': ['CREATE TABLE t ("Name" text PRIMARY KEY, "Record" text, "Version" bigint)', 'KEY_SCHEMA'],
  'a view of two tables': [
    `CREATE TABLE t_b (${columns()}); CREATE VIEW t AS SELECT a.* FROM t_b a JOIN t_b b USING (name)`,
    'KEY_SCHEMA',
  ],
  'a materialized view': [
    `CREATE TABLE t_b (${columns()}); CREATE MATERIALIZED VIEW t AS SELECT * FROM t_b`,
    'KEY_SCHEMA',
  ],
  'a foreign table': [
    `CREATE FOREIGN TABLE t (name text, record text, version bigint) SERVER files OPTIONS (filename '/dev/null')`,
    'KEY_SCHEMA',
  ],
  'a partition that is missing': [
    `CREATE TABLE t (${columns()}) PARTITION BY LIST (name); CREATE TABLE t_0 PARTITION OF t FOR VALUES IN ('other')`,
    'KEY_SCHEMA',
  ],
  'a trigger that raises an error': [
    `${created()}; CREATE TRIGGER r BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION raising()`,
    'KEY_SCHEMA',
  ],
  'a rule': [`${created()}; CREATE RULE r AS ON INSERT TO t DO INSTEAD NOTHING`, 'KEY_SCHEMA'],
  'a sequence': ['CREATE SEQUENCE t', 'KEY_SCHEMA'],
};

describe('F133 a table that somebody made by hand', () => {
  let schemas = 0;
  test.each(Object.entries(TABLES))('%s', async (_, [statements, code]) => {
    const schema = `s${schemas++}`;
    await pool.query(
      `CREATE SCHEMA ${schema}; SET search_path = ${schema}, public; ${statements}; RESET search_path;
      GRANT USAGE ON SCHEMA ${schema} TO jobs; GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA ${schema} TO jobs`,
    );
    const store = postgresStore({ client: asJobs, table: `${schema}.t` });
    const asked = claim({ name: 'Digest 0123' });
    if (code !== undefined) {
      const error = await failureOf<LockStoreError>(store.acquire(asked, call()));
      expect(error).toMatchObject({
        code,
        retryable: false,
        message: expect.stringMatching(/create a table only for the store|turn it off for this table/),
      });
      return;
    }

    const lease = await grant(store, asked);
    expect(await store.acquire(claim({ name: 'Digest 0123' }), call())).toMatchObject({ reason: 'locked' });
    expect(await store.extend(lease, { leaseMs: 60_000 }, call())).toMatchObject({ status: 'extended' });
    expect(await store.release(lease, done, call())).toBe('released');
    expect((await store.list(call())).map(({ name }) => name)).toEqual(['Digest 0123']);
  });
});
