import type { Paint } from './terminal.js';

/** Promises of the library, each with its check of a history. */
export type Invariants<H> = Readonly<Record<string, (history: H) => Finding>>;

interface Finding {
  readonly cases: number;
  /** A text for each breach; empty if the promise held. */
  readonly breaches: readonly string[];
}

const SHOWN = 5;

export function brokenBy<H>(invariants: Invariants<H>, history: H): string[] {
  return Object.keys(invariants).filter((promise) => invariants[promise]?.(history).breaches.length !== 0);
}

/** Checks every invariant and prints a verdict on each. @returns whether all held */
export function tellVerdict<H>(
  invariants: Invariants<H>,
  history: H,
  say: (line: string) => void,
  paint: Paint,
): boolean {
  const width = Math.max(...Object.keys(invariants).map((promise) => promise.length));
  let allHeld = true;
  for (const [promise, check] of Object.entries(invariants)) {
    const { cases, breaches } = check(history);
    // A check without any case has shown nothing.
    const held = breaches.length === 0 && cases > 0;
    allHeld &&= held;
    say(`${held ? paint.good('PASS') : paint.bad('FAIL')}  ${promise.padEnd(width)}  ${cases} cases`);
    for (const breach of breaches.slice(0, SHOWN)) say(`      ${breach}`);
    if (breaches.length > SHOWN) say(`      and ${breaches.length - SHOWN} more`);
  }
  return allHeld;
}
