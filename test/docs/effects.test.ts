import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { examplesOf } from './examples.js';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = 'docs/guides/effects.md';

test('every block of code in docs/guides/effects.md stands in a handler that it names, which tests run', () => {
  const page = readFileSync(join(ROOT, PAGE), 'utf8');
  const handlers = readdirSync(join(ROOT, 'handlers')).filter((file) => page.includes(`handlers/${file}`));
  const sources = handlers.map((file) => readFileSync(join(ROOT, 'handlers', file), 'utf8'));
  const blocks = examplesOf(PAGE, 'typescript');

  expect(handlers).toHaveLength(4);
  expect(blocks).toHaveLength(5);
  expect(blocks.filter(({ code }) => !sources.some((source) => source.includes(code)))).toEqual([]);
});
