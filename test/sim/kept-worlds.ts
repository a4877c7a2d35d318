import type { RegimeName, Stage } from './regime.js';

/** Worlds that have shown a fault, in the library or in a seeded bug. Every run of the simulation plays them again. */
export const KEPT_WORLDS: readonly (readonly [stage: Stage, regime: RegimeName, seed: number, showed: string])[] = [
  ['dynamodb', 'stale', 424, 'a holder that trusts the Date header to the millisecond'],
  ['dynamodb', 'skewed', 367, 'a grant of a cancelled attempt'],
  ['dynamodb', 'hostile', 207, 'an attempt that is not cancelled'],
  ['dynamodb', 'hostile', 195, 'a takeover that does not look whose lock it is'],
  ['dynamodb', 'hostile', 173, 'a lost lease that is renewed'],
  ['dynamodb', 'synchronised', 17_669, 'a check that forgot that a deaf handler gives its lock back after its lease'],
  ['dynamodb', 'hostile', 100_155, 'a late release that ends another grant of its attempt, with older lists of ticks'],
  ['dynamodb', 'hostile', 100_431, 'a check that misjudged a late acquire whose tick a delete had forgotten'],
  [
    'dynamodb',
    'synchronised',
    132,
    'a run that caught up with the first tick and forgot those after it that never came',
  ],
  ['redis', 'hostile', 32, 'an attempt that is not barred when it is taken over from'],
  ['election', 'synchronised', 272, 'a candidate that waits for an answer that is lost'],
  ['election', 'hostile', 544, 'a check that misjudged a late acquire whose bar was gone'],
  ['election', 'dateless', 193, 'a candidate that waits for an answer that is lost'],
];
