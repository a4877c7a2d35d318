import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtCli } from '../support/built-cli.js';
import { installed } from '../support/package-sets.js';

const LONG = 120_000;

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

async function toolOn(version: string, lines: readonly (readonly string[])[]): Promise<readonly Ended[]> {
  const [cli, nodes] = await Promise.all([builtCli(['@libsql']), installed('test/nodes/old')]);
  const node = join(nodes, 'node_modules', `node-${version}`, 'bin/node');
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

// npm has these versions for this platform only.
describe.runIf(process.platform === 'linux' && process.arch === 'x64')('row 175: the tool on an old Node', () => {
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
