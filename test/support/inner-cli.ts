import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { main } from '../../src/cli/main.js';
import type { CliEnd } from './built-cli.js';

/**
 * Runs a command line in this process, its streams in hand, which is much quicker than a process of its own. Not for a
 * `console` that serves, which ends by a signal, nor for what a command of `run` prints: it has this process's streams.
 */
export async function innerCli(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  cwd = process.cwd(),
): Promise<CliEnd> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end();
  const written = Promise.all([text(stdout), text(stderr)]);
  const host = { stdin, stdout, stderr, env: { ...env }, cwd: () => cwd };
  const code = await main(args, host as never);
  stdout.end();
  stderr.end();
  const [out, err] = await written;
  return { code, stdout: out, stderr: err };
}
