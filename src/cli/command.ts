import type { Options } from './option.js';
import type { Session } from './session.js';

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
