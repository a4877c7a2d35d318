import { transform } from 'esbuild';
import { filesIn, PAGES, read } from './page.js';

/** A block of code in a page, or in a comment of a source file. */
export interface Example {
  /** The file, and the number of the block among the file's blocks in this language: `docs/guides/schedules.md 1`. */
  readonly name: string;
  readonly page: string;
  readonly code: string;
}

/** Source files: editors show their comments to users. */
const SOURCES = filesIn(['src', 'infra/constructs'], /\.ts$/);

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

/** An example as JavaScript. NestJS needs legacy decorators. */
export async function asModule({ name, code }: Pick<Example, 'name' | 'code'>): Promise<string> {
  const tsconfigRaw = { compilerOptions: { experimentalDecorators: name.includes('nestjs') } };
  return (await transform(code, { loader: 'ts', format: 'esm', target: 'es2023', tsconfigRaw })).code;
}

/** The code of the only block of a page, in one of these languages, that contains this text. */
export function onlyExample(page: string, languages: readonly string[], part: string): string {
  const blocks = languages.flatMap((language) => examplesOf(page, language)).filter(({ code }) => code.includes(part));
  const [block, ...more] = blocks;
  if (!block || more.length > 0) throw new Error(`${page} has ${blocks.length} blocks with ${part}`);
  return block.code;
}

/** The text of a page, or of the comments of a source file. */
function proseOf(file: string): string {
  return file.endsWith('.md') ? read(file) : read(file).replace(/^ *\* ?/gm, '');
}
