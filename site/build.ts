import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vitepress';
import { brokenLinks } from './broken-links.js';
import { writeLlmsTexts } from './llms.js';
import { PAGES, placePages } from './pages.js';
import { writeReference } from './reference.js';

const SITE = join(import.meta.dirname, 'dist');

rmSync(PAGES, { recursive: true, force: true });
placePages();
await writeReference();
await build(import.meta.dirname);
writeLlmsTexts(SITE);

const broken = brokenLinks(SITE);
if (broken.length > 0) {
  process.stderr.write(`${broken.length} links lead nowhere:\n${broken.join('\n')}\n`);
  process.exitCode = 1;
} else {
  process.stdout.write(`The site is in ${SITE}\n`);
}
