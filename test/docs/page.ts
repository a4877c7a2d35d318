import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** The text of a file of this repository. */
export const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** The files in folders of this repository whose names end so, each by its path from the root. */
export function filesIn(folders: readonly string[], ending: RegExp): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesIn([path], ending);
      return ending.test(path) ? [path] : [];
    }),
  );
}

export const PAGES = ['README.md', ...filesIn(['docs'], /\.md$/)];

/** What stands under a heading such as `## Errors`, up to the next heading of its level. */
export function sectionOf(page: string, heading: string): string {
  const [, section = ''] = page.split(`\n${heading}\n`);
  return section.split(`\n${heading.split(' ')[0]} `)[0] ?? '';
}

/** The rows of the tables in a text: the cells of each. */
export function rowsOf(text: string): string[][] {
  const rows = text.matchAll(/^\|(?! ---|---)(.*)\|$/gm);
  return [...rows].map(([, row = '']) => row.split(/(?<!\\)\|/).map((cell) => cell.trim()));
}

/** The names in backquotes of one column, sorted. */
export const namesIn = (rows: readonly string[][], column = 0): string[] =>
  rows.flatMap((cells) => [...(cells[column] ?? '').matchAll(/`([\w-]+\??)`/g)].map(([, name = '']) => name)).sort();
