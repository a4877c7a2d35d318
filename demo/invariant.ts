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
