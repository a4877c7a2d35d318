import { Pool } from 'pg';
import type { LockStoreError } from 'single-execution';
import { postgresStore } from 'single-execution/postgres';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { ownEngine } from '../../support/backends/stage.js';
import { expectOfTable } from '../sql/made-by-hand.js';

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

/** Tables that somebody may have made for the locks, by the code of a first run; undefined if it works. */
const TABLES: readonly (readonly [LockStoreError['code'] | undefined, Readonly<Record<string, string>>])[] = [
  [
    undefined,
    {
      'the table of the page': created(),
      'varchar columns': created({ name: 'varchar PRIMARY KEY', record: 'varchar NOT NULL' }),
      'a version that is an integer': created({ version: 'integer NOT NULL' }),
      'a version that is numeric': created({ version: 'numeric NOT NULL' }),
      'a unique name that is no primary key': created({ name: 'text UNIQUE NOT NULL' }),
      'a column more, with a default': `CREATE TABLE t (${columns()}, made timestamptz DEFAULT now())`,
      'an unlogged table': `CREATE UNLOGGED TABLE t (${columns()})`,
      'a partitioned table': `CREATE TABLE t (${columns()}) PARTITION BY HASH (name); CREATE TABLE t_0 PARTITION OF t FOR VALUES WITH (MODULUS 1, REMAINDER 0)`,
      'a view of one table': `CREATE TABLE t_b (${columns()}); CREATE VIEW t AS SELECT * FROM t_b`,
      'a trigger that fills another column': `CREATE TABLE t (${columns()}, touched timestamptz); CREATE TRIGGER r BEFORE INSERT OR UPDATE ON t FOR EACH ROW EXECUTE FUNCTION touching()`,
      'row level security that lets this role in': `${created()}; ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON t USING (true)`,
    },
  ],
  [
    'ACCESS_DENIED',
    {
      'row level security that lets nobody in': `${created()}; ALTER TABLE t ENABLE ROW LEVEL SECURITY`,
    },
  ],
  [
    'KEY_SCHEMA',
    {
      'a record that is a number': created({ record: 'integer NOT NULL' }),
      'a record that is too short': created({ record: 'varchar(20) NOT NULL' }),
      'a record with a check': created({ record: 'text NOT NULL CHECK (length(record) < 9)' }),
      'a record that is generated': created({ record: `text GENERATED ALWAYS AS ('x') STORED` }),
      'a version that is a uuid': created({ version: 'uuid NOT NULL' }),
      'a version that counts by itself': created({ version: 'bigint GENERATED ALWAYS AS IDENTITY' }),
      'no primary key': created({ name: 'text' }),
      'a primary key of two columns': `CREATE TABLE t (${columns({ name: 'text' })}, tenant int DEFAULT 0, PRIMARY KEY (name, tenant))`,
      'a primary key that is checked at the commit': created({
        name: 'text PRIMARY KEY DEFERRABLE INITIALLY DEFERRED',
      }),
      'a name that is a uuid': created({ name: 'uuid PRIMARY KEY' }),
      'a name that is a number': created({ name: 'bigint PRIMARY KEY' }),
      'a name that is too short': created({ name: 'varchar(3) PRIMARY KEY' }),
      'a name of blank padded characters that is too short': created({ name: 'char(3) PRIMARY KEY' }),
      'a name of another table': `CREATE TABLE jobs (name text PRIMARY KEY); ${created({ name: 'text PRIMARY KEY REFERENCES jobs' })}`,
      'a column more, without a default': `CREATE TABLE t (${columns()}, tenant text NOT NULL)`,
      'columns in upper case': 'CREATE TABLE t ("Name" text PRIMARY KEY, "Record" text, "Version" bigint)',
      'a view of two tables': `CREATE TABLE t_b (${columns()}); CREATE VIEW t AS SELECT a.* FROM t_b a JOIN t_b b USING (name)`,
      'a materialized view': `CREATE TABLE t_b (${columns()}); CREATE MATERIALIZED VIEW t AS SELECT * FROM t_b`,
      'a foreign table': `CREATE FOREIGN TABLE t (name text, record text, version bigint) SERVER files OPTIONS (filename '/dev/null')`,
      'a partition that is missing': `CREATE TABLE t (${columns()}) PARTITION BY LIST (name); CREATE TABLE t_0 PARTITION OF t FOR VALUES IN ('other')`,
      'a trigger that raises an error': `${created()}; CREATE TRIGGER r BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION raising()`,
      'a rule': `${created()}; CREATE RULE r AS ON INSERT TO t DO INSTEAD NOTHING`,
      'a sequence': 'CREATE SEQUENCE t',
    },
  ],
];

describe('F133 a table that somebody made by hand', () => {
  let schemas = 0;
  test.each(
    TABLES.flatMap(([code, tables]) => Object.entries(tables).map(([what, table]) => [what, table, code] as const)),
  )('%s', async (_, statements, code) => {
    const schema = `s${schemas++}`;
    await pool.query(
      `CREATE SCHEMA ${schema}; SET search_path = ${schema}, public; ${statements}; RESET search_path;
      GRANT USAGE ON SCHEMA ${schema} TO jobs; GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA ${schema} TO jobs`,
    );
    await expectOfTable(postgresStore({ client: asJobs, table: `${schema}.t` }), code);
  });
});
