import { sectionOf } from './page.js';

/** Reads a page of this repository; undefined if there is no such page. */
export type ReadPage = (file: string) => string | undefined;

/** What a door is, from which follows what its documents must say. */
interface Kind {
  readonly kind: 'platform' | 'store' | 'other';
  /** How the paths of its sources begin. */
  readonly from: string;
  readonly folder: string;
}

const KINDS: readonly Kind[] = [
  { kind: 'platform', from: './src/adapters/', folder: 'docs/platforms/' },
  { kind: 'platform', from: './src/index.ts', folder: 'docs/platforms/' },
  // One door is both.
  { kind: 'platform', from: './src/azure.ts', folder: 'docs/platforms/' },
  { kind: 'store', from: './src/azure.ts', folder: 'docs/stores/' },
  { kind: 'store', from: './src/stores/', folder: 'docs/stores/' },
  { kind: 'other', from: './', folder: 'docs/guides/' },
];

/** Doors whose page is not named after them. The root door is `''`. */
const PAGES: Readonly<Record<string, string>> = {
  '': 'docs/platforms/lambda.md',
  admin: 'docs/reference.md',
  cdk: 'docs/deploy/cdk.md',
  decorator: 'docs/guides/nestjs.md',
  http: 'docs/platforms/vercel.md',
  observe: 'docs/guides/telemetry.md',
  schedule: 'docs/guides/schedules.md',
  store: 'docs/custom-store.md',
};

/** Doors that pages call by another word than the door's name. */
const WORDS: Readonly<Record<string, string>> = {
  '': 'Lambda',
  decorator: 'NestJS',
  http: 'Vercel',
  observe: '@opentelemetry/api',
  process: 'croner',
};

/** Rows that a door does not need, and why. */
const EXEMPT: Readonly<Record<string, readonly string[]>> = {
  // They work with every program that runs this package.
  'docs/versioning.md': ['admin', 'leader', 'memory', 'schedule', 'store', 'testing'],
  // The tool cannot reach what is in the memory of a process, behind a storage of the user's own, or behind a Worker.
  'docs/cli.md': ['memory', 'store', 'durable-objects'],
};

/**
 * What the documents lack of a door: each problem with its remedy.
 *
 * @param source the source file of the door, as in tsconfig.json
 */
export function doorProblems(door: string, source: string, read: ReadPage): string[] {
  return kindsOf(source).flatMap((kind) => problemsOf(door, kind, read));
}

function problemsOf(door: string, { kind, folder }: Kind, read: ReadPage): string[] {
  const name = door.split('/')[1] ?? '';
  const page = PAGES[name] ?? `${folder}${name}.md`;
  const word = WORDS[name] ?? name.replaceAll('-', ' ');
  const problems: string[] = [];
  const need = (isGiven: boolean | undefined, problem: string) => isGiven || problems.push(`${door}: ${problem}`);
  const needRow = (file: string, heading: string, isIts: (row: string) => boolean, what: string) => {
    const isNeeded = !EXEMPT[file]?.includes(name);
    const rows = sectionOf(read(file) ?? '', `## ${heading}`)
      .split('\n')
      .filter((line) => line.startsWith('|'));
    if (isNeeded) need(rows.some(isIts), `${file}, "${heading}", has no row that ${what}`);
  };
  const isNamed = (row: string) => row.toLowerCase().includes(word.toLowerCase());

  const text = read(page);
  need(text !== undefined, `there is no ${page}: write it, or name the page in PAGES of test/docs/doors.ts`);
  need(text?.includes(`'${door}'`) ?? true, `${page} does not import '${door}': show how it is used`);
  if (kind === 'other') {
    need(read('README.md')?.includes(`](${page}`), `README.md does not link ${page}`);
  } else {
    const imported = name === '' ? `\`${door}\`` : `\`…/${name}\``;
    const isIts = (row: string) => row.includes(`](${page})`) && row.includes(imported);
    needRow('README.md', 'Choose', isIts, `links ${page} and has the import ${imported}`);
  }
  needRow('docs/versioning.md', 'What works with what', isNamed, `names ${word}, with its versions`);
  if (kind !== 'store') return problems;
  needRow('docs/cli.md', 'Which store', isNamed, `names ${word}, with the option that finds its locks`);
  const keeps = (row: string) => isNamed(row) && row.includes('the contract');
  needRow('docs/promises.md', 'Stores', keeps, `says that ${word} keeps the contract`);
  return problems;
}

function kindsOf(source: string): readonly Kind[] {
  const [found, ...others] = KINDS.filter(({ from }) => source.startsWith(from));
  if (!found) throw new Error(`${source} is no source of a door`);
  return [found, ...others.filter(({ from }) => from === found.from)];
}
