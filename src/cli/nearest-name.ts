/** How many letters a typing error may change. */
const MOST_CHANGED = 3;

/** The known name that a mistyped one most likely means; undefined if none is near. */
function nearestName(typed: string, known: readonly string[]): string | undefined {
  // Cut the text, because a distance takes time, and a longer text is not a known name with a typing error.
  const text = typed.slice(0, 64);
  const most = Math.min(MOST_CHANGED, Math.ceil(text.length / 2));
  const near = known
    .map((name) => ({ name, far: name.startsWith(text) && text !== '' ? 0 : distance(text, name) }))
    .filter(({ far }) => far <= most)
    .sort((a, b) => a.far - b.far);
  return near[0]?.name;
}

/** `; did you mean 'ls'?`, or nothing. */
export function didYouMean(typed: string, known: readonly string[], prefix = ''): string {
  const near = nearestName(typed, known);
  return near === undefined ? '' : `; did you mean ${prefix}${near}?`;
}

/** How many letters to add, remove or change to turn one text into the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
