import type { LockAdminStore, LockStore, MemberStore } from 'single-execution';
import type { ContractHarness } from 'single-execution/testing';

/** Where the locks of a store are, as JSON that can be sent to another process. */
export interface StoreAddress {
  /** The name of the store's door, and of its entry in the list of backends. */
  readonly kind: string;
  /** The URL of the server or of the file. */
  readonly url: string;
  /** The part of it with these locks: a table, or a prefix of all keys. */
  readonly place: string;
}

export interface Locks {
  readonly store: LockStore & MemberStore;
  readonly admin: LockAdminStore;
}

/** A store with connections of its own. */
export interface OpenStore extends Locks {
  /** The locks with this prefix in the same place, over the same connections. */
  prefixed(keyPrefix: string): Locks;
  close(): void;
}

/** Is called for each request to a store. It returns a function that says that nothing was sent after all. */
export type Sends = () => () => void;

/** Fields of a record as they are stored. */
export type Fields = ReadonlyMap<string, string | number>;

/** Names the fault that strikes a request; undefined for none. It is called once for each request. */
export type ChooseFault = (isRenewal: boolean) => string | undefined;

/** Within this time a kept request comes to the server, after its sender was told that its connection broke. */
export const LATE_MS = 1_500;

/** A network in front of a running engine. Stores with this URL in their address are behind it. */
export interface Network {
  readonly url: string;
  stop(): Promise<void>;
}

/** A real engine that runs and belongs to whoever started it, though its server may be shared. */
export interface Engine {
  /**
   * An address on this engine. A place that was not made is empty.
   *
   * @param place by default the one that the store itself uses, or, if the server is shared, one of this engine's own
   */
  at(place?: string): StoreAddress;
  /** Makes the table of an address. It does nothing if there are no tables. */
  make(address: StoreAddress): Promise<void>;
  /** Replaces a lock's record directly in the database. `key` is the name with its prefix. */
  put(address: StoreAddress, key: string, fields: Fields): Promise<void>;
  /** The harness of the contract of stores over an open store of an address. @param keyPrefix the prefix of `locks` */
  harness(address: StoreAddress, locks: Locks, keyPrefix?: string): ContractHarness;
  /** The options of the command-line tool that name an address. */
  args(address: StoreAddress): readonly string[];
  /** The environment variables with which the tool and the examples find this engine. */
  readonly env: Readonly<Record<string, string>>;
  /** Puts a network before the engine that strikes requests. Absent if the engine lacks `network`. */
  network?(choose: ChooseFault): Promise<Network>;
  stop(): Promise<void>;
}

/** What a suite can need of an engine. */
export type Ability =
  /** Several processes reach the same store by its address. */
  | 'processes'
  /** Requests travel over a network, which can lose, delay and repeat them, be cut off, and freeze. */
  | 'network'
  /** Several stores with a key prefix each share one place. */
  | 'prefixes'
  /** The command-line tool opens it, by options and variables. */
  | 'tool'
  /** It is a SQL database: the locks are rows of a table, and the tool makes the table and jobs that use it. */
  | 'sql';

/** An engine with a lock store of its own door. Every suite over real engines runs over the list of these. */
export interface Backend<E extends Engine = Engine> {
  /** What it lacks, each with the reason. Suites that need it leave this engine out. */
  readonly lacks: Readonly<Partial<Record<Ability, string>>>;
  /** How long after the end of a lease the store may still refuse others. */
  readonly lateMs: number;
  /** Whether suites that start processes or wait play it in `npm test`. They play the others in `npm run test:proof`. */
  readonly isQuick: boolean;
  /** How many requests a run needs, how many a call that is skipped, and how many the first run of a name, if more. */
  readonly requests: { readonly run: number; readonly skip: number; readonly first?: number };
  /** The program to provide before the engine starts; see `provided-programs.ts`. */
  readonly program?: 'java' | 'redis-server' | 'postgres' | 'mariadb';
  /** The names of the faults that its network can do to a request. */
  readonly faults: readonly string[];
  /**
   * Those of its faults that end a try of a renewal at once: `retried`, which the store tries again at once, and
   * `reported`, after which the run reports the failure and the next renewal tries again. Absent without a network.
   */
  readonly ending?: { readonly retried: readonly string[]; readonly reported: readonly string[] };
  start(): Promise<E>;
  /** Opens a store as docs/stores says, so that only the lock tries again. */
  open(address: StoreAddress, sends?: Sends): Promise<OpenStore>;
}

/** A store over the connections of a client. @param locksOf makes the locks with a prefix */
export const opened = (locksOf: (keyPrefix: string) => Locks, close: () => unknown = () => undefined): OpenStore => ({
  ...locksOf(''),
  prefixed: locksOf,
  close: () => void close(),
});

/** The locks of a store that serves operators, too. */
export const locksOf = (store: Locks['store'] & Locks['admin']): Locks => ({ store, admin: store });

/** The table of a SQL store that is given none. */
export const DEFAULT_TABLE = 'single_execution_locks';

/** The tool's option for a table in a SQL database. */
export const tableArgs = (table: string): readonly string[] => (table === DEFAULT_TABLE ? [] : ['--table', table]);
