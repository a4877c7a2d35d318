import { UsageError } from './usage.js';

/** What is to be put away at the end, the last one first. */
export type CleanUps = (() => Promise<unknown>)[];

/** A program of the command line. */
export interface Command<S extends { readonly help: boolean }> {
  readonly usage: string;
  /** @throws UsageError */
  readSettings(args: readonly string[]): S;
  /** @returns the exit code */
  main(settings: S, cleanUps: CleanUps): Promise<number>;
}

/** Runs a program and ends the process, also on a signal: with 1 where it fails, with 2 for a wrong option. */
export async function runCommand<S extends { readonly help: boolean }>(command: Command<S>): Promise<void> {
  const { usage, readSettings, main } = command;
  const cleanUps: CleanUps = [];
  const cleanUp = async () => {
    for (const end of cleanUps.splice(0).reverse()) await end().catch(complain);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, async () => {
      await cleanUp();
      process.exit(signal === 'SIGINT' ? 130 : 143);
    });
  }

  let code = 0;
  try {
    const settings = readSettings(process.argv.slice(2));
    if (settings.help) process.stdout.write(`${usage}\n`);
    else code = await main(settings, cleanUps);
  } catch (error) {
    if (error instanceof UsageError) process.stderr.write(`${error.message}\n\n${usage}\n`);
    else complain(error);
    code = error instanceof UsageError ? 2 : 1;
  }
  await cleanUp();
  // What still plays when one part has failed is not waited for.
  process.exit(code);
}

function complain(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
}
