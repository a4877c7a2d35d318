import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { ROOT, sourceOf } from './address.js';

/** Where the pages stand from which VitePress builds. */
export const PAGES = join(import.meta.dirname, 'pages');

/** Pages of the repository that stand outside of docs, and their places on the site. */
const OUTSIDE: Readonly<Record<string, string>> = {
  'README.md': 'index.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'security.md',
};

/** Folders that are linked to: each has a page that lists what is in it. */
const FOLDERS: Readonly<Record<string, string>> = { 'docs/adr': 'adr/index.md' };

/** Every page of the repository, and its place on the site. */
export function pagePlaces(): ReadonlyMap<string, string> {
  const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .sort();
  return new Map([...Object.entries(OUTSIDE), ...docs.map((file): [string, string] => [`docs/${file}`, file])]);
}

/** Puts the pages of the repository in their places, with links that lead there. */
export function placePages(): void {
  const places = pagePlaces();
  for (const [page, place] of places) {
    put(place, placedText(page, readFileSync(join(ROOT, page), 'utf8'), places));
  }
  for (const [folder, place] of Object.entries(FOLDERS)) {
    const inside = [...places].filter(([page]) => dirname(page) === folder);
    const items = inside.map(([page, at]) => `- [${titleOf(readFileSync(join(ROOT, page), 'utf8'))}](/${at})`);
    put(place, `# Decisions\n\n${items.join('\n')}\n`);
  }
  cpSync(join(ROOT, 'docs/images'), join(PAGES, 'images'), { recursive: true });
}

function put(place: string, text: string): void {
  mkdirSync(dirname(join(PAGES, place)), { recursive: true });
  writeFileSync(join(PAGES, place), text);
}

export const titleOf = (text: string): string => /^# (.*)$/m.exec(text)?.[1] ?? '';

/** The first sentences below a page's title, without links and marks; empty if something else stands there. */
export function summaryOf(text: string): string {
  const [, paragraph = ''] = /^# .*\n\n((?!```|[|<!-]).+)$/m.exec(text) ?? [];
  const plain = paragraph.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[*`]/g, '');
  return /^.{0,300}[.](?= |$)/.exec(plain)?.[0] ?? '';
}

/**
 * A page as it stands on the site. Links to pages lead to their places. A file that has none is linked to in the
 * repository, or only named as long as nobody has said where that is.
 */
export function placedText(page: string, text: string, places: ReadonlyMap<string, string>): string {
  return outsideFences(text, (prose) =>
    prose.replace(
      /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g,
      (whole, image: string, label: string, to: string) => {
        if (/^([a-z]+:|#)/.test(to)) return whole;
        const [path = '', heading] = to.split('#');
        const target = posix.join(posix.dirname(page), path).replace(/\/$/, '');
        // The pictures of docs keep their place beside its pages.
        const picture = posix.relative(posix.dirname(`/${places.get(page)}`), target.replace(/^docs/, ''));
        if (image) return `![${label}](${picture})`;
        const place = places.get(target) ?? FOLDERS[target];
        if (place) return `[${label}](/${place}${heading ? `#${heading}` : ''})`;
        if (!existsSync(join(ROOT, target))) throw new Error(`${page} links to ${target}, which is not there`);
        const source = sourceOf(target);
        return source ? `[${label}](${source})` : label;
      },
    ),
  );
}

/** Changes the text between code blocks alone. */
function outsideFences(text: string, change: (prose: string) => string): string {
  return text
    .split(/(^```[^\n]*\n[\s\S]*?^```$)/m)
    .map((part) => (part.startsWith('```') ? part : change(part)))
    .join('');
}
