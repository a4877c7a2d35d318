import { randomInt } from 'node:crypto';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** A mistake in the command line, described for people. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const TEXT = { type: 'string' } as const;
export const SWITCH = { type: 'boolean' } as const;

type FlagValues<O extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: O }>>['values'];

/** @throws UsageError for an unknown flag, or for a flag that is used in a wrong way */
export function readFlags<const O extends ParseArgsOptionsConfig>(args: readonly string[], options: O): FlagValues<O> {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
}

/** @throws UsageError if there is a text, and it is not a whole number in this range */
export function whole(flag: string, text: string | undefined, min: number, max: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new UsageError(`${flag} is '${text}': pass a whole number from ${min} to ${max}`);
}

/** @throws UsageError if there is a text, and it is not one of these choices */
export function oneOf<T extends string>(flag: string, text: string | undefined, choices: readonly T[]): T | undefined {
  const chosen = choices.find((choice) => choice === text);
  if (text === undefined || chosen !== undefined) return chosen;
  throw new UsageError(`${flag} is '${text}': pass ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`);
}

/** The seed of a play; a random one if none is given. @throws UsageError */
export function seedOf(text: string | undefined): number {
  return whole('--seed', text, 0, 4_294_967_295) ?? randomInt(1, 100_000);
}

/** Functions that clean up at the end. The last one runs first. */
export type CleanUps = (() => Promise<unknown>)[];

export interface Command<S extends { readonly help: boolean }> {
  readonly usage: string;
  /** @throws UsageError */
  readSettings(args: readonly string[]): S;
  /** @returns the exit code */
  main(settings: S, cleanUps: CleanUps): Promise<number>;
}

/**
 * Runs a program and ends the process, also on a signal. The exit code is 1 if the program fails, and 2 for a wrong
 * option.
 */
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
  // Do not wait for other parts that still play when one part has failed.
  process.exit(code);
}

function complain(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
}
