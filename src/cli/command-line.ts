import { parseArgs } from 'node:util';
import type { Command } from './command.js';
import { quoted, wrongUse } from './exit-code.js';
import { didYouMean } from './nearest-name.js';
import type { CommandLine, Option, Options } from './option.js';
import { STORE_OPTIONS } from './store/kinds.js';

const JSON_OPTION: Options = { json: { help: 'print JSON; instants are ISO 8601 in UTC' } };
const HELP_OPTION: Options = { help: { short: 'h', help: 'show this page' } };

/** All options of a command, its own first. */
export function optionsOf({ options, shared = {} }: Command): Options {
  return {
    ...options,
    ...(shared.json !== false && JSON_OPTION),
    ...(shared.store !== false && STORE_OPTIONS),
    ...HELP_OPTION,
  };
}

/** How many arguments before the command are shared options and their values. */
export function countEarlyOptions(args: readonly string[]): number {
  const known: Options = { ...STORE_OPTIONS, ...JSON_OPTION };
  let count = 0;
  while (count < args.length) {
    const [, name = '', inline] = /^--([^=]+)(=)?/.exec(args[count] ?? '') ?? [];
    if (!Object.hasOwn(known, name)) break;
    count += known[name]?.value !== undefined && inline === undefined ? 2 : 1;
  }
  return count;
}

/**
 * @throws CliError for an option that is unknown, repeated or without its value, and for too few or too many operands
 */
export function readCommandLine(command: Command, args: readonly string[]): CommandLine {
  const options = optionsOf(command);
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(Object.entries(options).map(([name, option]) => [name, parsed(option)])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Map<string, string | true>();
  const operands: string[] = [];
  let restFrom: number | undefined;
  for (const token of tokens) {
    if (token.kind === 'option-terminator') restFrom ??= token.index + 1;
    if (token.kind === 'positional' && restFrom === undefined) operands.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option) throw unknownOption(command, rawName, Object.keys(options));
    if (given.has(name)) throw wrongUse(`${rawName} was passed twice: pass it once`);
    given.set(name, givenValue(option, rawName, value, inlineValue === true));
  }
  const rest = restFrom === undefined ? undefined : args.slice(restFrom);
  // If this command runs another command, the words after `--` are that other command. Otherwise they are operands.
  const line = takesCommand(command)
    ? { operands, rest }
    : { operands: [...operands, ...(rest ?? [])], rest: undefined };
  if (!given.has('help')) checkOperands(command, line.operands);
  return {
    ...line,
    createsTable: command.createsTable,
    text: (name) => given.get(name) as string | undefined,
    has: (name) => given.has(name),
  };
}

function takesCommand({ usage }: Command): boolean {
  return usage.includes('-- ');
}

function parsed({ value, short }: Option): { readonly type: 'string' | 'boolean'; readonly short?: string } {
  return { type: value === undefined ? 'boolean' : 'string', ...(short !== undefined && { short }) };
}

function givenValue(option: Option, rawName: string, value: string | undefined, isInline: boolean): string | true {
  if (option.value === undefined) {
    if (value !== undefined) throw wrongUse(`${rawName} takes no value, and ${quoted(value)} was passed: leave it out`);
    return true;
  }
  if (value === undefined || value === '' || (!isInline && value.startsWith('-'))) {
    throw wrongUse(`${rawName} needs a value: pass ${rawName}=${option.value}`);
  }
  return value;
}

function unknownOption(command: Command, rawName: string, known: readonly string[]): Error {
  const typed = rawName.replace(/^-+/, '');
  const near = didYouMean(typed, known, '--');
  return wrongUse(
    `unknown option ${quoted(rawName)} of ${command.name}${near || `; see single-execution ${command.name} --help`}`,
  );
}

function checkOperands(command: Command, operands: readonly string[]): void {
  const [least, most] = command.operands;
  const synopsis = `single-execution ${command.name} ${command.usage}`;
  if (operands.length < least) throw wrongUse(`${command.name} needs more: ${synopsis}`);
  if (operands.length <= most) return;
  const remedy = takesCommand(command) ? 'put -- before the command to run' : 'leave it out';
  throw wrongUse(`${command.name} does not take ${quoted(operands[most])}: ${remedy}; ${synopsis}`);
}
