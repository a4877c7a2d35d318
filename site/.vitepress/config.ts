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
      const code = md.renderer.rules.code_inline;
      // In a narrow cell a path breaks after its slashes.
      md.renderer.rules.code_inline = (...args) => code?.(...args).replace(/(?<!<)\//g, '/<wbr>') ?? '';
      const fence = md.renderer.rules.fence;
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const token = tokens[index];
        if (token?.info.trim() === 'mermaid') return diagram(token.content);
        return fence?.(tokens, index, ...rest) ?? '';
      };
    },
  },
  transformPageData(page) {
    const isReference = page.relativePath.startsWith('api/');
    return isReference ? { frontmatter: { ...page.frontmatter, pageClass: 'api' } } : {};
  },
  themeConfig: {
    nav,
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    ...(repository && { socialLinks: [{ icon: 'github', link: repository }] }),
  },
});
