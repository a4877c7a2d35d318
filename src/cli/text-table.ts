import { safeText } from './safe-text.js';
import type { Styled, Terminal } from './terminal.js';

export type Cell = string | Styled;

const GAP = 2;

/** Prints rows under their headings. Columns are as wide as their widest cell. */
export function printTable(terminal: Terminal, headings: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const all = [headings.map((text): Cell => ({ text, colour: 'dim' })), ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => widthOf(row[column]))));
  for (const row of all) {
    terminal.line(...row.flatMap((cell, column) => [cell, ' '.repeat((widths[column] ?? 0) - widthOf(cell) + GAP)]));
  }
}

/** Prints a label and its words on each line. */
export function printFacts(terminal: Terminal, facts: readonly (readonly [label: string, words: string])[]): void {
  const width = Math.max(...facts.map(([label]) => label.length));
  for (const [label, words] of facts) terminal.line({ text: label.padEnd(width + GAP), colour: 'dim' }, words);
}

function widthOf(cell: Cell | undefined): number {
  return [...safeText(typeof cell === 'string' ? cell : (cell?.text ?? ''))].length;
}
