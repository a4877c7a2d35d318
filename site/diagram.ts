import { renderMermaidSVG } from 'beautiful-mermaid';

/** The site's colours, which change with the reader's scheme. */
const COLOURS = {
  bg: 'var(--vp-c-bg)',
  fg: 'var(--vp-c-text-1)',
  muted: 'var(--vp-c-text-1)',
  line: 'var(--vp-c-text-2)',
  accent: 'var(--vp-c-brand-1)',
};

/**
 * A Mermaid block as a picture that follows the reader's colour scheme. It has no style sheet of its own, which Vue
 * would drop, and names no font of another host.
 *
 * @throws Error for what is no Mermaid, or a kind of it that is not known here
 */
export function diagram(code: string): string {
  const svg = renderMermaidSVG(code, { ...COLOURS, transparent: true });
  const [, sheet = ''] = /<style>([\s\S]*?)<\/style>/.exec(svg) ?? [];
  const derived = [...sheet.matchAll(/(--_[\w-]+):\s*([^;]+);/g)].map(([, name, value]) => `${name}:${value}`);
  const placed = svg
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(/style="([^"]*)"/, (_, own: string) => `style="${own};${derived.join(';')}" role="img"`);
  return `<figure class="diagram" v-pre>${placed}</figure>\n`;
}
