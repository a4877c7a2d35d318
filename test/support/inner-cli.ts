import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { main } from '../../src/cli/main.js';
import { type Clock, systemClock } from '../../src/core/values/clock.js';
import type { CliEnd } from './built-cli.js';

interface Around {
  readonly cwd?: string;
  readonly clock?: Clock;
  /** Makes the streams a terminal, on which this text is typed. */
  readonly typed?: string;
}

/**
 * Runs a command line in this process and captures its streams, which is much quicker than a process of its own. It
 * cannot run a `console` that serves, because only a signal ends that. It does not capture what a command of `run`
 * prints, because that command inherits this process's streams.
 */
export async function innerCli(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  { cwd = process.cwd(), clock = systemClock, typed }: Around = {},
): Promise<CliEnd> {
  const isTTY = typed !== undefined;
  const [stdin, stdout, stderr] = [0, 1, 2].map(() => Object.assign(new PassThrough(), { isTTY })) as [
    Stream,
    Stream,
    Stream,
  ];
  stdin.end(typed);
  const written = Promise.all([text(stdout), text(stderr)]);
  const host = { stdin, stdout, stderr, env: { ...env }, cwd: () => cwd };
  const code = await main(args, host as never, clock);
  stdout.end();
  stderr.end();
  const [out, err] = await written;
  return { code, stdout: out, stderr: err };
}

type Stream = PassThrough & { readonly isTTY: boolean };

/** The commands of operators about a lock, which find a free one, and a run of it; without `unlock`, which wants a token. */
export const commandsAbout = (lock: string, tick: string): readonly (readonly string[])[] => [
  ['run', '--name', lock, '--tick', tick, '--', 'true'],
  ['ls'],
  ['show', lock],
  ['runs', lock],
  ['why', lock, '--tick', tick],
  ['open', lock],
  ['pause', lock],
  ['resume', lock],
  ['backfill', lock, '--from', '2026-01-01T00:00:00Z', '--to', '2026-01-01T02:00:00Z', '--schedule', 'rate(1 hour)'],
  ['forget', lock, '--all'],
  ['delete', lock, '--yes'],
  ['doctor'],
];

/** Runs a command with the options of a store, which stand before the program that `run` starts. */
export const innerCliOn = (store: readonly string[], args: readonly string[]): Promise<CliEnd> => {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  return innerCli([...args.slice(0, end), ...store, ...args.slice(end)]);
};
