import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.js';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const { description, scripts } = JSON.parse(read('package.json')) as {
  readonly description: string;
  readonly scripts: Readonly<Record<string, string>>;
};

const HEADLINE = 'at most once per scheduled time, and never two at once';
/** Claims that are false: a tick that comes during another run is skipped, and does not run later. */
const TOO_MUCH = /(?<!at most )once per (?:tick|scheduled time)|\b(?:each|every) tick runs once|twice at a time/gi;

test('the headline is the same in README, package.json, the help of run, and the comments of the wrappers', () => {
  const oneLine = (text: string) => text.replaceAll(/\s*\n(?: \* )?/g, ' ');
  const says = {
    'package.json': description,
    'run --help': COMMANDS.find(({ name }) => name === 'run')?.summary ?? '',
    ...Object.fromEntries(
      [
        'README.md',
        'src/adapters/lambda.ts',
        'src/adapters/http.ts',
        'src/adapters/process.ts',
        'src/aspects/middy.ts',
      ].map((file) => [file, oneLine(read(file))]),
    ),
  };

  for (const [where, text] of Object.entries(says)) expect(text, where).toContain(HEADLINE);
});

test('each page that installs the package says where it comes from until it is on npm', () => {
  const pages = [
    'README.md',
    ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((file) => `docs/${file}`),
  ];
  const installing = pages.filter((file) => file.endsWith('.md') && /^npm install single-execution/m.test(read(file)));

  expect(installing.length).toBeGreaterThan(5);
  for (const file of installing) expect(read(file), file).toMatch(/install\.md#from-a-clone\)|^## From a clone$/m);
});

test('no text promises that a tick runs once', () => {
  const pages = ['README.md', 'CHANGELOG.md', 'package.json'];
  const files = ['docs', 'src', 'infra', 'handlers', 'demo'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(md|tsx?|mjs|yml|yaml|tf|html)$/.test(file))
      .map((file) => `${folder}/${file}`),
  );
  const found = [...pages, ...files].flatMap((file) =>
    (read(file).match(TOO_MUCH) ?? []).map((text) => `${file}: ${text}`),
  );

  expect(files.length).toBeGreaterThan(300);
  expect(found).toEqual([]);
});

test('the commands of a clone are in README and CONTRIBUTING, and .ci/run calls the one of the tests', () => {
  const [, readme = ''] = read('README.md').split('\n## From a clone\n');
  const [contributing = ''] = read('CONTRIBUTING.md').split('\n## ');
  for (const text of [readme.split('\n## ')[0], contributing]) {
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
