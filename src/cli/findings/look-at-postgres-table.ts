import { nameOfThrown } from '../store/reach.js';
import type { Rows } from '../store/sql-table.js';
import { type Finding, look, ok, problem, unknown, type Verdict, warning } from './finding.js';

/** What the catalog says of a table. */
interface Facts {
  readonly name_type: string;
  readonly record_type: string;
  /** Whether the column keeps names apart that differ in their letters only. */
  readonly is_exact: boolean;
  readonly has_row_security: boolean;
  readonly triggers: string | null;
  readonly persistence: string;
}

const FACTS = `SELECT format_type(n.atttypid, n.atttypmod) AS name_type, format_type(r.atttypid, r.atttypmod) AS record_type,
  coalesce(l.collisdeterministic, true) AS is_exact, row_security_active(c.oid) AS has_row_security,
  (SELECT string_agg(tgname, ', ') FROM pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal) AS triggers,
  c.relpersistence::text AS persistence
  FROM pg_class c JOIN pg_attribute n ON n.attrelid = c.oid AND n.attname = 'name'
  JOIN pg_attribute r ON r.attrelid = c.oid AND r.attname = 'record' LEFT JOIN pg_collation l ON l.oid = n.attcollation`;

/**
 * Looks for what a statement without a row does not show: types, triggers and policies.
 *
 * @param table the name in quotes
 */
export function lookAtPostgresTable(rows: Rows, table: string): Promise<Finding> {
  return look(
    'table kind',
    async () => {
      const [facts] = await rows(`${FACTS} WHERE c.oid = to_regclass('${table.replaceAll("'", "''")}')`);
      return facts ? verdictOf(facts as Facts, table) : unknown('not in the catalog', 'look at it with psql');
    },
    (error) => unknown(`may not look: ${nameOfThrown(error)}`, 'allow this role to read the catalog'),
  );
}

function verdictOf(facts: Facts, table: string): Verdict {
  const { name_type, record_type, is_exact, has_row_security, triggers, persistence } = facts;
  if (!/^(text|character varying)$/.test(record_type)) {
    return problem(`record is ${record_type}`, `ALTER TABLE ${table} ALTER COLUMN record TYPE text`);
  }
  if (!/^(text|character varying(\(\d+\))?)$/.test(name_type) || !is_exact) {
    const found = is_exact ? `name is ${name_type}` : 'name has a collation that does not keep all names apart';
    return problem(found, `ALTER TABLE ${table} ALTER COLUMN name TYPE text COLLATE "C": other types can mix up locks`);
  }
  if (has_row_security) {
    return warning('row level security applies to this role', 'make sure that its policies show and take every row');
  }
  if (triggers !== null) return warning(`triggers: ${triggers}`, 'make sure that they change no row of a lock');
  if (persistence !== 'p') {
    return warning(
      'not logged',
      `ALTER TABLE ${table} SET LOGGED: a server that crashes empties it, and locks are forgotten`,
    );
  }
  return ok('an ordinary table');
}
