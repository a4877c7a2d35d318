import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import proof from '../../vitest.proof.config.js';

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

test('npm run proof includes exactly the files that divide a list by inThisRun or kindsOfRun', () => {
  const named = (proof.test?.include ?? []).flatMap(patternsOf).filter((pattern) => !pattern.includes('*'));
  const dividing = testsIn('test').filter((path) =>
    /^import \{.*\b(inThisRun|kindsOfRun)\b.*\}/m.test(readFileSync(join(ROOT, path), 'utf8')),
  );

  expect(named.sort()).toEqual(dividing.sort());
});
