import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { brokenLinks } from '../../site/broken-links.js';

let site: string;
beforeEach(() => {
  site = mkdtempSync(join(tmpdir(), 'site-'));
  mkdirSync(join(site, 'guides'));
  writeFileSync(join(site, 'guides/leader.html'), '<h2 id="members">Members</h2>');
});
afterEach(() => rmSync(site, { recursive: true }));

test.each([
  ['/guides/leader', []],
  ['/guides/leader#members', []],
  ['guides/leader.html', []],
  ['#top', []],
  ['https://example.com/gone', []],
  ['/guides/gone', ['index.html: /guides/gone']],
  ['/guides/leader#gone', ['index.html: /guides/leader#gone']],
  ['#gone', ['index.html: #gone']],
])('a link to %s: %o', (link, broken) => {
  writeFileSync(join(site, 'index.html'), `<h1 id="top">Top</h1><a class="x" href="${link}">x</a>`);

  expect(brokenLinks(site)).toEqual(broken);
});
