import type { LockAdminStore, LockStore } from '../../index.js';
import { type Examiner, type Finding, look, lookByReading, ok, problem } from '../doctor/finding.js';
import { NOBODY } from '../known-lock.js';
import { given } from '../read-value.js';
import type { NamedStore, OpenedStore } from './kind.js';
import { nameOfThrown } from './reach.js';

/** Runs any statement of the command-line tool. */
export type Rows = (text: string) => Promise<readonly object[]>;

/** A connected client of a database. */
export interface Connected<Client> {
  readonly client: Client;
  readonly rows: Rows;
  close(): void;
}

/** The store of a database. */
interface InTable<Client> {
  store(options: {
    readonly client: Client;
    readonly table: string;
    readonly keyPrefix?: string;
  }): LockStore & LockAdminStore;
  create(client: Client, options: { readonly table: string }): Promise<void>;
  /** Checks the database's server; absent if the database has no server. */
  examine?(rows: Rows, session: Examiner): Promise<readonly Finding[]>;
}

/** The table's name if no option gives one: the default of the stores. */
const TABLE = 'single_execution_locks';

/** The store in the table that `--table` names. */
export function openInTable<Client>(
  { kind, line, prefix }: NamedStore,
  { client, rows, close }: Connected<Client>,
  { store: storeOf, create, examine }: InTable<Client>,
): OpenedStore {
  const { table: name = TABLE } = given(line, { table: 'table' });
  const store = storeOf({ client, table: name, ...prefix });
  return {
    store,
    admin: store,
    words: kind.name,
    table: {
      name,
      create: () => create(client, { table: name }),
      whyNot: ({ message }) => message.replace('the table was not made: ', ''),
    },
    async examine(session) {
      const remedy = `see docs/stores/${kind.name}.md, "Permissions or setup"`;
      const table = await lookByReading(session, 'table', 'there', remedy);
      if (table.status === 'problem') return [table];
      return [table, await lookAtRights(rows, name), ...((await examine?.(rows, session)) ?? [])];
    },
    close,
  };
}

/** Checks the rights on the table by real writes to a row that does not exist. */
function lookAtRights(rows: Rows, name: string): Promise<Finding> {
  const quotedParts = name.split('.').map((part) => `"${part.replaceAll('"', '""')}"`);
  const table = quotedParts.join('.');
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
