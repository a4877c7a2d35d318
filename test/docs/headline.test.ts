import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.js';
import { examplesOf } from './examples.js';
import { filesIn, PAGES, read, rowsOf, sectionOf } from './page.js';

const { description, scripts } = JSON.parse(read('package.json')) as {
  readonly description: string;
  readonly scripts: Readonly<Record<string, string>>;
};

const HEADLINE = 'at most once per scheduled time, and never two at once';
/** Claims that are false: a tick that comes during another run is skipped, and does not run later. */
const TOO_MUCH = /(?<!at most )once per (?:tick|scheduled time)|\b(?:each|every) tick runs once|twice at a time/gi;

test('the headline is the same in README, package.json, the help of run, and the comments of the wrappers', () => {
  const oneLine = (text: string) => text.replaceAll(/\s*\n(?: \* )?/g, ' ');
  const wrappers = ['adapters/lambda', 'adapters/http', 'adapters/process', 'aspects/middy'];
  const files = ['README.md', ...wrappers.map((name) => `src/${name}.ts`)];
  const help = COMMANDS.find(({ name }) => name === 'run')?.summary ?? '';

  for (const text of [description, help]) expect(text).toContain(HEADLINE);
  for (const file of files) expect(oneLine(read(file)), file).toContain(HEADLINE);
});

test('each page that installs the package says where it comes from until it is on npm', () => {
  const installing = PAGES.filter((file) => /^npm install single-execution/m.test(read(file)));

  expect(installing.length).toBeGreaterThan(5);
  for (const file of installing) expect(read(file), file).toMatch(/install\.md#from-a-clone\)|^## From a clone$/m);
});

test('no text promises that a tick runs once', () => {
  const files = filesIn(['docs', 'src', 'infra', 'handlers', 'demo'], /\.(md|tsx?|mjs|yml|yaml|tf|html)$/);
  const found = ['README.md', 'CHANGELOG.md', 'package.json', ...files].flatMap((file) =>
    (read(file).match(TOO_MUCH) ?? []).map((text) => `${file}: ${text}`),
  );

  expect(files.length).toBeGreaterThan(300);
  expect(found).toEqual([]);
});

test('the commands of a clone are in README and CONTRIBUTING, and .ci/run calls the one of the tests', () => {
  const [contributing = ''] = read('CONTRIBUTING.md').split('\n## ');
  for (const text of [sectionOf(read('README.md'), '## From a clone'), contributing]) {
    expect(text).toMatch(/^npm ci && npm run demo +# \d+ seconds/m);
    expect(text).toMatch(/^npm ci && npm test +# \d+ minutes/m);
  }
  const called = read('.ci/run')
    .split('\n')
    .map((line) => line.replace(/ &$/, ''));
  expect(called).toEqual(expect.arrayContaining(['npm ci', 'npm test']));
  expect(scripts['ok']).toBe('npm run check && npm test && npm run pkg && npm run size && npm run proof');
  const proof = 'npm run proof';
  expect(called).toEqual(expect.arrayContaining(String(scripts['ok']).replace(` && ${proof}`, '').split(' && ')));
  // The nightly workflow runs each command of the proof, on other random values.
  for (const command of String(scripts['proof']).split(' && ')) {
    expect(read('.github/workflows/nightly.yml')).toContain(`run: ${command}`);
  }
});

test('docs/glossary.md explains each word that the code keeps to', () => {
  const [, words = ''] = /^- Words: (.*?)\. No second word/m.exec(read('CONTRIBUTING.md')) ?? [];
  const kept = words.split(', ').map((word) => word.replace(/ \(.*\)/, ''));
  const explained = rowsOf(read('docs/glossary.md')).map(([word]) => word);

  expect(kept).toContain('fencing token');
  expect(kept.filter((word) => !explained.includes(word))).toEqual([]);
});

test('every block of code in docs/guides/effects.md stands in a handler that it names, which tests run', () => {
  const page = 'docs/guides/effects.md';
  const handlers = filesIn(['handlers'], /\.ts$/).filter((file) => read(page).includes(file));
  const blocks = examplesOf(page, 'typescript');

  expect(handlers).toHaveLength(4);
  expect(blocks).toHaveLength(5);
  expect(blocks.filter(({ code }) => !handlers.some((file) => read(file).includes(code)))).toEqual([]);
});
