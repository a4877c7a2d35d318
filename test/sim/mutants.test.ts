import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DYNAMODB_MUTANTS } from './dynamodb-mutants.js';
import { ELECTION_MUTANTS } from './election-mutants.js';
import { REDIS_MUTANTS } from './redis-mutants.js';

const MUTANTS = [...DYNAMODB_MUTANTS, ...REDIS_MUTANTS, ...ELECTION_MUTANTS];
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test.each(MUTANTS)('$name: the text that is broken stands in the library once', ({ edits }) => {
  const texts = new Map<string, string>();
  for (const [file, from, to] of edits) {
    const text = texts.get(file) ?? read(`src/${file}`);
    expect(text.split(from).length - 1, from).toBe(1);
    texts.set(
      file,
      text.replace(from, () => to),
    );
  }
});

test('the docs count them', () => {
  expect(read('docs/reliability.md')).toContain(`breaks the library in ${MUTANTS.length} ways`);
});
