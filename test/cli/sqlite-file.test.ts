import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lookAtFolder, networkWords } from '../../src/cli/findings/look-at-folder.js';
import { type BuiltCli, builtCli, type CliEnd } from '../support/built-cli.js';
import { inThisRun } from '../support/in-this-run.js';
import { innerCli } from '../support/inner-cli.js';
import { nodeBinary } from '../support/node-binary.js';

/** Each test starts the tool several times. */
const LONG = 120_000;

let cli: BuiltCli;
let folder: string;
beforeAll(async () => {
  cli = await builtCli(['@libsql', 'libsql']);
}, LONG);
afterAll(() => cli?.remove());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sqlite-file-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** libSQL opens on Node 20, and Node itself on the others. */
const NODES = inThisRun<[string, () => Promise<string>]>(
  [
    ['this Node', async () => process.execPath],
    ['Node 24', () => nodeBinary(24)],
  ],
  [['Node 22', () => nodeBinary(22)]],
);

async function ran(node: string, ...args: readonly string[]): Promise<CliEnd> {
  return new Promise((resolve) => {
    const child = execFile(node, [cli.path, ...args], { cwd: folder }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
    child.stdin?.end();
  });
}

describe.each(NODES)('row 158: the file of --sqlite, on %s', (_, nodeOf) => {
  test(
    'is made by table create only',
    async () => {
      const node = await nodeOf();
      for (const verb of [['ls'], ['show', 'x'], ['pause', 'x'], ['run', '--name', 'x', '--', 'true'], ['doctor']]) {
        const end = verb.indexOf('--');
        const own = end === -1 ? verb : verb.slice(0, end);
        const { code, stdout, stderr } = await ran(node, ...own, '--sqlite', 'typo.db', ...verb.slice(own.length));
        expect({ verb, code, said: stdout + stderr }).toEqual({
          verb,
          code: verb[0] === 'run' ? 69 : 1,
          said: expect.stringContaining("'typo.db': the file does not exist"),
        });
      }
      expect(await readdir(folder)).toEqual([]);
      expect(await ran(node, 'table', 'create', '--sqlite', 'typo.db')).toMatchObject({ code: 0, stderr: '' });
      expect(await ran(node, 'ls', '--json', '--sqlite', 'typo.db')).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
    },
    LONG,
  );

  test(
    'is the one that its name or its address means',
    async () => {
      const node = await nodeOf();
      for (const [value, name] of [
        ['file:x.db', 'x.db'],
        ['file:./x.db', 'x.db'],
        ['file:x%20y.db', 'x y.db'],
        ['x?y.db', 'x?y.db'],
        ['x#y%20.db', 'x#y%20.db'],
        [`file:${folder}/x.db`, 'x.db'],
        [`file://${folder}/x.db`, 'x.db'],
        [`file://localhost${folder}/x.db`, 'x.db'],
      ] as const) {
        expect(await ran(node, 'table', 'create', '--sqlite', value)).toMatchObject({ code: 0 });
        expect([value, ...(await readdir(folder))]).toEqual([value, name]);
        await rm(join(folder, name));
      }
    },
    LONG,
  );
});

test.each([
  'libsql://host.turso.io?authToken=hunter2',
  'https://host.turso.io?authToken=hunter2',
  'wss://ada:hunter2@host',
  'file:x.db?authToken=hunter2',
  'file:x.db?mode=memory',
  'file://elsewhere/x.db',
  ':memory:',
  'file:',
])('row 158: the file of --sqlite is not %s, and a token is not printed', async (value) => {
  const { code, stdout, stderr } = await innerCli(['ls', '--sqlite', value], {}, { cwd: folder });

  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--sqlite') });
  expect(stdout + stderr).not.toContain('hunter2');
  expect(await readdir(folder)).toEqual([]);
});

// No network file system can be mounted here: its numbers are Linux's, and the look itself is real.
test('row 158: a network file system is named, and a disk is not', async () => {
  const file = join(folder, 'x.db');
  await writeFile(file, '');

  expect(lookAtFolder(file)).toEqual([{ check: 'file system', status: 'ok', found: 'of this machine' }]);
  expect(networkWords(file)).toBeUndefined();
  expect(networkWords('/nowhere/at/all.db')).toBeUndefined();
  for (const [type, name] of [
    [0x6969, 'NFS'],
    [0xff534d42, 'CIFS'],
    [0xff534d42 | 0, 'CIFS'],
    [0xfe534d42, 'SMB'],
  ] as const) {
    expect(networkWords(file, () => type)).toContain(`network file system (${name})`);
    expect(lookAtFolder(file, () => type)).toMatchObject([{ status: 'warning', found: `${name}, of a network` }]);
  }
});
