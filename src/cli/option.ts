/** An option of the command line. */
export interface Option {
  readonly help: string;
  /** The name of the option's value in the help, such as `NAME`. An option without a value is a switch. */
  readonly value?: string;
  readonly short?: string;
  /** Variables of the environment that this option reads, and whose values are never printed. */
  readonly secrets?: readonly string[];
}

export type Options = Readonly<Record<string, Option>>;

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

/** The secrets that options read from the environment. */
export function secretsIn(options: Options, env: Environment): readonly string[] {
  const names = Object.values(options).flatMap(({ secrets = [] }) => secrets);
  return names.map((name) => env[name]).filter((value) => value !== undefined);
}
