/** A client that is connected to a test's own database. */
export interface Connected<Client> {
  /** What the page says to pass to the store. */
  readonly client: Client;
  close(): Promise<unknown> | undefined;
}

/** A kind of client of a package in this workspace. */
export interface SqlClient<Client> {
  /** The package's name in this workspace: `pg-8.0` is an older version of `pg`. */
  readonly package: string;
  /** The object of the package, if the package has several: `Pool`. */
  readonly kind?: string;
  connect(url: string): Promise<Connected<Client>>;
}
