import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BASE, HOME, manifest } from './address.js';
import { PAGES, pagePlaces, titleOf } from './pages.js';
import { DOORS } from './reference.js';

const HEADINGS: Readonly<Record<string, string>> = {
  '': 'About',
  guides: 'Guides',
  platforms: 'Platforms',
  stores: 'Stores',
  deploy: 'Deploy',
  adr: 'Decisions',
  api: 'Reference by door',
};

/**
 * Writes `llms.txt`, a list of all pages with links to their Markdown, and `llms-full.txt`, all of it in one file.
 *
 * @see https://llmstxt.org
 */
export function writeLlmsTexts(site: string): void {
  const places = [...pagePlaces().values(), ...DOORS.map(({ page }) => `api/${page}.md`)];
  const pages = places.map((place) => ({ place, text: readFileSync(join(PAGES, place), 'utf8') }));
  for (const { place, text } of pages) {
    mkdirSync(dirname(join(site, place)), { recursive: true });
    writeFileSync(join(site, place), text);
  }

  const sections = Object.entries(HEADINGS).map(([folder, heading]) => {
    const inside = pages.filter(({ place }) => (place.includes('/') ? dirname(place) : '') === folder);
    const items = inside.map(({ place, text }) => `- [${titleOf(text) || place}](${HOME ?? BASE}${place})`);
    return `## ${heading}\n\n${items.join('\n')}`;
  });
  const head = `# single-execution\n\n> ${manifest.description}. Version ${manifest.version}.`;
  writeFileSync(join(site, 'llms.txt'), `${[head, ...sections].join('\n\n')}\n`);
  const whole = pages.map(({ place, text }) => `<!-- ${place} -->\n\n${text.trim()}`);
  writeFileSync(join(site, 'llms-full.txt'), `${[head, ...whole].join('\n\n---\n\n')}\n`);
}
