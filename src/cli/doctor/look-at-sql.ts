import { NOBODY } from '../known-lock.js';
import type { StoreKind } from '../store/kind.js';
import { nameOfThrown } from '../store/reach.js';
import {
  clockVerdict,
  type Examiner,
  type Finding,
  look,
  ok,
  problem,
  unknown,
  type Verdict,
  warning,
} from './finding.js';

/** Runs a statement. */
export type Rows = (text: string) => Promise<readonly object[]>;

/** A table of a database. */
interface SqlTable {
  readonly kind: StoreKind;
  readonly rows: Rows;
  /** Its name, as statements have it. */
  readonly quotedTable: string;
  /** Looks at the server, if there is one. */
  readonly examine: ((rows: Rows, session: Examiner) => Promise<readonly Finding[]>) | undefined;
}

const OLDEST_POSTGRES = 130_000;

/** Looks at a table and its database. Its writes touch no row. */
export async function lookAtSql(sql: SqlTable, session: Examiner): Promise<readonly Finding[]> {
  const table = await look(
    'table',
    async () => {
      await session.admin.get(NOBODY);
      return ok('there');
    },
    (error) => problem((error as Error).message, `see docs/stores/${sql.kind.name}.md, "Permissions or setup"`),
  );
  if (table.status === 'problem') return [table];
  return [table, await lookAtRights(sql), ...((await sql.examine?.(sql.rows, session)) ?? [])];
}

/** Real writes, to a row that does not exist. */
function lookAtRights({ rows, quotedTable: table }: SqlTable): Promise<Finding> {
  return look(
    'rights',
    async () => {
      await rows(`UPDATE ${table} SET version = version WHERE name = '${NOBODY}'`);
      await rows(`INSERT INTO ${table} (name, record, version) SELECT name, record, version FROM ${table} WHERE 1 = 0`);
      return ok('may read and write');
    },
    (error) =>
      problem(`may not write (${nameOfThrown(error)})`, `allow SELECT, INSERT and UPDATE on ${table}, on the primary`),
  );
}

/** Looks at a server of Postgres. */
export async function lookAtPostgres(rows: Rows, { clock }: Examiner): Promise<readonly Finding[]> {
  const tells = (check: string, statement: string, judge: (value: string, sentMs: number) => Verdict) =>
    look(
      check,
      async () => {
        const sentMs = clock.now();
        const [row] = (await rows(`SELECT (${statement})::text AS value`)) as readonly { readonly value: string }[];
        return judge(row?.value ?? '', sentMs);
      },
      (error) => unknown(`may not look: ${nameOfThrown(error)}`, 'allow this role to read the settings of the server'),
    );
  return [
    await tells('clock', 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint', (value, sentMs) =>
      clockVerdict({ minMs: Number(value) - clock.now(), maxMs: Number(value) + 1 - sentMs }),
    ),
    await tells('version', "current_setting('server_version_num')", versionOf),
    await tells('role', 'pg_is_in_recovery()', roleOf),
    await tells('durability', "current_setting('synchronous_commit')", durabilityOf),
  ];
}

function versionOf(number: string): Verdict {
  const version = String(Math.floor(Number(number) / 10_000));
  return Number(number) >= OLDEST_POSTGRES ? ok(version) : problem(version, 'use PostgreSQL 13 or later');
}

function roleOf(isReplica: string): Verdict {
  return isReplica === 'true'
    ? problem('replica', 'give the URL of the primary: a replica takes no locks')
    : ok('primary');
}

function durabilityOf(setting: string): Verdict {
  if (setting !== 'off') return ok(`synchronous_commit ${setting}`);
  return warning(
    'synchronous_commit off',
    'set synchronous_commit on: a server that crashes forgets its last writes, and two runs can overlap',
  );
}
