import { nameOfThrown } from '../store/reach.js';
import type { Rows } from '../store/sql-table.js';
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

const OLDEST_POSTGRES = 130_000;

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
