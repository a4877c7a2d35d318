import type { LockAdmin } from '../admin/lock-admin.js';
import type { Clock, LockStore } from '../index.js';
import type { OpenedStore } from './store/kind.js';
import type { Terminal } from './terminal.js';

/** An option of the command line. */
export interface Option {
  readonly help: string;
  /** The name of the option's value in the help, such as `NAME`. An option without a value is a switch. */
  readonly value?: string;
  readonly short?: string;
}

export type Options = Readonly<Record<string, Option>>;

/** One command, and the page of help about it. */
export interface Command {
  /** One word or two words, such as `table create`. */
  readonly name: string;
  /** One line. */
  readonly summary: string;
  /** The rest of the synopsis after the name, such as `NAME [--tick T]`. */
  readonly usage: string;
  /** How many operands the command takes. */
  readonly operands: readonly [least: number, most: number];
  readonly options: Options;
  /** `false` for what the command does not take: the options of a store, or `--json`. @default it takes both */
  readonly shared?: { readonly store?: false; readonly json?: false };
  /** Paragraphs of the command's help. */
  readonly about: readonly string[];
  /** Example lines for a shell. */
  readonly examples: readonly string[];
  /** Whether the command makes what it needs in a database. Any other command finds it there. */
  readonly createsTable?: true;
  /** @returns the exit code */
  run(session: Session): Promise<number>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A command line, read and complete. */
export interface CommandLine {
  readonly operands: readonly string[];
  /** The words after `--`; undefined if the command line has no `--`. */
  readonly rest: readonly string[] | undefined;
  /** The value of an option; undefined if it is not given. */
  text(option: string): string | undefined;
  /** Whether a switch is given. */
  has(option: string): boolean;
  readonly createsTable?: true | undefined;
}

/** One call of a command. */
export interface Session extends CommandLine {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly env: Environment;
  /** The working directory. */
  readonly folder: string;
  /** Opens the store that the command line names, once. It is closed at the end of the command. */
  open(): Promise<OpenedStore>;
  /** The locks of the store. The first call of a verb opens the store. */
  readonly store: LockStore;
  readonly admin: LockAdmin;
}
