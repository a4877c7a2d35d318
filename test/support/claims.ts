import { posix } from 'node:path';

/** Texts by path from the root of the repository. */
export type Texts = Readonly<Record<string, string>>;

/** Pages and headings that are named, as in `docs/protocol.md, "Acquire"`, or linked to, and are not there; a line each. */
export function brokenPointers(texts: Texts): string[] {
  return Object.entries(texts).flatMap(([path, text]) =>
    pointersIn(path, text)
      .filter(({ page, heading }) => !isThere(texts[page], heading))
      .map(({ page, heading }) => `${path}: ${page}${heading && `, "${heading}"`} is not there`),
  );
}

interface Pointer {
  readonly page: string;
  /** A heading as it reads or as a link names it; empty for the page itself. */
  readonly heading: string;
}

function pointersIn(path: string, text: string): Pointer[] {
  const oneLine = text.replace(/\n\s*(?:\*|\/\/)?\s*/g, ' ');
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

/** What GitHub makes of a heading in a link to it. */
const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
