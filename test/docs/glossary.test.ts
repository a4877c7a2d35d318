import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (page: string) => readFileSync(join(import.meta.dirname, '../..', page), 'utf8');

test('docs/glossary.md explains each word that the code keeps to', () => {
  const [, words = ''] = /^- Words: (.*?)\. No second word/m.exec(read('CONTRIBUTING.md')) ?? [];
  const kept = words.split(', ').map((word) => word.replace(/ \(.*\)/, ''));
  const explained = [...read('docs/glossary.md').matchAll(/^\| ([^|]+) \|/gm)].map(([, word]) => word);

  expect(kept).toContain('fencing token');
  expect(kept.filter((word) => !explained.includes(word))).toEqual([]);
});
