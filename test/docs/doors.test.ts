import { describe, expect, test } from 'vitest';
import { KINDS } from '../../src/cli/store/kinds.js';
import { DOORS } from '../support/doors.js';
import { doorProblems, type ReadPage } from './doors.js';
import { PAGES, read as readFile } from './page.js';

const read: ReadPage = (file) => (PAGES.includes(file) ? readFile(file) : undefined);

test.each(Object.entries(DOORS))('%s has a page and its rows', (door, source) => {
  expect(doorProblems(door, source, read)).toEqual([]);
});

describe('the check itself', () => {
  const STORE = ['single-execution/toy-store', './src/stores/toy-store.ts'] as const;
  const PLATFORM = ['single-execution/toy', './src/adapters/toy.ts'] as const;
  const OTHER = ['single-execution/toy', './src/toy/toy.ts'] as const;
  const page = (name: string) => `docs/${name}.md`;
  const [GUIDE, TOY, TOY_STORE] = [page('guides/toy'), page('platforms/toy'), page('stores/toy-store')];
  const rows = (heading: string, row: string) => `# A page\n\n## ${heading}\n\n| head |\n|---|\n${row}\n\n## Next\n`;

  const rowOf = (page: string, what: string) => `${page}, has no row that ${what}`;
  const VERSIONS = 'docs/versioning.md, "What works with what"';
  const noPage = (file: string) => `there is no ${file}: write it, or name the page in PAGES of test/docs/doors.ts`;
  const linked = (file: string, door: string) =>
    rowOf('README.md, "Choose"', `links ${file} and has the import \`…/${door}\``);

  test.each<[door: readonly [string, string], ...problems: string[]]>([
    [
      STORE,
      noPage(TOY_STORE),
      linked(TOY_STORE, 'toy-store'),
      rowOf(VERSIONS, 'names toy store, with its versions'),
      rowOf('docs/cli.md, "Which store"', 'names toy store, with the option that finds its locks'),
      rowOf('docs/promises.md, "Stores"', 'says that toy store keeps the contract'),
    ],
    [PLATFORM, noPage(TOY), linked(TOY, 'toy'), rowOf(VERSIONS, 'names toy, with its versions')],
    [OTHER, noPage(GUIDE), `README.md does not link ${GUIDE}`, rowOf(VERSIONS, 'names toy, with its versions')],
  ])('finds that %s has no documents', (door, ...problems) => {
    expect(doorProblems(...door, () => undefined)).toEqual(problems.map((problem) => `${door[0]}: ${problem}`));
  });

  test('finds a page that does not import its door', () => {
    const problems = doorProblems(...PLATFORM, (file) => (file === TOY ? '# Toy' : undefined));

    expect(problems[0]).toBe(
      `single-execution/toy: ${TOY} does not import 'single-execution/toy': show how it is used`,
    );
  });

  test('takes a row under the heading only, and the contract of this store only', () => {
    const its: Record<string, string> = {
      'docs/versioning.md': rows('What works with what', '').concat('| Toy Store | 2 or later |'),
      'docs/promises.md': rows('Stores', '| 1 | `otherStore()` keeps the contract |\n| 2 | A toy store is fast. |'),
    };
    const problems = doorProblems(...STORE, (file) => its[file]).join();

    expect(problems).toContain('docs/versioning.md, ');
    expect(problems).toContain('docs/promises.md, ');
  });

  test('is content with a page and the rows', () => {
    const its: Record<string, string> = {
      [TOY_STORE]: "import { toyStore } from 'single-execution/toy-store';",
      'README.md': rows('Choose', `| | [Toy Store](${TOY_STORE}) | \`…/toy-store\` |`),
      'docs/versioning.md': rows('What works with what', '| Toy Store | 2 or later |'),
      'docs/cli.md': rows('Which store', '| `--toy` | Toy Store |'),
      'docs/promises.md': rows('Stores', '| 9 | Over Toy Store, locks keep the contract. |'),
    };

    expect(doorProblems(...STORE, (file) => its[file])).toEqual([]);
  });
});

test.each(KINDS)(
  'the page to which the tool sends users of $name is the page of its door, and has the heading',
  ({ name }) => {
    expect(Object.keys(DOORS)).toContain(`single-execution/${name}`);
    expect(read(`docs/stores/${name}.md`)).toContain('\n## Permissions or setup\n');
  },
);

test('each page of a path or a platform says how its operator looks at the locks', () => {
  const deployed = ['cdk', 'templates', 'commands'].map((name) => `docs/deploy/${name}.md`);
  const pages = PAGES.filter((page) => /^docs\/(paths|platforms)\//.test(page) || deployed.includes(page));

  expect(pages.length).toBeGreaterThan(12);
  const silent = pages.filter((page) => !/^#+ Look at the locks?$|^.*single-execution show /m.test(read(page) ?? ''));
  expect(silent).toEqual([]);
});
