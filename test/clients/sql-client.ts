import type { Rows } from '../support/sql-harness.js';

/** A client that is connected to a test's own database. */
export interface Connected<Client> {
  /** What is passed to the store. */
  readonly client: Client;
  /** Runs statements of the test itself. Absent for a client that shares the test's database. */
  readonly rows?: Rows;
  close(): Promise<unknown> | undefined;
}

/** A way to pass a package of this set to a store. */
export interface SqlClient<Client> {
  /** The name of the package in this set: `pg-8.0` is an older version of `pg`. */
  readonly package: string;
  /** The object of the package, or how it is used: `Pool`. */
  readonly kind: string;
  /** The runtime, for what does not run in this one. */
  readonly runtime?: 'Node 24' | 'Bun';
  /** @param address the URL of a PostgreSQL, or the path of an SQLite file */
  connect(address: string): Promise<Connected<Client>>;
}
