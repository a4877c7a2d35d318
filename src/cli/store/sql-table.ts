import type { Clock, LockAdminStore, LockStore } from '../../index.js';
import { type Examiner, type Finding, look, lookByReading, NOBODY, ok, problem } from '../findings/finding.js';
import { given } from '../read-value.js';
import type { NamedStore, OpenedStore } from './kind.js';
import { answeredInTime, answeringInTime, nameOfThrown, type StorePlace, whyNotMade } from './reach.js';

/** Runs any statement of the command-line tool. */
export type Rows = (text: string) => Promise<readonly object[]>;

/** A connected client of a database. */
export interface Connected<Client> {
  readonly client: Client;
  readonly rows: Rows;
  /** The server; absent for a file. */
  readonly place?: StorePlace;
  close(): void;
}

/** The store of a database. */
interface InTable<Client> {
  store(options: {
    readonly client: Client;
    readonly table: string;
    readonly keyPrefix?: string;
  }): LockStore & LockAdminStore;
  /** The door's statement that creates the table. Its quotes and its default table are those of the store. */
  creation(table?: string): string;
  create(client: Client, options: { readonly table: string }): Promise<void>;
  /** Says how to allow this tool to write. @param table the name in quotes */
  allow(table: string): string;
  /**
   * The statements of an acquire, so that they write no row; absent for a database that takes `ON CONFLICT` and
   * `RETURNING`. They show whether the table has the columns of a lock.
   *
   * @param table the name in quotes
   */
  acquires?(table: string): readonly string[];
  /**
   * Checks the database's server, and what only this database has; absent if there is nothing more to check.
   *
   * @param table the name in quotes
   */
  examine?(rows: Rows, session: Examiner, table: string): Promise<readonly Finding[]>;
}

/** How long a table may take. The creation itself waits 5 s for a database that is busy or still starting. */
const CREATE_MS = 7_000;

/** The store in the table that `--table` names. */
export function openInTable<Client>(
  { kind, line, prefix }: NamedStore,
  { client, rows: ask, place, close }: Connected<Client>,
  { store: storeOf, creation, create, allow, acquires = acquiresOf, examine }: InTable<Client>,
  clock: Clock,
): OpenedStore {
  const inTime = answeringInTime(clock);
  const rows: Rows = (text) => inTime(() => ask(text));
  const { table } = given(line, { table: 'table' });
  const quoted = quotedIn(creation(table));
  // The default name needs no quotes.
  const name = table ?? quoted.slice(1, -1);
  const store = storeOf({ client, table: name, ...prefix });
  return {
    store,
    admin: store,
    ...(place && { place }),
    words: kind.name,
    table: {
      name,
      create: () => answeredInTime(create(client, { table: name }), clock, CREATE_MS),
      whyNot: (error) => whyNotMade(error, place),
    },
    async examine(session) {
      const table = await lookByReading(session, 'table', 'there', REMEDIES);
      if (table.status === 'problem') return [table];
      const rights = await lookAtRights(rows, quoted, allow(quoted));
      const columns = rights.status === 'ok' ? [await lookAtColumns(rows, acquires(quoted))] : [];
      return [table, rights, ...columns, ...((await examine?.(rows, session, quoted)) ?? [])];
    },
    close,
  };
}

const OF_ITS_OWN = 'make a table of its own: single-execution table create --table NAME';
/** What to do about a table. The errors of the store itself name its functions, and not the commands. */
const REMEDIES = {
  TABLE_NOT_FOUND: 'correct --table or the URL, or make it: single-execution table create',
  KEY_SCHEMA: OF_ITS_OWN,
};

/** Returns the table's name in quotes, as the statement that creates the table has it. */
function quotedIn(creation: string): string {
  return creation.slice('CREATE TABLE IF NOT EXISTS '.length, creation.lastIndexOf(' (name '));
}

/** Checks the rights on the table by real writes that find no row. */
function lookAtRights(rows: Rows, table: string, remedy: string): Promise<Finding> {
  const writes = {
    UPDATE: `UPDATE ${table} SET version = version WHERE name = '${NOBODY}'`,
    INSERT: `INSERT INTO ${table} (name, record, version) SELECT name, record, version FROM ${table} WHERE 1 = 0`,
  };
  const may = async (verb: keyof typeof writes) => {
    await rows(writes[verb]).catch((error: unknown) => {
      throw new Error(`may not ${verb} (${nameOfThrown(error)})`);
    });
  };
  return look(
    'rights',
    async () => {
      await may('UPDATE');
      await may('INSERT');
      return ok('may read and write');
    },
    (error) => problem((error as Error).message, remedy),
  );
}

/** The statements of an acquire on Postgres and SQLite. */
function acquiresOf(table: string): readonly string[] {
  const [text, number] = ["CAST('{}' AS TEXT)", 'CAST(0 AS BIGINT)'];
  return [
    `INSERT INTO ${table} (name, record, version) SELECT ${text}, ${text}, ${number} WHERE 1 = 0 ON CONFLICT (name) DO NOTHING RETURNING name`,
    `UPDATE ${table} SET record = ${text}, version = version + 1 WHERE name = '${NOBODY}' AND version = ${number} RETURNING name`,
  ];
}

/** Checks the columns by the statements of an acquire, which write no row here. */
function lookAtColumns(rows: Rows, statements: readonly string[]): Promise<Finding> {
  return look(
    'columns',
    async () => {
      for (const statement of statements) await rows(statement);
      return ok('those of a lock');
    },
    (error) => problem(`not those of a lock (${nameOfThrown(error)})`, OF_ITS_OWN),
  );
}
