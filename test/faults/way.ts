import type { Engine, Locks, StoreAddress } from '../support/backends/backend.js';
import { freshPlace } from '../support/backends.js';
import type { ClientAge, Library } from './clients.js';
import type { AnyFault, FaultRow } from './faults.js';
import type { OperationName } from './operations.js';
import type { Column } from './table.js';
import type { Protocol } from './wire/protocol.js';
import { readStatement, type Statement } from './wire/sql-request.js';
import { tcpWire } from './wire/tcp-wire.js';
import type { Seen, Wire } from './wire/wire.js';

/** The locks of the table, over one client. */
export interface Connection {
  prefixed(keyPrefix: string): Locks;
  close(): unknown;
}

/** A client, and what is special about it. */
export interface Client {
  readonly title: string;
  /** The age of its package. Absent for a package of which the table is played over one version. */
  readonly age?: ClientAge;
  /** How long the client itself waits for an answer. Absent for a client that waits longer than a try. */
  readonly silenceMs?: number;
  /** Whether it tries again by itself. */
  readonly retriesItself?: true;
  /** @param address where the engine is, or the wire before it @param over `wire` is absent if there is none */
  connect(
    address: StoreAddress,
    over: { readonly library: Library; readonly wire?: Wire<AnyFault> },
  ): Connection | Promise<Connection>;
}

/** An engine that runs. */
export interface Running {
  readonly address: StoreAddress;
  /** Puts a wire for one case before the engine. @param during tells the verb that the library is running */
  wire(during: () => string): Promise<Wire<AnyFault>>;
  /** What must be done before a case plays with this lock. */
  prepare?(key: string): Promise<void>;
  stop(): Promise<unknown>;
}

/** How requests reach an engine, which decides what can happen to them: all that the table knows of a store. */
export interface Way {
  readonly title: string;
  /** The real server, in words for docs/faults.md. */
  readonly server: string;
  readonly faults: readonly FaultRow[];
  /** The column of an operation; undefined if the operation cannot be struck on this way. */
  readonly columnOf: (operation: OperationName) => Column | undefined;
  /** `npm test` and the proof play the first client, `npm run test:versions` the others. */
  readonly clients: readonly [Client, ...Client[]];
  start(): Promise<Running>;
}

/** The locks in a table of a SQL database. @param end ends the client, which may fail if its connections are dead */
export const tableOf = <C>(
  storeOf: (options: { client: C; table: string; keyPrefix: string }) => Locks['store'] & Locks['admin'],
  client: C,
  table: string,
  end: () => Promise<unknown>,
): Connection => ({
  prefixed(keyPrefix) {
    const store = storeOf({ client, table, keyPrefix });
    return { store, admin: store };
  },
  close: () => end().catch(() => undefined),
});

/** A database that runs, before which a wire reads the statements. */
export async function databaseOf<P>(
  engine: Engine & { readonly pool: P },
  protocolOf: (pool: P, read: (statement: Statement) => Seen | undefined) => Protocol,
): Promise<Running> {
  const address = await freshPlace(engine);
  return {
    address,
    wire: (during) =>
      tcpWire(
        address.url,
        protocolOf(engine.pool, (statement) => readStatement(statement, during())),
      ),
    stop: engine.stop,
  };
}
