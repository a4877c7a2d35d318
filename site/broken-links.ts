import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { BASE } from './address.js';

/**
 * Links of a built site to what is not there: pages, files, and headings. Links to other hosts are not followed.
 *
 * @returns a line each: the page, and where its link leads
 */
export function brokenLinks(site: string): string[] {
  const pages = new Map(
    readdirSync(site, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.html'))
      .map((file) => [file, pageOf(readFileSync(join(site, file), 'utf8'))]),
  );
  return [...pages].flatMap(([page, { links }]) =>
    links
      .filter((link) => {
        const { file, heading } = targetOf(page, link, (path) => existsSync(join(site, path)));
        if (!file) return true;
        return heading !== '' && pages.get(file)?.ids.has(heading) === false;
      })
      .map((link) => `${page}: ${link}`),
  );
}

function pageOf(html: string): { readonly links: readonly string[]; readonly ids: ReadonlySet<string> } {
  const links = [...html.matchAll(/<(?:a|img|link|script)\b[^>]*?\s(?:href|src)="([^"]+)"/g)].map(([, to = '']) => to);
  const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => plain(id));
  return {
    links: [...new Set(links.map(plain))].filter((to) => !/^[a-z]+:|^\/\//.test(to)),
    ids: new Set(ids),
  };
}

const plain = (attribute: string) =>
  attribute.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"');

/** The file that a host serves for a link; undefined if there is none. */
function targetOf(page: string, link: string, isThere: (path: string) => boolean) {
  const [path = '', heading = ''] = decodeURI(link).split('#');
  const absolute = path.startsWith('/') ? path.replace(BASE, '') : posix.join(posix.dirname(page), path);
  const candidates = path === '' ? [page] : [absolute, `${absolute}.html`, posix.join(absolute, 'index.html')];
  return { file: candidates.find((candidate) => /\.\w+$/.test(candidate) && isThere(candidate)), heading };
}
