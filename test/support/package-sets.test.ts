import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { installed, PACKAGE_SETS } from './package-sets.js';

const ROOT = join(import.meta.dirname, '../..');
/** The smallest set. */
const SET = 'test/conformance';

const said = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: ROOT, encoding: 'utf8' }).trim();

/** A checkout that has this set only. */
function checkout(): string {
  const root = mkdtempSync(join(tmpdir(), 'package-sets-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const file of ['package.json', 'package-lock.json']) cpSync(join(ROOT, SET, file), join(root, SET, file));
  return root;
}

test('every folder with a lock file is a set', () => {
  const folders = said('git', 'ls-files', '*/package-lock.json')
    .split('\n')
    .map((file) => join(file, '..'));

  expect(folders.sort()).toEqual([...PACKAGE_SETS].sort());
});

test('row 241: no package that `npm ci` installs asks for a newer Node than 20.19', () => {
  const { satisfies } = createRequire(join(said('npm', 'root', '--global'), 'npm/package.json'))('semver');
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const asking = Object.entries<{ readonly engines?: { readonly node?: string } }>(packages).filter(
    ([, { engines }]) => engines?.node !== undefined && !satisfies('20.19.0', engines.node),
  );

  expect(Object.keys(packages).length).toBeGreaterThan(300);
  expect(asking.map(([path]) => path)).toEqual([]);
});

test('a set is installed once, whoever else asks for it at the same time', { timeout: 300_000 }, async () => {
  const root = checkout();
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await Promise.all([installed(SET, root), installed(SET, root)]);
  await installed(SET, root);

  expect(write.mock.calls).toEqual([[`${SET}: npm ci, once\n`]]);
  expect(existsSync(join(root, SET, 'node_modules/@verrou/core/package.json'))).toBe(true);
});

test('without a registry the error names the set, the reason and the remedy', { timeout: 300_000 }, async () => {
  const root = checkout();
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.stubEnv('npm_config_registry', 'http://127.0.0.1:9/');
  vi.stubEnv('npm_config_cache', join(root, 'cache'));
  vi.stubEnv('npm_config_fetch_retries', '0');

  await expect(installed(SET, root)).rejects.toThrow(
    /^the packages of test\/conformance cannot be installed: ECONNREFUSED.*; let npm reach its registry and run `npx tsx test\/support\/package-sets.ts test\/conformance`$/,
  );
});
