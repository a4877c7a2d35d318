import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { BASE, HOME, manifest } from '../address.js';
import { diagram } from '../diagram.js';
import { inlineCode } from '../inline-code.js';
import { nav, sidebar } from '../navigation.js';
import { PAGES, summaryOf } from '../pages.js';
import { searchOptions } from '../search.js';
import { slug } from '../slug.js';

const repository = manifest.repository?.url.replace(/^git\+/, '').replace(/\.git$/, '');

export default defineConfig({
  title: 'single-execution',
  description: manifest.description,
  lang: 'en',
  base: BASE,
  srcDir: 'pages',
  outDir: 'dist',
  cleanUrls: true,
  // Without an icon a browser asks every host for one.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  lastUpdated: false,
  ...(HOME && { sitemap: { hostname: HOME } }),
  markdown: {
    anchor: { slugify: slug },
    config(md) {
      const code = md.renderer.rules.code_inline;
      md.renderer.rules.code_inline = (...args) => inlineCode(code?.(...args) ?? '');
      const fence = md.renderer.rules.fence;
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const token = tokens[index];
        if (token?.info.trim() === 'mermaid') return diagram(token.content);
        return fence?.(tokens, index, ...rest) ?? '';
      };
    },
  },
  transformPageData(page) {
    const description = summaryOf(readFileSync(join(PAGES, page.relativePath), 'utf8')) || manifest.description;
    const pageClass = page.relativePath.startsWith('api/') ? 'api' : '';
    return { description, frontmatter: { ...page.frontmatter, pageClass } };
  },
  themeConfig: {
    nav,
    sidebar,
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: { searchOptions },
      },
    },
    ...(repository && { socialLinks: [{ icon: 'github', link: repository }] }),
  },
});
