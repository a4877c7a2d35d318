import type { Invariant } from './invariant.js';
import type { Paint } from './paint.js';

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
