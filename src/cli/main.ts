import { createRequire } from 'node:module';
import { lockAdmin } from '../admin/lock-admin.js';
import { type Clock, CorruptLockError, LockHeldError, LockStoreError } from '../index.js';
import type { Command } from './command.js';
import { countEarlyOptions, readCommandLine } from './command-line.js';
import { COMMANDS } from './commands.js';
import { CliError, EXIT, isWrongUse, messageWithCause, quoted, wrongUse } from './exit-code.js';
import { helpOf, overview } from './help.js';
import { didYouMean } from './nearest-name.js';
import { secretsIn } from './option.js';
import type { Session } from './session.js';
import type { OpenedStore } from './store/kind.js';
import { openStore, STORE_OPTIONS } from './store/kinds.js';
import { storesInReach } from './store/reach.js';
import { openTerminal, type Terminal } from './terminal.js';

/** The parts of `process` that a command line needs. */
export type Host = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env' | 'cwd'>;

/** Runs one command line. Never rejects. @returns the exit code */
export async function main(args: readonly string[], host: Host, clock: Clock): Promise<number> {
  const env = { ...host.env };
  // Turns off the AWS SDK's warnings about Node's version for this process, but not for its child processes, which get
  // `env`.
  host.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const terminal = openTerminal(host, env, secretsIn(STORE_OPTIONS, env));
  try {
    return await dispatch(args, { terminal, clock, env, folder: host.cwd() });
  } catch (error) {
    terminal.note(`single-execution: ${messageOf(error)}`);
    return exitCodeOf(error);
  }
}

type Surroundings = Pick<Session, 'terminal' | 'clock' | 'env' | 'folder'>;

async function dispatch(all: readonly string[], around: Surroundings): Promise<number> {
  const { terminal, clock } = around;
  const early = countEarlyOptions(all);
  const args = all.slice(early);
  const [first, ...others] = args;
  if (first === undefined || first === '--help' || first === '-h' || (first === 'help' && others.length === 0)) {
    printLines(terminal, overview(COMMANDS, version()));
    return first === undefined ? EXIT.wrongUse : EXIT.done;
  }
  if (first === '--version') {
    terminal.line(version());
    return EXIT.done;
  }
  if (first.startsWith('-')) throw wrongUse(`${quoted(first)} comes before the command: put the command first`);
  const isHelp = first === 'help';
  const { command, rest } = commandOf(isHelp ? others : args);
  const line = readCommandLine(command, isHelp ? ['--help'] : [...all.slice(0, early), ...rest]);
  if (line.has('help')) {
    printLines(terminal, helpOf(command));
    return EXIT.done;
  }
  let opened: Promise<OpenedStore> | undefined;
  const open = async () => {
    opened ??= openStore(line, around);
    return opened;
  };
  const { store, admin } = storesInReach(open);
  const session: Session = { ...line, ...around, open, store, admin: lockAdmin(admin, { clock }) };
  try {
    return await command.run(session);
  } finally {
    await opened?.then(
      ({ close }) => close(),
      () => undefined,
    );
  }
}

/** @throws CliError for an unknown command */
function commandOf(args: readonly string[]): { readonly command: Command; readonly rest: readonly string[] } {
  const [first = '', second = ''] = args;
  for (const command of COMMANDS) {
    const words = command.name.split(' ');
    if (words.every((word, i) => args[i] === word)) return { command, rest: args.slice(words.length) };
  }
  const names = COMMANDS.map(({ name }) => name);
  const family = names.filter((name) => name.startsWith(`${first} `));
  if (family.length > 0)
    throw wrongUse(`unknown command ${quoted(`${first} ${second}`.trim())}: use ${family.join(' or ')}`);
  throw wrongUse(`unknown command ${quoted(first)}${didYouMean(first, names) || '; see single-execution --help'}`);
}

function version(): string {
  return String(createRequire(import.meta.url)('single-execution/package.json').version);
}

function printLines(terminal: Terminal, text: string): void {
  for (const line of text.split('\n')) terminal.line(line);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return error.exitCode;
  const isInvalidName = error instanceof LockStoreError && error.code === 'INVALID_NAME';
  return isInvalidName || isWrongUse(error) ? EXIT.wrongUse : EXIT.failed;
}

/**
 * The message of an error of this library, which contains no secret; the name and the system's code of any other error.
 */
function messageOf(error: unknown): string {
  const isKnown = [CliError, LockStoreError, LockHeldError, CorruptLockError].some((type) => error instanceof type);
  if (isKnown || isWrongUse(error)) return messageWithCause(error as Error);
  const { name = 'an error', code, message = '' } = Object(error) as Partial<NodeJS.ErrnoException>;
  return `failed with ${name}${code === undefined ? '' : ` (${code})`}: ${message}`;
}
