import type { Paint } from './terminal.js';

/** A promise of the library, checked against what the outside saw. */
export interface Invariant<H> {
  readonly promise: string;
  check(history: H): Finding;
}

export interface Finding {
  /** How many cases were looked at. */
  readonly cases: number;
  /** What each breach was; none when the promise held. */
  readonly breaches: readonly string[];
}

const SHOWN = 5;

/** Checks every invariant and tells of each. @returns whether all held */
export function tellVerdict<H>(
  invariants: readonly Invariant<H>[],
  history: H,
  say: (line: string) => void,
  paint: Paint,
): boolean {
  const width = Math.max(...invariants.map(({ promise }) => promise.length));
  let allHeld = true;
  for (const { promise, check } of invariants) {
    const { cases, breaches } = check(history);
    // A check that had nothing to look at has shown nothing.
    const held = breaches.length === 0 && cases > 0;
    allHeld &&= held;
    say(`${held ? paint.good('PASS') : paint.bad('FAIL')}  ${promise.padEnd(width)}  ${cases} cases`);
    for (const breach of breaches.slice(0, SHOWN)) say(`      ${breach}`);
    if (breaches.length > SHOWN) say(`      and ${breaches.length - SHOWN} more`);
  }
  return allHeld;
}
