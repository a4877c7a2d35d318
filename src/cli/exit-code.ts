import { inspect } from 'node:util';
import { causeWords } from '../operate/lock-summary.js';

/** The exit codes of the process; docs/cli.md lists them. Those of `run` are from sysexits.h. */
export const EXIT = {
  done: 0,
  failed: 1,
  wrongUse: 2,
  notFound: 3,
  outOfReach: 69,
  lost: 70,
  skipped: 75,
} as const;

/** An error with one line for the user and its own exit code. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The command line is wrong; nothing was changed. */
export function wrongUse(message: string): CliError {
  return new CliError(message, EXIT.wrongUse);
}

/** The thing that the command line names does not exist. */
export function notFound(message: string): CliError {
  return new CliError(message, EXIT.notFound);
}

/** The command is right, but failed. */
export function failed(message: string): CliError {
  return new CliError(message, EXIT.failed);
}

/** Whether the command line is wrong. For an invalid value, the library throws a TypeError or a RangeError. */
export function isWrongUse(error: unknown): boolean {
  if (error instanceof CliError) return error.exitCode === EXIT.wrongUse;
  return error instanceof TypeError || error instanceof RangeError;
}

/** Several words as a choice: `a, b or c`. */
export function either(words: readonly string[]): string {
  return words.join(', ').replace(/, (?!.*, )/, ' or ');
}

/** A text as an error shows it: quoted, and cut. */
export function quoted(text: unknown): string {
  return inspect(text, { maxStringLength: 64 });
}

/** The message of an error; if it points to the cause, with the cause's code and host: a line has no other cause. */
export function messageWithCause(error: Error): string {
  const cause = error.message.includes('see the cause') && causeWords(error);
  return cause ? `${error.message} (${cause})` : error.message;
}
