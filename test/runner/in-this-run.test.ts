import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import proof, { VERSIONS } from '../../vitest.proof.config.js';
import versions from '../../vitest.versions.config.js';

const ROOT = join(import.meta.dirname, '../..');

const testsIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : testsIn(path);
    return path.endsWith('.test.ts') ? [path] : [];
  });

/** Expands `{a,b}` in a pattern. @returns the patterns that it stands for */
function patternsOf(pattern: string): string[] {
  const [, before, list = '', after] = /^(.*)\{(.*)\}(.*)$/.exec(pattern) ?? [];
  return before === undefined ? [pattern] : list.split(',').map((one) => `${before}${one}${after}`);
}

test('test:proof and test:versions include exactly the files that divide a list by inThisRun or kindsOfRun', () => {
  const patterns = [proof, versions].flatMap(({ test: { include = [] } = {} }) => include);
  const divided = patterns.filter((pattern) => !VERSIONS.includes(pattern)).flatMap(patternsOf);
  // test/docs/faults.test.ts holds the fault tables.
  const named = [...new Set(divided)].filter((pattern) => !/\*|^test\/faults/.test(pattern));
  const dividing = testsIn('test').filter((path) =>
    /^import \{.*\b(inThisRun|kindsOfRun)\b.*\}/m.test(readFileSync(join(ROOT, path), 'utf8')),
  );

  expect(named.sort()).toEqual(dividing.sort());
});
