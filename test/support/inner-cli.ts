import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { main } from '../../src/cli/main.js';
import type { CliEnd } from './built-cli.js';

/**
 * Runs a command line in this process, its streams in hand, which is much quicker than a process of its own. Not for
 * `run` and `console`, which hear signals and live on.
 */
export async function innerCli(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CliEnd> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end();
  const written = Promise.all([text(stdout), text(stderr)]);
  const host = { stdin, stdout, stderr, env: { ...env }, cwd: () => process.cwd() };
  const code = await main(args, host as never);
  stdout.end();
  stderr.end();
  const [out, err] = await written;
  return { code, stdout: out, stderr: err };
}
