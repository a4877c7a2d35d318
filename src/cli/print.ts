import type { RunInfo } from '../admin/lock-admin.js';
import { type LockSummary, stateWords } from '../operate/lock-summary.js';
import { shortInstant } from '../operate/times.js';
import { safeText } from './safe-text.js';
import type { Session } from './session.js';
import type { Colour, Styled, Terminal } from './terminal.js';

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

/** Prints ticks one a line, or as a JSON array of ISO instants. */
export function printTicks({ terminal, has }: Session, ticks: readonly Date[], none: string): void {
  if (has('json')) terminal.json(ticks);
  else if (ticks.length === 0) terminal.note(none);
  else for (const tick of ticks) terminal.line(shortInstant(tick));
}

const OF_STATE: Readonly<Partial<Record<LockSummary['state'], Colour>>> = {
  paused: 'yellow',
  held: 'green',
  expired: 'red',
  corrupt: 'red',
};

/** The state of a lock, in its colour. */
export const stateCell = (lock: LockSummary): Cell => ({ text: stateWords(lock), colour: OF_STATE[lock.state] });

/** How a run ended, in its colour. */
export const resultCell = (result: RunInfo['status']): Cell => ({
  text: result,
  colour: result === 'succeeded' ? undefined : 'red',
});

function widthOf(cell: Cell | undefined): number {
  return [...safeText(typeof cell === 'string' ? cell : (cell?.text ?? ''))].length;
}
