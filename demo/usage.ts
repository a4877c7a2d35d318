import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** What is wrong with the command line, for people. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const TEXT = { type: 'string' } as const;
export const SWITCH = { type: 'boolean' } as const;

type FlagValues<O extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: O }>>['values'];

/** @throws UsageError for a flag that is none of these, or is given in a wrong way */
export function readFlags<const O extends ParseArgsOptionsConfig>(args: readonly string[], options: O): FlagValues<O> {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
}

/** @throws UsageError unless the text, if there is one, is a whole number in this range */
export function whole(flag: string, text: string | undefined, min: number, max: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new UsageError(`${flag} is '${text}': give a whole number from ${min} to ${max}`);
}
