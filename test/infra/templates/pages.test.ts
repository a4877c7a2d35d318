import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

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

test.each([
  ['serverless', 'serverless/serverless.yml'],
  ['terraform', 'terraform/main.tf'],
])('docs/deploy/%s.md bundles the handler as a comment of its template says', (page, file) => {
  const [command = ''] = /^npx esbuild (.*\\\n)*.*/m.exec(read(`docs/deploy/${page}.md`)) ?? [];
  const comments = read(`infra/templates/${file}`).replace(/^ *# */gm, '');

  expect(command).toContain('--sources-content=false');
  expect(comments).toContain(flush(command).replace('send-digest.mjs', 'send-digest.ts'));
});
