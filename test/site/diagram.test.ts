import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diagram } from '../../site/diagram.js';

const DOCS = join(import.meta.dirname, '../../docs');

test('a diagram has the colours of the reader’s scheme, no style sheet and no address of another host', () => {
  const picture = diagram('sequenceDiagram\n  A->>B: take the lock\n');

  expect(picture).toContain('take the lock');
  expect(picture).toContain('--fg:var(--vp-c-text-1)');
  expect(picture).not.toMatch(/<style|@import|https?:\/\/(?!www\.w3\.org\/)/);
});

test('every diagram of the docs can be drawn', () => {
  const pages = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
  const blocks = pages.flatMap((page) => {
    const found = readFileSync(join(DOCS, page), 'utf8').matchAll(/^```mermaid\n(.*?)^```/gms);
    return [...found].map(([, code = '']) => code);
  });

  for (const code of blocks) expect(diagram(code)).toContain('<svg');
});
