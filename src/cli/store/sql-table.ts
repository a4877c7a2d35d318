import type { LockAdminStore, LockStore } from '../../index.js';
import type { Examiner, Finding } from '../doctor/finding.js';
import { lookAtSql, type Rows } from '../doctor/look-at-sql.js';
import { given } from '../read-value.js';
import type { NamedStore, OpenedStore } from './kind.js';

/** A connected client of a database. */
export interface Connected<Client> {
  readonly client: Client;
  /** Runs any statement of the command-line tool. */
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
  /** Looks at the server, if there is one. */
  examine?(rows: Rows, session: Examiner): Promise<readonly Finding[]>;
}

/** The stores' default. */
const TABLE = 'single_execution_locks';

/** The store in the table that `--table` names. */
export function openInTable<Client>(
  { kind, line, prefix }: NamedStore,
  { client, rows, close }: Connected<Client>,
  { store: storeOf, create, examine }: InTable<Client>,
): OpenedStore {
  const { table = TABLE } = given(line, { table: 'table' });
  const store = storeOf({ client, table, ...prefix });
  const quotedTable = table
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.');
  return {
    store,
    admin: store,
    words: kind.name,
    table: {
      name: table,
      create: () => create(client, { table }),
      whyNot: ({ message }) => message.replace('the table was not made: ', ''),
    },
    examine: (session) => lookAtSql({ kind, rows, quotedTable, examine }, session),
    close,
  };
}
