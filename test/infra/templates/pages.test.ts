import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** A text without its indentation, which may differ between the file and the page. */
const flush = (text: string): string => text.replace(/^ +/gm, '');

test.each([
  ['Serverless Framework', 'serverless/serverless.yml'],
  ['Terraform or OpenTofu', 'terraform/main.tf'],
])(
  'the section %s of docs/deploy/templates.md bundles the handler as a comment of its template says',
  (heading, file) => {
    const [, section = ''] = read('docs/deploy/templates.md').split(`\n## ${heading}\n`);
    const [command = ''] = /^npx esbuild (.*\\\n)*.*/m.exec(section.split('\n## ')[0] ?? '') ?? [];
    const comments = read(`infra/templates/${file}`).replace(/^ *# */gm, '');

    expect(command).toContain('--sources-content=false');
    expect(comments).toContain(flush(command).replace('send-digest.mjs', 'send-digest.ts'));
  },
);
