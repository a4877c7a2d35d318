/** What the process ends with; docs/cli.md lists them. Those of `run` are of sysexits.h. */
export const EXIT = {
  done: 0,
  failed: 1,
  wrongUse: 2,
  notFound: 3,
  outOfReach: 69,
  lost: 70,
  skipped: 75,
} as const;

/** An end that has one line for the user, and an exit code of its own. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The command line asks for what cannot be; nothing was changed. */
export function wrongUse(message: string): CliError {
  return new CliError(message, EXIT.wrongUse);
}

/** The thing that the command line names is not there. */
export function notFound(message: string): CliError {
  return new CliError(message, EXIT.notFound);
}

/** The command was understood, and could not be done. */
export function failed(message: string): CliError {
  return new CliError(message, EXIT.failed);
}
