import { posix } from 'node:path';

/** Texts by path from the root of the repository. */
export type Texts = Readonly<Record<string, string>>;

const PROMISES = 'docs/promises.md';
const FAULTS = 'docs/faults.md';
const LISTS = [PROMISES, FAULTS];
/** Files whose strings are titles: tests, contracts of stores and adapters, and cases that several tests share. */
const HAS_TITLES = /^test\/.*\.test(-d)?\.ts$|^(src\/testing|test\/adapters)\/contract\/|^test\/support\/.*-cases\.ts$/;

export function numbersIn(text: string): string[] {
  const rows = [...text.matchAll(/\b[Rr]ows? (\d+(?:(?:, | and |, and )\d+)*)/g)];
  const faults = text.match(/(?<![\w%])F[1-9]\d{0,2}\b/g) ?? [];
  return [
    ...new Set([...rows.flatMap(([, list = '']) => list.match(/\d+/g) ?? []).map((row) => `row ${row}`), ...faults]),
  ];
}

/** The promises and faults that titles of tests begin with; a title begins a line or a list of arguments. */
export function numbersInTitles(source: string): string[] {
  const titles = source.matchAll(/(?:^\s*|[([])(['"`])((?:rows? |F)\d(?:(?!\1).)*)\1/gm);
  return [...new Set([...titles].flatMap(([, , title = '']) => numbersIn(title)))];
}

/** The numbers that a page lists, each with the test files in the last column. */
function listed(page: string, text: string): { readonly number: string; readonly files: readonly string[] }[] {
  return [...text.matchAll(/^\| (F?\d+) \|(.*)\|$/gm)].map(([, number = '', cells = '']) => ({
    number: page === PROMISES ? `row ${number}` : number,
    files: [...(cells.split('|').at(-1) ?? '').matchAll(/`([^`]+)`/g)].map(([, file = '']) => file),
  }));
}

/** A line for each number that is cited but not listed, or listed but in no title of the tests that the page names. */
export function brokenNumbers(texts: Texts): string[] {
  const rows = LISTS.flatMap((page) => listed(page, texts[page] ?? '').map((row) => ({ page, ...row })));
  const known = rows.map(({ number }) => number);
  const shows = (file: string, number: string) =>
    HAS_TITLES.test(file) && numbersInTitles(texts[file] ?? '').includes(number);
  return [
    ...Object.entries(texts).flatMap(([path, text]) =>
      numbersIn(text)
        .filter((number) => !known.includes(number))
        .map((number) => `${path}: no page lists ${number}`),
    ),
    ...known.filter((number, n) => known.indexOf(number) !== n).map((number) => `${number} is listed twice`),
    ...rows.filter(({ files }) => files.length === 0).map(({ page, number }) => `${page}: ${number} names no test`),
    ...rows.flatMap(({ page, number, files }) =>
      files.filter((file) => !shows(file, number)).map((file) => `${page}: no title in ${file} has ${number}`),
    ),
  ];
}

/**
 * One line for each page or heading that does not exist, but is named, as in `docs/protocol.md, "Acquire"`, or linked.
 */
export function brokenPointers(texts: Texts): string[] {
  return Object.entries(texts).flatMap(([path, text]) =>
    pointersIn(path, text)
      .filter(({ page, heading }) => !isThere(texts[page], heading))
      .map(({ page, heading }) => `${path}: ${page}${heading && `, "${heading}"`} is not there`),
  );
}

interface Pointer {
  readonly page: string;
  /** The heading's text, or its name in a link; empty for the page itself. */
  readonly heading: string;
}

function pointersIn(path: string, text: string): Pointer[] {
  const oneLine = text.replace(/\n\s*(?:\*|\/\/)?\s*/g, ' ').replace(/https?:[^\s)]+/g, '');
  const named = [...oneLine.matchAll(/\b(docs\/[\w/.-]+\.md)(?:\]\([^)]*\))?(?:, "([^"]+)")?/g)];
  const linked = path.endsWith('.md') ? [...text.matchAll(/\]\(([^):#]*\.md)?(?:#([^)]+))?\)/g)] : [];
  return [
    ...named.map(([, page = '', heading = '']) => ({ page, heading })),
    ...linked
      .filter(([, page, heading]) => page || heading)
      .map(([, page, heading = '']) => ({ page: page ? posix.join(posix.dirname(path), page) : path, heading })),
  ];
}

function isThere(page: string | undefined, heading: string): boolean {
  const headings = [...(page ?? '').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => title.replaceAll('`', ''));
  return page !== undefined && (!heading || headings.includes(heading) || headings.map(slug).includes(heading));
}

/** The name that GitHub gives to a heading in links. */
const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
