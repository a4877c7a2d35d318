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

const NAME_TYPE = `(SELECT data_type FROM information_schema.columns WHERE column_name = 'name' AND table_schema = `;

/**
 * Looks for what a statement without a row does not show: the type of names, and how the server is set.
 *
 * @param table the name in quotes
 */
export async function lookAtMysql(rows: Rows, { clock }: Examiner, table: string): Promise<readonly Finding[]> {
  const finding = (check: string, statement: string, judge: (value: string, sentMs: number) => Verdict) =>
    look(
      check,
      async () => {
        const sentMs = clock.now();
        const [row] = (await rows(`SELECT CAST(${statement} AS CHAR) AS value`)) as readonly {
          readonly value: string;
        }[];
        return judge(row?.value ?? '', sentMs);
      },
      (error) => unknown(`may not look: ${nameOfThrown(error)}`, 'allow this user to read the settings of the server'),
    );
  return [
    await finding('table kind', nameTypeOf(table), (type) => kindOf(type, table)),
    await finding('clock', "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000", (value, sentMs) =>
      clockVerdict({ minMs: Number(value) - clock.now(), maxMs: Number(value) + 1 - sentMs }),
    ),
    await finding('version', 'VERSION()', (version) => ok(version)),
    await finding('role', '@@global.read_only', roleOf),
    await finding('durability', '@@innodb_flush_log_at_trx_commit', durabilityOf),
    await finding('replication', "IF(@@log_bin, @@binlog_format, 'OFF')", replicationOf),
    await finding('late writes', 'IF(SLEEP(0.01) = 0, SYSDATE(6) > NOW(6), 0)', lateWritesOf),
  ];
}

/** A statement for the type of the column `name`. */
function nameTypeOf(quoted: string): string {
  const parts = quoted
    .slice(1, -1)
    .split('`.`')
    .map((part) => `'${part.replaceAll('``', '`').replaceAll("'", "''")}'`);
  const [table = '', schema = 'DATABASE()'] = parts.reverse();
  return `${NAME_TYPE}${schema} AND table_name = ${table})`;
}

function kindOf(type: string, table: string): Verdict {
  if (/^(varbinary|binary)/.test(type)) return ok(`names are ${type}`);
  if (type === '') return unknown('not in the catalog', 'look at it with the client mysql');
  return problem(
    `name is ${type}`,
    `ALTER TABLE ${table} MODIFY name VARBINARY(255): as texts, two names can be equal, and mix up locks`,
  );
}

function roleOf(isReadOnly: string): Verdict {
  return /^(0|OFF)$/i.test(isReadOnly) ? ok('takes writes') : problem('read-only', 'pass the URL of the primary');
}

function durabilityOf(setting: string): Verdict {
  if (setting === '1') return ok('innodb_flush_log_at_trx_commit 1');
  return warning(
    `innodb_flush_log_at_trx_commit ${setting}`,
    'set innodb_flush_log_at_trx_commit to 1: a server that crashes forgets its last writes, and two runs can overlap',
  );
}

function replicationOf(format: string): Verdict {
  if (format !== 'STATEMENT') return ok(format === 'OFF' ? 'no binary log' : `binlog_format ${format}`);
  return problem(
    'binlog_format STATEMENT',
    'set binlog_format to ROW or MIXED: replicas do not apply the statements of locks, and after a failover locks are lost',
  );
}

function lateWritesOf(isClock: string): Verdict {
  if (isClock === '1') return ok('refused by the clock of the server');
  return warning(
    'applied however late: SYSDATE is NOW',
    'start the server without sysdate-is-now: a lock that a call has given up waiting for can stay held until its lease ends',
  );
}
