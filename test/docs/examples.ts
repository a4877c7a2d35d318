import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** A block of code in a page, or in a comment of a source file. */
export interface Example {
  /** The file, and the number of the block among the file's blocks in this language: `docs/guides/schedules.md 1`. */
  readonly name: string;
  readonly page: string;
  readonly code: string;
}

export const PAGES = ['README.md', ...filesOf('docs', '.md')];
/** Source files: editors show their comments to users. */
const SOURCES = [...filesOf('src', '.ts'), ...filesOf('infra/constructs', '.ts')];

export function allExamples(): Example[] {
  return [...PAGES, ...SOURCES].flatMap((page) => examplesOf(page, 'ts'));
}

export function examplesOf(page: string, language: string): Example[] {
  const blocks = proseOf(page).matchAll(/^```(\w+)\n(.*?)^```/gms);
  return [...blocks]
    .filter(([, its]) => its === language)
    .map(([, , code = ''], index) => ({ name: `${page} ${index + 1}`, page, code }));
}

/** Whether an example is a test for Vitest. Such an example is run as a test. */
export function isOfVitest({ code }: Example): boolean {
  return code.includes("from 'vitest'");
}

/** The text of a page, or of the comments of a source file. */
function proseOf(file: string): string {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return file.endsWith('.md') ? text : text.replace(/^ *\* ?/gm, '');
}

function filesOf(folder: string, ending: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => `${folder}/${file}`);
}
