/*
 * The few shapes of the pictures in docs/images. Colours are classes, which follow the reader's light or dark scheme.
 * The background is opaque, so that a picture can be read on any page.
 */

const STYLE = `<style>
text { font: 15px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: #1f2328 }
.ground { fill: #ffffff; stroke: #d1d9e0 }
.title { font-weight: 600 }
.quiet { fill: #59636e }
.line { stroke: #d1d9e0 }
.good { fill: #dafbe1; stroke: #1a7f37 }
.bad { fill: #ffebe9; stroke: #d1242f }
.rest { fill: none; stroke: #9a6700; stroke-dasharray: 5 4 }
.skip { fill: #f6f8fa; stroke: #818b98; stroke-dasharray: 3 3 }
.cross { stroke: #d1242f; stroke-width: 2.5 }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc }
.ground { fill: #0d1117; stroke: #3d444d }
.quiet { fill: #9198a1 }
.line { stroke: #3d444d }
.good { fill: #12361f; stroke: #3fb950 }
.bad { fill: #4a1716; stroke: #f85149 }
.rest { stroke: #d29922 }
.skip { fill: #151b23; stroke: #9198a1 }
.cross { stroke: #f85149 }
}
</style>`;

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** A whole picture. Screen readers read `words`. */
export function picture(width: number, height: number, words: string, shapes: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">
<title>${escaped(words)}</title>
${STYLE}
<rect class="ground" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${shapes.join('\n')}
</svg>
`;
}

export function text(x: number, y: number, words: string, kind = ''): string {
  return `<text x="${x}" y="${y}"${kind && ` class="${kind}"`}>${escaped(words)}</text>`;
}

export function bar(x: number, y: number, width: number, kind: string, words = ''): string {
  const box = `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="28" rx="5"/>`;
  return words ? `${box}\n${text(x + 8, y + 19.5, words)}` : box;
}

/** A call that was skipped. The box is wide enough for the words in a wide font. */
export function skip(x: number, y: number, reason: string): string {
  const words = `skipped: ${reason}`;
  return bar(x, y, words.length * 8.3 + 14, 'skip', words);
}

export function line(x1: number, y1: number, x2: number, y2: number, kind = 'line'): string {
  return `<line class="${kind}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`;
}

export function cross(x: number, y: number): string {
  return [line(x - 6, y - 6, x + 6, y + 6, 'cross'), line(x - 6, y + 6, x + 6, y - 6, 'cross')].join('\n');
}
