import { defineConfig } from 'vitepress';
import { BASE, HOME, manifest } from '../address.js';
import { diagram } from '../diagram.js';
import { nav, sidebar } from '../navigation.js';
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
      const fence = md.renderer.rules.fence;
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const token = tokens[index];
        if (token?.info.trim() === 'mermaid') return diagram(token.content);
        return fence?.(tokens, index, ...rest) ?? '';
      };
    },
  },
  themeConfig: {
    nav,
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    ...(repository && { socialLinks: [{ icon: 'github', link: repository }] }),
  },
});
