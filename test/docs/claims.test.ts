import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { brokenNumbers, brokenPointers, numbersIn, numbersInTitles, type Texts } from './claims.js';
import { filesIn, read } from './page.js';

const FOLDERS = ['src', 'test', 'docs', 'infra', 'handlers', 'demo', 'bench', 'model'];
const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];

/** All pages, and all files with comments or titles, except the examples of this check. */
const paths = [...PAGES, ...filesIn(FOLDERS, /\.(md|ts|mjs|cjs|pml)$/)].filter((path) => !/\bclaims\b/.test(path));
const texts: Texts = Object.fromEntries(paths.map((path) => [path, read(path)]));
const pages = Object.entries(texts).filter(([path]) => path.endsWith('.md'));

/** The files to which a page links. */
const linksOf = (page: string, text: string) =>
  [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, to = '']) => join(dirname(page), to));

test('every number that is cited is listed, and shown by the tests that stand beside it', () => {
  expect(numbersIn(read('docs/faults.md')).length).toBeGreaterThan(15);
  expect(brokenNumbers(texts)).toEqual([]);
});

test('texts of the library cite no number, save those of the contract', () => {
  const shipped = Object.entries(texts).filter(([path]) => /^(src(?!\/testing\/contract)|infra|handlers)\//.test(path));

  expect(shipped.length).toBeGreaterThan(100);
  expect(shipped.filter(([, text]) => numbersIn(text).length > 0).map(([path]) => path)).toEqual([]);
});

test('every page and heading that is named or linked to is there', () => {
  expect(Object.keys(texts).length).toBeGreaterThan(200);
  expect(brokenPointers(texts)).toEqual([]);
});

test('every file that the docs name or link to exists', () => {
  const named = pages.flatMap(([page, text]) => {
    const inCode = [...text.matchAll(/`((?:src|test|docs|demo|handlers)\/[\w./-]*)`/g)];
    return [...linksOf(page, text), ...inCode.map(([, path = '']) => path)];
  });

  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((file) => !existsSync(join(import.meta.dirname, '../..', file)))).toEqual([]);
});

test('every link of the package’s pages leads to a file of the package', () => {
  const { files } = JSON.parse(read('package.json')) as { readonly files: readonly string[] };
  const isShipped = (path: string) =>
    ['README.md', ...files].some((file) => path === file || path.startsWith(`${file}/`));
  const links = pages
    .filter(([page]) => isShipped(page))
    .flatMap(([page, text]) => linksOf(page, text).map((to) => ({ page, to })));

  expect(links.length).toBeGreaterThan(200);
  expect(links.filter(({ to }) => !isShipped(to))).toEqual([]);
});

