import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { DefaultTheme } from 'vitepress';
import { ROOT } from './address.js';
import { pagePlaces, titleOf } from './pages.js';
import { DOORS } from './reference.js';
import { sections } from './sections.js';

const places = pagePlaces();

const titleIn = (page: string): string => titleOf(readFileSync(join(ROOT, page), 'utf8')).replaceAll('`', '');

const itemOf = (page: string): DefaultTheme.SidebarItem => ({
  // Below its section a title need not name the section again.
  text: page === 'README.md' ? 'What it is' : titleIn(page).replace(/^From an empty folder: /, ''),
  link: `/${places.get(page)}`.replace(/index\.md$/, ''),
});

/** The pages of a section; decisions stand in a group of their own, which a reader opens. */
function itemsOf(pages: readonly string[]): DefaultTheme.SidebarItem[] {
  const decisions = pages.filter((page) => posix.dirname(page) === 'docs/adr');
  const items = pages.filter((page) => !decisions.includes(page)).map(itemOf);
  if (decisions.length === 0) return items;
  return [...items, { text: 'Decisions', link: '/adr/', items: decisions.map(itemOf), collapsed: true }];
}

/** A first reader needs no proof: its pages stand in a group that a reader opens. */
const CLOSED = new Set(['Proof', 'Project']);

const groups = sections().map(([text, pages]) => ({ text, items: itemsOf(pages), collapsed: CLOSED.has(text) }));

const doors = {
  text: 'Reference by entry point',
  link: '/api/',
  items: DOORS.map(({ door, page }) => ({ text: door, link: `/api/${page}` })),
  collapsed: true,
};

export const sidebar: DefaultTheme.SidebarItem[] = groups.flatMap((group) =>
  group.text === 'Reference' ? [group, doors] : [group],
);

export const nav: DefaultTheme.NavItem[] = [
  { text: 'Choose', link: '/choose' },
  { text: 'Start', link: '/guides/first-lock' },
  { text: 'Deploy', link: '/deploy/cdk' },
  { text: 'On call', link: '/on-call' },
  { text: 'Reference', link: '/reference' },
  { text: 'Proof', link: '/promises' },
];
