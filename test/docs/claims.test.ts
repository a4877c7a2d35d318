import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const filesIn = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file));

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...filesIn('docs').filter((file) => file.endsWith('.md')),
];

/** Every text that can be the title of a test, or of a case of the contract: it begins a line or an argument list. */
const titles = [...filesIn('test'), ...filesIn('src/testing')]
  .filter((file) => /^src.*\.ts$|\.test\.ts$/.test(file))
  .flatMap((file) => [...read(file).matchAll(/(?:^\s*|[([])(['"`])((?:row|F)\s?\d.*)/gm)])
  .map(([, , title = '']) => title);

test('every number that the README promises by stands in the title of a test', () => {
  const promised = read('README.md').split('## Promised')[1]?.split('## Not promised')[0] ?? '';
  const rows = [...promised.matchAll(/\brows? ([\d, ]+)/g)].flatMap(([, list = '']) => list.match(/\d+/g) ?? []);
  const faults = promised.match(/\bF\d+/g) ?? [];
  const shown = (number: RegExp) => titles.some((title) => number.test(title));

  expect(rows.length + faults.length).toBeGreaterThan(15);
  expect(rows.filter((row) => !shown(new RegExp(`\\brow ${row}\\b`)))).toEqual([]);
  expect(faults.filter((fault) => !shown(new RegExp(`\\b${fault}\\b`)))).toEqual([]);
});

test('every file that the docs name or link to exists', () => {
  const named = PAGES.flatMap((page) => {
    const text = read(page);
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, to = '']) => join(dirname(page), to));
    const paths = [...text.matchAll(/`((?:src|test|docs|demo|handlers)\/[\w./-]*)`/g)].map(([, path = '']) => path);
    return [...links, ...paths];
  });

  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});
