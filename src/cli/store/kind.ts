import type { Clock, LockAdminStore, LockStore } from '../../index.js';
import { wrongUse } from '../exit-code.js';
import type { Examiner, Finding } from '../findings/finding.js';
import type { ProcessDatabase } from '../init/process-job.js';
import type { CommandLine, Environment, Options } from '../option.js';
import type { StorePlace } from './reach.js';

/** A kind of store: all that the tool knows of it. `kinds.ts` lists them. */
export interface StoreKind {
  /** The name of the store's door, and of its page in docs/stores. */
  readonly name: string;
  /** The kind's name in sentences. */
  readonly title: string;
  /** The option that names a store of this kind. */
  readonly option: string;
  /** All options of this kind, beginning with `option`. */
  readonly options: Options;
  /** The variable that names a store if no option does. Only a value that matches `fits` names a store. */
  readonly variable?: {
    readonly name: string;
    readonly fits: RegExp;
    /** The variable that counts if that one is not set. */
    readonly or?: string;
  };
  /** The variable that has the prefix if `--prefix` is not given. */
  readonly prefixVariable?: string;
  /** Whether `table create` can create a table for this kind. */
  readonly hasTable?: true;
  /** Whether `option` names the table. Else `--table` names the table of a kind that has one. */
  readonly namesTable?: true;
  /** Whether `open` connects to the store. If it does, `doctor` reports its failure as a finding. */
  readonly connects?: true;
  /** What `doctor` checks, in words. */
  readonly examined: string;
  /** What `init` writes for a job of processes; absent if it writes no job for this kind. */
  readonly job?: ProcessDatabase;
  /** Words for an operator about where the store is, such as that its locks do not hold there; absent if all is well. */
  caution?(named: NamedStore): string | undefined;
  /** Checks the options before the store is opened. @throws CliError or TypeError for an invalid value */
  check?(named: NamedStore): void;
  /** @throws CliError if a package that the store needs is missing */
  open(named: NamedStore, clock: Clock): Promise<OpenedStore>;
}

export type StoreLine = Pick<CommandLine, 'text' | 'has' | 'createsTable'>;

/** The store that the command line or the environment names. */
export interface NamedStore {
  readonly kind: StoreKind;
  /** The value of the option or the variable that names the store; empty for a switch. */
  readonly value: string;
  readonly line: StoreLine;
  readonly env: Environment;
  readonly prefix: { readonly keyPrefix?: string };
  /** The variable that names the store, if no option does; and others that are set and name another store. */
  readonly variables: readonly string[];
}

/** A store that a command has opened. */
export interface OpenedStore {
  readonly store: LockStore;
  readonly admin: LockAdminStore;
  /** Where the store is; absent if the store's errors say it. */
  readonly place?: StorePlace;
  /** The store, in words for the console. */
  readonly words: string;
  readonly table?: StoreTable;
  /** Finds problems. Changes no lock. */
  examine(session: Examiner): Promise<readonly Finding[]>;
  /** Ends the store's connections. */
  close(): void;
}

/** The table of a store. */
export interface StoreTable {
  readonly name: string;
  /** Creates the table, unless it exists. */
  create(): Promise<void>;
  /** Why the table could not be created, and the remedy. */
  whyNot(error: Error): string;
}

/**
 * @param protocol matches the protocols that are allowed
 * @throws CliError for any other value; its message never shows the value, which may contain a password
 */
export function checkUrl({ kind, value }: NamedStore, protocol: RegExp, example: string): void {
  if (URL.canParse(value) && protocol.test(new URL(value).protocol)) return;
  throw wrongUse(`--${kind.option} is no URL of a ${kind.title}: pass one such as ${example}`);
}

/** Checks a URL for clients that fail with a bare `URIError`. Those of Postgres take a `%` as it is. @throws CliError */
export function checkEncoding({ kind, value }: NamedStore): void {
  const { username, password, pathname } = new URL(value);
  try {
    for (const part of [username, password, pathname]) decodeURIComponent(part);
  } catch {
    throw wrongUse(`--${kind.option} has a % that encodes nothing: write %25 for a % of the password`);
  }
}
