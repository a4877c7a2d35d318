import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DefaultTheme } from 'vitepress';
import { ROOT } from './address.js';
import { pagePlaces, titleOf } from './pages.js';
import { DOORS } from './reference.js';

const places = pagePlaces();

const itemOf = (page: string): DefaultTheme.SidebarItem => ({
  text: titleOf(readFileSync(join(ROOT, page), 'utf8')).replaceAll('`', ''),
  link: `/${places.get(page)}`,
});

/** Items of the pages below a folder of docs, in the order of their names, the named ones first. */
function itemsIn(folder: string, first: readonly string[] = []): DefaultTheme.SidebarItem[] {
  const pages = [...places.keys()].filter((page) => page.startsWith(`docs/${folder}/`));
  const named = first.map((name) => `docs/${folder}/${name}.md`).filter((page) => pages.includes(page));
  return [...named, ...pages.filter((page) => !named.includes(page))].map(itemOf);
}

const group = (text: string, items: DefaultTheme.SidebarItem[], collapsed = false): DefaultTheme.SidebarItem => ({
  text,
  items,
  collapsed,
});

/** Pages of docs that stand in no folder: those that explain, and those that prove. */
const USE = ['reference', 'operating', 'cli', 'console', 'custom-store', 'versioning'].map((name) => `docs/${name}.md`);
const loose = [...places.keys()].filter((page) => /^docs\/[^/]+$/.test(page));

export const sidebar: DefaultTheme.SidebarItem[] = [
  group('Guides', [{ text: 'What it is', link: '/' }, ...itemsIn('guides', ['first-lock'])]),
  group('Platforms', itemsIn('platforms')),
  group('Stores', itemsIn('stores')),
  group('Deploy', itemsIn('deploy')),
  group('Options and operation', USE.filter((page) => loose.includes(page)).map(itemOf)),
  group(
    'Reference by door',
    DOORS.map(({ page }) => ({ text: page, link: `/api/${page}` })),
    true,
  ),
  group('Proof', [
    ...loose.filter((page) => !USE.includes(page)).map(itemOf),
    { text: 'Decisions', link: '/adr/' },
    { text: 'Security', link: '/security' },
    { text: 'Changes', link: '/changelog' },
    { text: 'Contributing', link: '/contributing' },
  ]),
];

export const nav: DefaultTheme.NavItem[] = [
  { text: 'Guides', link: itemsIn('guides', ['first-lock'])[0]?.link ?? '/' },
  { text: 'Deploy', link: itemsIn('deploy')[0]?.link ?? '/' },
  { text: 'Reference', items: DOORS.map(({ page }) => ({ text: page, link: `/api/${page}` })) },
];
