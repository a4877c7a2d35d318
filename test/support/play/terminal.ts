/** The rows of a table as lines. The first column is aligned to the left, the others to the right. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => (row[i] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** Colours, if a terminal can show them. */
export interface Paint {
  good(text: string): string;
  bad(text: string): string;
  odd(text: string): string;
  dim(text: string): string;
}

export function paint(isTerminal: boolean): Paint {
  const colour = (code: number) => (text: string) => (isTerminal ? `\u001B[${code}m${text}\u001B[0m` : text);
  return { good: colour(32), bad: colour(31), odd: colour(33), dim: colour(2) };
}
