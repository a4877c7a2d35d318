import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { main } from '../../src/cli/main.js';
import { type Clock, systemClock } from '../../src/core/values/clock.js';
import type { CliEnd } from './built-cli.js';

interface Around {
  readonly cwd?: string;
  readonly clock?: Clock;
  /** The streams are a terminal, on which this is typed. */
  readonly typed?: string;
}

/**
 * Runs a command line in this process, its streams in hand, which is much quicker than a process of its own. Not for a
 * `console` that serves, which ends by a signal, nor for what a command of `run` prints: it has this process's streams.
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
