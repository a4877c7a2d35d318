import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DOORS } from '../support/doors.js';
import { dynamoDBLocal, freshTable } from '../support/dynamodb-local.js';
import { type InstalledPackage, installedPackage, run } from './installed-package.js';
import { made, PROGRAMS, testOnNode } from './programs.js';

/*
 * Tests the package as npm would publish it, in a user's project. `npm run proof` tests it with more tools and versions
 * of Node.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SLOW_MS = 300_000;

let installed: InstalledPackage;
/** The paths of the programs in {@link PROGRAMS}. */
let programs: ReadonlyMap<string, string>;
beforeAll(async () => {
  installed = await installedPackage({ declarations: false });
  programs = await made(installed, PROGRAMS);
}, SLOW_MS);
afterAll(() => installed?.remove());

describe('what is published', () => {
  const names = Object.keys(DOORS).map((door) => door.split('/')[1] ?? 'index');
  const kinds = ['js', 'cjs', 'd.ts', 'd.cts'];

  test('is a file of each kind for each door, at most nine that doors share, and the command-line tool', async () => {
    const dist = join(installed.path, 'dist');
    const files = (await readdir(dist)).filter((file) => file.includes('.') && !file.endsWith('.map'));
    const shared = (await readdir(join(dist, 'shared'))).filter((file) => file.endsWith('.js'));

    const ofDoors = names.flatMap((name) => kinds.map((kind) => `${name}.${kind}`));
    expect(files.sort()).toEqual([...ofDoors, 'cli.js', 'console.html'].sort());
    expect(shared.length).toBeLessThanOrEqual(9);
  });

  /** The packages and Node modules that a file of dist loads, by itself or through other files of dist. */
  async function loaded(file: string): Promise<string[]> {
    const { metafile } = await build({
      entryPoints: [join(installed.path, 'dist', file)],
      bundle: true,
      write: false,
      metafile: true,
      platform: 'neutral',
      packages: 'external',
      // Keep imports that no code uses.
      ignoreAnnotations: true,
      treeShaking: false,
    });
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
    return [...new Set(imports.filter(({ external }) => external).map(({ path }) => path))];
  }

  test.each(names.flatMap((name) => [`${name}.js`, `${name}.cjs`]))(
    'row 65: %s loads its own peers alone',
    async (file) => {
      const [name = ''] = file.split('.');
      const peers = {
        dynamodb: /^@aws-sdk\/(client|lib)-dynamodb$/,
        cdk: /^(aws-cdk-lib(\/aws-[a-z-]+)?|constructs|node:path)$/,
      }[name];
      const packages = await loaded(file);

      expect(packages.filter((path) => !peers?.test(path))).toEqual([]);
      expect(packages.length > 0).toBe(peers !== undefined);
    },
  );

  test('maps lead to the sources, which are in the package', async () => {
    for (const map of ['dist/http.js.map', 'dist/shared/run.cjs.map']) {
      const { sources } = JSON.parse(await readFile(join(installed.path, map), 'utf8'));
      const paths: string[] = sources.map((source: string) => join(installed.path, map, '..', source));

      expect(paths.length).toBeGreaterThan(0);
      await Promise.all(paths.map((path) => readFile(path)));
    }
  });
});

describe('the command-line tool', { timeout: SLOW_MS }, () => {
  test('runs by npx in a folder where the package and its peers are installed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'npx-'));
    await writeFile(join(folder, 'package.json'), '{}');
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', installed.tarball], folder);
    const npx = (...args: string[]) => run('npx', ['--no-install', 'single-execution', ...args], folder);
    const { client, endpoint } = dynamoDBLocal();
    const list = ['ls', '--table', await freshTable(client), '--endpoint', endpoint, '--region', 'local', '--json'];
    client.destroy();

    expect(await npx('--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
    await expect(npx(...list)).rejects.toThrow('npm install @aws-sdk/client-dynamodb @aws-sdk/lib-dynamodb');
    await symlink(join(ROOT, 'node_modules/@aws-sdk'), join(folder, 'node_modules/@aws-sdk'), 'dir');
    await writeFile(join(folder, 'keys'), '[local]\naws_access_key_id=local\naws_secret_access_key=local\n');
    const env = ['AWS_SHARED_CREDENTIALS_FILE=keys', 'npx', '--no-install', 'single-execution'];
    expect(JSON.parse(await run('env', [...env, ...list, '--profile', 'local'], folder))).toEqual([]);
    await rm(folder, { recursive: true });
  });
});

describe('rows 95 and 96: on this Node', { timeout: SLOW_MS }, () => {
  testOnNode(
    async () => process.execPath,
    Object.keys(PROGRAMS),
    () => ({ installed, programs }),
  );
});
