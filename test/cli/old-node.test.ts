import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';
import { builtCli } from '../support/built-cli.js';
import { fetchedBinary } from '../support/node-binary.js';

/** Node 18 of npm, where npm has it for this machine. */
const PACKAGE = `node-${process.platform}-${process.arch}`;

test.runIf(process.platform === 'linux')(
  'a Node that is too old is named, and the oldest that is not',
  async () => {
    const [cli, node] = await Promise.all([builtCli([]), fetchedBinary(PACKAGE, '18.20.8', 'bin/node')]);
    const ended = await new Promise((resolve) => {
      execFile(node, [cli.path, 'ls', '--sqlite', 'x.db'], (error, stdout, stderr) =>
        resolve({ code: error?.code, stdout, stderr }),
      );
    });
    await cli.remove();

    expect(ended).toEqual({
      code: 2,
      stdout: '',
      stderr: 'single-execution: this is Node v18.20.8: use Node 20.19 or later\n',
    });
  },
  120_000,
);
