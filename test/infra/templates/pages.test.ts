import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildCommand } from '../../../infra/templates/build-command.js';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Without the indentation that a part of a file has in its place. */
const flush = (text: string): string => text.replace(/^ +/gm, '');

test.each([
  ['sam', 'sam/template.yaml'],
  ['serverless', 'serverless/serverless.yml'],
  ['terraform', 'terraform/main.tf'],
])('what docs/deploy/%s.md shows of its template is in it', (page, file) => {
  const blocks = [...read(`docs/deploy/${page}.md`).matchAll(/^```(?:yaml|hcl)\n(.*?)^```/gms)];

  expect(blocks).toHaveLength(1);
  for (const [, block = ''] of blocks) expect(flush(read(`infra/templates/${file}`))).toContain(flush(block));
});

test.each(['serverless', 'terraform'])('docs/deploy/%s.md bundles the handler as its template says', (page) => {
  const command = buildCommand('send-digest').join('\n').replace('send-digest.ts', 'send-digest.mjs');

  expect(read(`docs/deploy/${page}.md`)).toContain(command);
});
