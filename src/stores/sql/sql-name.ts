import { describe } from '../../core/values/checks.js';

/** How a database takes names. */
export interface Naming {
  /** The quote around names. Doubled, it stands for itself. */
  readonly quote: '"' | '`';
  /** @throws TypeError for a part of a name that the database would change. @default every name is kept */
  checkIdentifier?(part: string): void;
}

/** No NUL, which ends a name, and no lone surrogate, which is sent as `\uFFFD`: two names would be one table. */
const IDENTIFIER = /^[^\0\p{Surrogate}]+$/u;

/** The default name of the table. */
const DEFAULT_TABLE = 'single_execution_locks';

/**
 * Returns the name of a table in quotes, so that a statement takes the name literally.
 *
 * @param table may name a schema: `jobs.locks`
 * @throws TypeError
 */
export function quotedTable({ quote, checkIdentifier }: Naming, table: unknown = DEFAULT_TABLE): string {
  const parts = typeof table === 'string' ? table.split('.') : [];
  if (parts.length < 1 || parts.length > 2 || parts.some((part) => !IDENTIFIER.test(part))) {
    throw new TypeError(
      `table is ${describe(table)}: pass the name of a table, or of a schema and a table: 'jobs.locks'`,
    );
  }
  for (const part of parts) checkIdentifier?.(part);
  return parts.map((part) => `${quote}${part.replaceAll(quote, quote + quote)}${quote}`).join('.');
}
