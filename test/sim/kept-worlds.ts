import type { Kind } from './tally.js';

/** Worlds that have shown a fault, of the library or one that was seeded into it; each is played again and again. */
export const KEPT_WORLDS: readonly (Kind & { readonly seed: number; readonly showed: string })[] = [
  { stage: 'dynamodb', regime: 'stale', seed: 424, showed: 'a holder that trusts the Date header to the millisecond' },
  { stage: 'dynamodb', regime: 'skewed', seed: 367, showed: 'a grant of a cancelled attempt' },
  { stage: 'dynamodb', regime: 'hostile', seed: 207, showed: 'an attempt that is not cancelled' },
  { stage: 'dynamodb', regime: 'hostile', seed: 195, showed: 'a takeover that does not look whose lock it is' },
  { stage: 'dynamodb', regime: 'hostile', seed: 173, showed: 'a lost lease that is renewed' },
  {
    stage: 'dynamodb',
    regime: 'synchronised',
    seed: 17_669,
    showed: 'a check that took no account of a deaf handler which gives its lock back long after its lease',
  },
  {
    stage: 'dynamodb',
    regime: 'hostile',
    seed: 100_155,
    showed: 'a late release that ends another grant of its attempt, with lists of ticks from before',
  },
  {
    stage: 'dynamodb',
    regime: 'hostile',
    seed: 100_431,
    showed: 'a check that took a late acquire, whose tick a delete had forgotten, for another fault',
  },
  {
    stage: 'dynamodb',
    regime: 'synchronised',
    seed: 132,
    showed: 'a run that caught up with the first tick, which had failed, and forgot those after it that never came',
  },
  { stage: 'redis', regime: 'hostile', seed: 32, showed: 'an attempt that is not barred when it is taken over from' },
  { stage: 'election', regime: 'synchronised', seed: 272, showed: 'a candidate that waits for an answer that is lost' },
  {
    stage: 'election',
    regime: 'hostile',
    seed: 544,
    showed: 'a check that took a late acquire, whose bar was gone, for another fault',
  },
  { stage: 'election', regime: 'dateless', seed: 193, showed: 'a candidate that waits for an answer that is lost' },
];
