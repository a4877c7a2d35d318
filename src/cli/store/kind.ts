import type { Clock, LockAdminStore, LockStore } from '../../index.js';
import type { CommandLine, Environment, Options } from '../command.js';
import type { Examiner, Finding } from '../doctor/finding.js';
import { wrongUse } from '../exit-code.js';
import type { ProcessDatabase } from '../init/process-job.js';
import type { StorePlace } from './reach.js';

/** A kind of store: all that the tool knows of it. `kinds.ts` lists them. */
export interface StoreKind {
  /** Its door, which is also its page in docs/stores. */
  readonly name: string;
  /** As sentences name it. */
  readonly title: string;
  /** The option that names a store of this kind. */
  readonly option: string;
  /** All its options, that one first. */
  readonly options: Options;
  /** The variable that names a store if no option does, and which of its values do. */
  readonly variable?: { readonly name: string; readonly fits: RegExp };
  /** The variable that has the prefix if `--prefix` is not given. */
  readonly prefixVariable?: string;
  /** Variables whose values are never printed. */
  readonly secrets?: readonly string[];
  /** Whether `table create` makes a table of it. `--table` names that table. */
  readonly hasTable?: true;
  /** Whether opening it connects. Then `doctor` reports a failure to open it. */
  readonly connects?: true;
  /** What `doctor` looks at. */
  readonly examined: string;
  /** What `init` writes for a job of processes; absent if it writes none on this kind. */
  readonly job?: ProcessDatabase;
  /** @throws CliError or TypeError for an invalid value of its options; nothing is opened */
  check?(named: NamedStore): void;
  /** @throws CliError if a package that it needs is missing */
  open(named: NamedStore, clock: Clock): Promise<OpenedStore>;
}

export type StoreLine = Pick<CommandLine, 'text' | 'has'>;

/** The store that the command line or the environment names. */
export interface NamedStore {
  readonly kind: StoreKind;
  /** The value of the option or the variable that names it; empty for a switch. */
  readonly value: string;
  readonly line: StoreLine;
  readonly env: Environment;
  readonly prefix: { readonly keyPrefix?: string };
}

/** A store that a command has opened. */
export interface OpenedStore {
  readonly store: LockStore;
  readonly admin: LockAdminStore;
  /** Absent if the errors of the store name it. */
  readonly place?: StorePlace;
  /** As the console names it. */
  readonly words: string;
  readonly table?: StoreTable;
  /** Finds problems. Changes no lock. */
  examine(session: Examiner): Promise<readonly Finding[]>;
  /** Ends its connections. */
  close(): void;
}

/** The table of a store. */
export interface StoreTable {
  readonly name: string;
  /** Creates it, unless it exists. */
  create(): Promise<void>;
  /** Why it could not be created, and the remedy. */
  whyNot(error: Error): string;
}

/**
 * @param protocol the protocols that fit
 * @throws CliError for another text; it never shows the text, which may contain a password
 */
export function checkUrl({ kind, value }: NamedStore, protocol: RegExp, example: string): void {
  if (URL.canParse(value) && protocol.test(new URL(value).protocol)) return;
  throw wrongUse(`--${kind.option} is no URL of a ${kind.title}: give one such as ${example}`);
}
