import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KINDS } from '../../src/cli/store/kinds.js';
import { DOORS } from '../support/doors.js';
import { doorProblems, type ReadPage } from './doors.js';
import { PAGES } from './examples.js';

const ROOT = join(import.meta.dirname, '../..');
const read: ReadPage = (file) => {
  const path = join(ROOT, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
};

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

  test('finds a store without documents', () => {
    expect(doorProblems(...STORE, () => undefined)).toEqual([
      `single-execution/toy-store: there is no ${TOY_STORE}: write it, or name the page in PAGES of test/docs/doors.ts`,
      `single-execution/toy-store: README.md, "Choose", has no row that links ${TOY_STORE} and has the import \`…/toy-store\``,
      'single-execution/toy-store: docs/versioning.md, "What works with what", has no row that names toy store, with its versions',
      'single-execution/toy-store: docs/cli.md, "Which store", has no row that names toy store, with the option that finds its locks',
      'single-execution/toy-store: docs/promises.md, "Stores", has no row that says that toy store keeps the contract',
    ]);
  });

  test('finds a platform without documents', () => {
    expect(doorProblems(...PLATFORM, () => undefined)).toEqual([
      `single-execution/toy: there is no ${TOY}: write it, or name the page in PAGES of test/docs/doors.ts`,
      `single-execution/toy: README.md, "Choose", has no row that links ${TOY} and has the import \`…/toy\``,
      'single-execution/toy: docs/versioning.md, "What works with what", has no row that names toy, with its versions',
    ]);
  });

  test('finds another door without documents', () => {
    expect(doorProblems(...OTHER, () => undefined)).toEqual([
      `single-execution/toy: there is no ${GUIDE}: write it, or name the page in PAGES of test/docs/doors.ts`,
      `single-execution/toy: README.md does not link ${GUIDE}`,
      'single-execution/toy: docs/versioning.md, "What works with what", has no row that names toy, with its versions',
    ]);
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
