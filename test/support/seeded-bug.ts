import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import ts from 'typescript';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

/**
 * In a top-level declaration, such as `core/run/hold.ts#guardMs`, the text `from` becomes `to`. It stands there exactly
 * once. Whitespace and trailing commas count for nothing, so that a formatter may break its lines elsewhere.
 */
export type Edit = readonly [place: `${string}.ts#${string}`, from: string, to: string];

/** A fault as data: what is changed in the text of src. */
export interface SeededBug {
  readonly name: string;
  readonly edits: readonly Edit[];
}

type ReadFile = (file: string) => string;
const readSource: ReadFile = (file) => readFileSync(SRC + file, 'utf8');

/**
 * The files that a bug changes, by their path in src.
 *
 * @throws Error for an edit whose declaration is not there, or whose text does not stand there exactly once
 */
export function brokenFiles({ name, edits }: SeededBug, read: ReadFile = readSource): Map<string, string> {
  const files = new Map<string, string>();
  for (const [place, from, to] of edits) {
    const [file = '', declaration = ''] = place.split('#');
    const text = files.get(file) ?? read(file);
    const declared = declarationsOf(text);
    const spans = declared.filter((span) => span.name === declaration);
    if (spans.length === 0) {
      const names = declared.map((span) => span.name).join(', ');
      throw new Error(`seeded bug "${name}": ${file} has no declaration '${declaration}', only ${names}`);
    }
    const found = spans.flatMap(({ start, end }) =>
      [...text.slice(start, end).matchAll(patternOf(from))].map(({ 0: match, index }) => ({
        match,
        at: start + index,
      })),
    );
    const [only] = found;
    if (!only || found.length > 1) {
      const seen = spans.map(({ start, end }) => text.slice(start, end)).join('\n');
      throw new Error(`seeded bug "${name}": '${from}' stands ${found.length} times in ${place}:\n${seen}`);
    }
    files.set(file, text.slice(0, only.at) + to + text.slice(only.at + only.match.length));
  }
  return files;
}

/**
 * A program, given by its path, in one text with all that it imports of src, broken by a bug.
 *
 * @throws Error for a bug in a file that the program does not import, and where {@link brokenFiles} throws
 */
export async function brokenProgram(path: string, bug: SeededBug, external: string[] = []): Promise<string> {
  const files = brokenFiles(bug);
  const unused = new Set(files.keys());
  const { outputFiles } = await build({
    entryPoints: [path],
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external,
    logLevel: 'silent',
    plugins: [
      {
        name: 'seeded bug',
        setup({ onLoad }) {
          for (const [file, contents] of files) {
            onLoad({ filter: new RegExp(`/src/${file.replaceAll('.', '\\.')}$`) }, () => {
              unused.delete(file);
              return { contents, loader: 'ts' };
            });
          }
        },
      },
    ],
  });
  if (unused.size > 0) throw new Error(`seeded bug "${bug.name}": ${path} does not use ${[...unused].join(', ')}`);
  return outputFiles[0]?.text ?? '';
}

/** What a file of src exports, with a bug in it. For files that import no packages. */
export async function brokenModule<T>(file: string, bug: SeededBug): Promise<T> {
  const text = await brokenProgram(SRC + file, bug);
  return (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as T;
}

interface Declaration {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const known = new Map<string, readonly Declaration[]>();

/** The top-level declarations of a file, without the comments before them. Each text is parsed once. */
function declarationsOf(text: string): readonly Declaration[] {
  const source = known.get(text) ?? parse(text);
  known.set(text, source);
  return source;
}

function parse(text: string): Declaration[] {
  const file = ts.createSourceFile('source.ts', text, ts.ScriptTarget.ES2023);
  return file.statements.flatMap((statement) => {
    const named = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement];
    return named.flatMap((node) => {
      const { name } = node as { name?: ts.Node };
      const span = { start: statement.getStart(file), end: statement.end };
      return name && ts.isIdentifier(name) ? [{ name: name.text, ...span }] : [];
    });
  });
}

/** Matches a text, wherever its lines are broken. */
function patternOf(text: string): RegExp {
  const chars = [...text.replace(/\s/g, '').replace(/,(?=[)\]}])/g, '')].map((char, i) => {
    const before = i > 0 && ')]}'.includes(char) ? ',?\\s*' : '';
    return before + char.replace(/[\\^$.*+?()[\]{}|]/, '\\$&');
  });
  return new RegExp(chars.join('\\s*'), 'g');
}
