import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BASE, HOME, manifest } from './address.js';
import { PAGES, pagePlaces, summaryOf, titleOf } from './pages.js';
import { DOORS } from './reference.js';
import { sections } from './sections.js';

/**
 * Writes `llms.txt`, a list of all pages with links to their Markdown and what each is about, and `llms-full.txt`, all
 * of it in one file.
 *
 * @see https://llmstxt.org
 */
export function writeLlmsTexts(site: string): void {
  const places = pagePlaces();
  const listed = [
    ...sections().map(([name, pages]) => [name, pages.map((page) => places.get(page) ?? page)] as const),
    ['Reference by entry point', DOORS.map(({ page }) => `api/${page}.md`)] as const,
  ].map(([name, inside]) => ({
    name,
    pages: inside.map((place) => ({ place, text: readFileSync(join(PAGES, place), 'utf8') })),
  }));
  cpSync(PAGES, site, { recursive: true });

  const head = `# single-execution\n\n> ${manifest.description}. Version ${manifest.version}.`;
  const address = HOME ?? BASE;
  const lists = listed.map(({ name, pages }) => {
    const items = pages.map(({ place, text }) => {
      const summary = summaryOf(text);
      return `- [${titleOf(text)}](${address}${place})${summary && `: ${summary}`}`;
    });
    return `## ${name}\n\n${items.join('\n')}`;
  });
  const whole = `All pages in one file: [llms-full.txt](${address}llms-full.txt).`;
  writeFileSync(join(site, 'llms.txt'), `${[head, whole, ...lists].join('\n\n')}\n`);
  const texts = listed.flatMap(({ pages }) => pages).map(({ place, text }) => `<!-- ${place} -->\n\n${text.trim()}`);
  writeFileSync(join(site, 'llms-full.txt'), `${[head, ...texts].join('\n\n---\n\n')}\n`);
}
