import { execFile } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { builtCli } from '../support/built-cli.js';
import { fetchedBinary } from '../support/node-binary.js';

/** Old versions of Node that npm has for this machine. */
const PACKAGE = `node-${process.platform}-${process.arch}`;
const LONG = 120_000;

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

async function toolOn(version: string, lines: readonly (readonly string[])[]): Promise<readonly Ended[]> {
  const [cli, node] = await Promise.all([builtCli(['@libsql']), fetchedBinary(PACKAGE, version, 'bin/node')]);
  const ends: Ended[] = [];
  for (const line of lines) {
    ends.push(
      await new Promise((resolve) => {
        execFile(node, [cli.path, ...line], { cwd: cli.folder }, (error, stdout, stderr) =>
          resolve({ code: error?.code ?? 0, stdout, stderr }),
        );
      }),
    );
  }
  await cli.remove();
  return ends;
}

describe.runIf(process.platform === 'linux')('row 175: the tool on an old Node', () => {
  test.each(['18.20.8', '20.2.0'])(
    '%s is refused with the oldest version that is supported',
    async (version) => {
      expect(await toolOn(version, [['ls', '--sqlite', 'x.db']])).toEqual([
        { code: 2, stdout: '', stderr: `single-execution: this is Node v${version}: use Node 20.19 or later\n` },
      ]);
    },
    LONG,
  );

  test(
    '20.3.0 runs a command under a lock',
    async () => {
      const at = ['--sqlite', 'x.db'];
      const made = ['table', 'create', ...at];
      const ran = ['run', '--name', 'job', ...at, '--', 'echo', 'ran'];

      expect(await toolOn('20.3.0', [made, ran, ['ls', '--json', ...at]])).toMatchObject([
        { code: 0 },
        { code: 0, stdout: 'ran\n' },
        { code: 0, stdout: expect.stringContaining('"lastResult": "succeeded"') },
      ]);
    },
    LONG,
  );
});
