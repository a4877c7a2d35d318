import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { brokenNumbers, brokenPointers, numbersIn, numbersInTitles, type Texts } from './claims.js';

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

/** All pages, and all files with comments or titles, except the examples of this check. */
const texts: Texts = Object.fromEntries(
  [...PAGES, ...FOLDERS.flatMap(filesIn)].filter((path) => !/\bclaims\b/.test(path)).map((path) => [path, read(path)]),
);

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

test('every link of the package’s pages leads to a file of the package', () => {
  const { files } = JSON.parse(read('package.json')) as { readonly files: readonly string[] };
  const isShipped = (path: string) =>
    ['README.md', ...files].some((file) => path === file || path.startsWith(`${file}/`));
  const links = Object.entries(texts)
    .filter(([page]) => page.endsWith('.md') && isShipped(page))
    .flatMap(([page, text]) => {
      const found = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, to = '']) => join(dirname(page), to));
      return found.map((to) => ({ page, to }));
    });

  expect(links.length).toBeGreaterThan(200);
  expect(links.filter(({ to }) => !isShipped(to))).toEqual([]);
});

test('every code block of a page is closed, and what is JSON can be read', () => {
  const pages = Object.entries(texts).filter(([path]) => path.endsWith('.md'));
  const problems = pages.flatMap(([path, text]) => {
    const fences = [...text.matchAll(/^ *```(.*)$/gm)].map(([, info = '']) => info.trim());
    const json = [...text.matchAll(/^```json\n(.*?)^```/gms)].map(([, code = '']) => code);
    return [
      ...(fences.length % 2 === 0 && fences.every((info, n) => n % 2 === 0 || info === '')
        ? []
        : [`${path}: not closed`]),
      ...json.filter((code) => !isJson(code)).map((code) => `${path}: no JSON: ${code}`),
    ];
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
    ['a link to the docs of another project', 'docs/q.md', '[there](https://example.com/docs/gone.md)'],
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

describe('the numbers in a text', () => {
  test.each([
    ['row 34, F63', ['row 34', 'F63']],
    ['rows 29, 30, F67', ['row 29', 'row 30', 'F67']],
    ['[rows 1 and 2](x), Row 3', ['row 1', 'row 2', 'row 3']],
    ['F59 F60, F60', ['F59', 'F60']],
    ['%F0%9F%8C%99, 0xF1, a row of 7, UTF8', []],
  ])('%s: %o', (text, numbers) => {
    expect(numbersIn(text)).toEqual(numbers);
  });

  test.each([
    ["test('row 5: F51 a late release', () => {});", ['row 5', 'F51']],
    ["describe.each(KINDS)('F60 rows 27, 28 on %s', () => {});", ['row 27', 'row 28', 'F60']],
    ['contractCase(\n  `F14 a wrong end`,', ['F14']],
    ["test.each([['row 92: over REST', 1]])('%s', () => {});", ['row 92']],
    ["// row 5: a comment\nexpect(text).toBe('as in row 6');", []],
  ])('of titles, in %j: %o', (source, numbers) => {
    expect(numbersInTitles(source)).toEqual(numbers);
  });
});

describe('the check of numbers', () => {
  const kept: Texts = {
    'docs/promises.md': '| row | promise | tests |\n|---|---|---|\n| 1 | One runs. | `test/a.test.ts` |\n',
    'docs/faults.md':
      '| fault | what | then | tests |\n|---|---|---|---|\n| F2 | Lost. | Again. | `test/a.test.ts` |\n',
    'test/a.test.ts': "test('row 1: one runs', () => {});\ntest('F2 lost', () => {});\n",
    'README.md': 'See row 1 and F2.',
  };

  test('lets pass what is listed and shown', () => {
    expect(brokenNumbers(kept)).toEqual([]);
  });

  test.each<[string, Texts, string[]]>([
    ['a number that is cited only', { 'README.md': 'rows 1, 7' }, ['README.md: no page lists row 7']],
    ['one in a title', { 'test/b.test.ts': "test('F7 x'," }, ['test/b.test.ts: no page lists F7']],
    ['one in a text of the library', { 'src/a.ts': "'wrong, as F7 says'" }, ['src/a.ts: no page lists F7']],
    [
      'one that no test is named for',
      { 'docs/promises.md': `${kept['docs/promises.md']}| 3 | Nobody looks. | |\n` },
      ['docs/promises.md: row 3 names no test'],
    ],
    [
      'one whose test is gone',
      { 'docs/promises.md': `${kept['docs/promises.md']}| 3 | Kept. | \`test/gone.test.ts\` |\n` },
      ['docs/promises.md: no title in test/gone.test.ts has row 3'],
    ],
    [
      'one that its test does not name',
      { 'docs/faults.md': `${kept['docs/faults.md']}| F3 | Slow. | Waits. | \`test/a.test.ts\` |\n` },
      ['docs/faults.md: no title in test/a.test.ts has F3'],
    ],
    [
      'one whose test names it in a comment alone',
      { 'test/a.test.ts': "// row 1\ntest('F2 lost', () => {});" },
      ['docs/promises.md: no title in test/a.test.ts has row 1'],
    ],
    [
      'one that is listed twice',
      { 'docs/promises.md': `${kept['docs/promises.md']}| 1 | Again. | \`test/a.test.ts\` |\n` },
      ['row 1 is listed twice'],
    ],
  ])('finds %s', (_, changed, problems) => {
    expect(brokenNumbers({ ...kept, ...changed })).toEqual(problems);
  });
});
