import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { brokenPointers, type Texts } from '../support/claims.js';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['src', 'test', 'docs', 'infra', 'handlers', 'demo', 'bench', 'model'];
const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const filesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesIn(path);
    return /\.(md|ts|mjs|cjs|pml)$/.test(path) ? [path] : [];
  });

/** What people read: pages, and everything that has comments or titles, save the examples of this very check. */
const texts: Texts = Object.fromEntries(
  [...PAGES, ...FOLDERS.flatMap(filesIn)].filter((path) => !/\bclaims\b/.test(path)).map((path) => [path, read(path)]),
);

/** Every text that can be the title of a test, or of a case of the contract: it begins a line or an argument list. */
const titles = Object.entries(texts)
  .filter(([file]) => /^src\/testing\/|\.test\.ts$/.test(file))
  .flatMap(([, text]) => [...text.matchAll(/(?:^\s*|[([])(['"`])((?:row|F)\s?\d.*)/gm)])
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

test('every page and heading that is named or linked to is there', () => {
  expect(Object.keys(texts).length).toBeGreaterThan(200);
  expect(brokenPointers(texts)).toEqual([]);
});

test('every file that the docs name or link to exists', () => {
  const named = Object.entries(texts)
    .filter(([page]) => page.endsWith('.md'))
    .flatMap(([page, text]) => {
      const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, to = '']) => join(dirname(page), to));
      const paths = [...text.matchAll(/`((?:src|test|docs|demo|handlers)\/[\w./-]*)`/g)].map(([, path = '']) => path);
      return [...links, ...paths];
    });

  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

describe('the check of pointers', () => {
  const page = '# The `lock` protocol\n\n## Verbs on Redis, and why\n';

  test.each([
    ['a heading that is named', 'src/a.ts', '// See docs/p.md, "Verbs on Redis, and why".'],
    [
      'one that is named over the end of a line',
      'src/a.ts',
      '/*\n * See docs/p.md,\n * "Verbs on Redis, and why".\n */',
    ],
    ['one with code in it', 'src/a.ts', '// docs/p.md, "The lock protocol"'],
    ['a link', 'README.md', '[verbs](docs/p.md#verbs-on-redis-and-why), [all](docs/p.md)'],
    ['a link from a page beside it', 'docs/q.md', '[verbs](p.md#verbs-on-redis-and-why)'],
    ['a link inside a page', 'docs/q.md', '# Q\n[up](#q)'],
    ['a link to another site', 'docs/q.md', '[there](https://example.com/p.md#nowhere)'],
  ])('lets pass %s', (_, path, text) => {
    expect(brokenPointers({ 'docs/p.md': page, [path]: text })).toEqual([]);
  });

  test.each([
    ['a page that is gone', 'src/a.ts', '// See docs/gone.md.', 'src/a.ts: docs/gone.md is not there'],
    ['a heading that is gone', 'src/a.ts', '// docs/p.md, "Verbs".', 'src/a.ts: docs/p.md, "Verbs" is not there'],
    ['one over two lines', 'src/a.ts', ' * (docs/p.md,\n * "Verbs")', 'src/a.ts: docs/p.md, "Verbs" is not there'],
    ['a link to a page', 'docs/q.md', '[x](gone.md)', 'docs/q.md: docs/gone.md is not there'],
    ['a link to a heading', 'README.md', '[x](docs/p.md#verbs)', 'README.md: docs/p.md, "verbs" is not there'],
    ['a link inside a page', 'docs/q.md', '[x](#verbs)', 'docs/q.md: docs/q.md, "verbs" is not there'],
  ])('finds %s', (_, path, text, problem) => {
    expect(brokenPointers({ 'docs/p.md': page, [path]: text })).toEqual([problem]);
  });
});