test('every code block of a page is closed, and what is JSON can be read', () => {
  const problems = pages.flatMap(([path, text]) => {
    const fences = [...text.matchAll(/^ *```(.*)$/gm)].map(([, info = '']) => info.trim());
    const json = [...text.matchAll(/^```json\n(.*?)^```/gms)].map(([, code = '']) => code);
    const isClosed = fences.length % 2 === 0 && fences.every((info, n) => n % 2 === 0 || info === '');
    const unread = json.filter((code) => !isJson(code)).map((code) => `${path}: no JSON: ${code}`);
    return isClosed ? unread : [`${path}: not closed`, ...unread];
  });

  expect(problems).toEqual([]);
});

function isJson(code: string): boolean {
  try {
    return JSON.parse(code) !== undefined;
  } catch {
    return false;
  }
}

describe('the check of pointers', () => {
  const page = '# The `lock` protocol\n\n## Verbs on Redis, and why\n';
  const NAMED = '// See docs/p.md, "Verbs on Redis, and why".';

  test.each([
    ['a heading that is named', 'src/a.ts', NAMED],
    ['one that is named over the end of a line', 'src/a.ts', NAMED.replace('md, ', 'md,\n * ')],
    ['one with code in it', 'src/a.ts', '// docs/p.md, "The lock protocol"'],
    ['a link', 'README.md', '[verbs](docs/p.md#verbs-on-redis-and-why), [all](docs/p.md)'],
    ['a link from a page beside it', 'docs/q.md', '[verbs](p.md#verbs-on-redis-and-why)'],
    ['a link inside a page', 'docs/q.md', '# Q\n[up](#q)'],
    ['a link to another site', 'docs/q.md', '[a](https://x.example/p.md#no) [b](https://x.example/docs/gone.md)'],
    ['finds a page that is gone', 'src/a.ts', '// See docs/gone.md.', 'docs/gone.md'],
    ['finds a heading that is gone', 'src/a.ts', '// docs/p.md, "Verbs".', 'docs/p.md, "Verbs"'],
    ['finds one over two lines', 'src/a.ts', ' * (docs/p.md,\n * "Verbs")', 'docs/p.md, "Verbs"'],
    ['finds a link to a page', 'docs/q.md', '[x](gone.md)', 'docs/gone.md'],
    ['finds a link to a heading', 'README.md', '[x](docs/p.md#verbs)', 'docs/p.md, "verbs"'],
    ['finds a link inside a page', 'docs/q.md', '[x](#verbs)', 'docs/q.md, "verbs"'],
  ])('%s', (_, path, text, missing?: string) => {
    const problems = missing === undefined ? [] : [`${path}: ${missing} is not there`];
    expect(brokenPointers({ 'docs/p.md': page, [path]: text })).toEqual(problems);
  });
});

test.each([
  ['row 34, F63', 'row 34 F63'],
  ['rows 29, 30, F67', 'row 29 row 30 F67'],
  ['[rows 1 and 2](x), Row 3', 'row 1 row 2 row 3'],
  ['F59 F60, F60', 'F59 F60'],
  ['%F0%9F%8C%99, 0xF1, a row of 7, UTF8', ''],
])('the numbers in %s: %s', (text, numbers) => {
  expect(numbersIn(text).join(' ')).toBe(numbers);
});

test.each([
  ["test('row 5: F51 a late release', () => {});", 'row 5 F51'],
  ["describe.each(KINDS)('F60 rows 27, 28 on %s', () => {});", 'row 27 row 28 F60'],
  ['contractCase(\n  `F14 a wrong end`,', 'F14'],
  ["test.each([['row 92: over REST', 1]])('%s', () => {});", 'row 92'],
  ["// row 5: a comment\nexpect(text).toBe('as in row 6');", ''],
])('the numbers of titles, in %j: %s', (source, numbers) => {
  expect(numbersInTitles(source).join(' ')).toBe(numbers);
});

describe('the check of numbers', () => {
  const promises = '| row | promise | tests |\n|---|---|---|\n| 1 | One runs. | `test/a.test.ts` |\n';
  const faults = '| fault | what | then | tests |\n|---|---|---|---|\n| F2 | Lost. | Again. | `test/a.test.ts` |\n';
  const kept: Texts = {
    'docs/promises.md': promises,
    'docs/faults.md': faults,
    'test/a.test.ts': "test('row 1: one runs', () => {});\ntest('F2 lost', () => {});\n",
    'README.md': 'See row 1 and F2.',
  };
  const withRow = (row: string): Texts => ({ 'docs/promises.md': `${promises}${row}\n` });
  const inComment = { 'test/a.test.ts': "// row 1\ntest('F2 lost', () => {});" };

  test.each<[string, Texts, string[]]>([
    ['lets pass what is listed and shown', {}, []],
    ['finds a number that is cited only', { 'README.md': 'rows 1, 7' }, ['README.md: no page lists row 7']],
    ['finds one in a title', { 'test/b.test.ts': "test('F7 x'," }, ['test/b.test.ts: no page lists F7']],
    ['finds one in a text of the library', { 'src/a.ts': "'as F7 says'" }, ['src/a.ts: no page lists F7']],
    ['finds one for no test', withRow('| 3 | Nobody looks. | |'), ['docs/promises.md: row 3 names no test']],
    [
      'finds one whose test is gone',
      withRow('| 3 | Kept. | `test/gone.test.ts` |'),
      ['docs/promises.md: no title in test/gone.test.ts has row 3'],
    ],
    [
      'finds one that its test does not name',
      { 'docs/faults.md': `${faults}| F3 | Slow. | Waits. | \`test/a.test.ts\` |\n` },
      ['docs/faults.md: no title in test/a.test.ts has F3'],
    ],
    ['finds one in a comment alone', inComment, ['docs/promises.md: no title in test/a.test.ts has row 1']],
    ['finds one that is listed twice', withRow('| 1 | Again. | `test/a.test.ts` |'), ['row 1 is listed twice']],
  ])('%s', (_, changed, problems) => {
    expect(brokenNumbers({ ...kept, ...changed })).toEqual(problems);
  });
});
