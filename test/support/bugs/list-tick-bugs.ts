import { ADMIN, bug, type ContractBug } from './contract-bug.js';

const WRITE = 'records.set(name, { ...record, openTicks, failedTicks });';
const JUDGE = 'core/record/tick-listing.ts#judgeListing';
const HAS_ENDED = 'core/record/tick-listing.ts#hasEnded';
const AFTER_RUN = 'core/record/open-ticks.ts#ticksAfterRun';

const LISTED = 'row 93: a tick that an operator lists is open, until it is done itself';
const LATE = 'F62 a listing late changes nothing once there was a newer run';
const ONE_OF_MANY = 'of listings from the same look exactly one is written';
const REPLAYED = 'a listing replayed is listed, and writes nothing over a later one';
const BEYOND_EIGHT = 'no run cuts off what an operator has listed beyond eight';
const FAILED_BEYOND_EIGHT = 'nor what an operator has listed as failed';

/** Bugs of what operators do to the lists of ticks. */
// biome-ignore format: each bug in a few rows, not each text in one
export const LIST_TICK_BUGS: readonly ContractBug[] = [
  bug('lists ticks in words only', LISTED, [ADMIN, WRITE, '']),
  bug('lists no tick as failed', 'row 93: a tick that an operator lists as failed is open once a newer one is done',
    [ADMIN, WRITE, 'records.set(name, { ...record, openTicks });']),
  bug('takes no tick off', 'row 93: a tick that an operator takes off the lists is stale',
    [ADMIN, WRITE, 'records.set(name, { openTicks, failedTicks, ...record });']),
  bug('lists ticks in a new record', 'a listing changes nothing but the lists',
    [ADMIN, WRITE, 'records.set(name, { state: record?.state, doneTick: record?.doneTick, openTicks, failedTicks });']),
  bug('lists ticks while a run holds the lock',
    'the ticks of a lock that is held are not listed, and its run writes its own lists',
    [HAS_ENDED, "state === 'forced'", "state === 'forced' || state === 'held'"]),
  bug('lists ticks over the run of a dead holder', 'nor are those of a lock whose holder died',
    [HAS_ENDED, "state === 'forced'", "state === 'forced' || state === 'held'"]),
  bug('lists ticks only after a release', 'the ticks of a lock that was forced are listed',
    [HAS_ENDED, "|| state === 'forced'", '']),
  bug('lists ticks of what has not run', 'no tick of a lock that has not run is listed',
    [HAS_ENDED, "state === 'released' || state === 'forced'", "state !== 'held'"]),
  bug('lists ticks without comparing the token', LATE,
    [JUDGE, "item['fencingToken'] === seen.fencingToken &&", '']),
  bug('lists ticks once more that were done', 'a listing replayed is not listed once one of its ticks was done',
    [JUDGE, "item['fencingToken'] === seen.fencingToken &&", '']),
  bug('lists ticks without comparing the newest one done',
    'a listing changes nothing where the newest tick done is another by then',
    [JUDGE, "&& item['doneTick'] === seen.doneTick", '']),
  bug('lists ticks without comparing those that were open', ONE_OF_MANY,
    [JUDGE, "item['openTicks'] === openTicks &&", '']),
  bug('lists ticks without comparing those that had failed', ONE_OF_MANY,
    [JUDGE, "&& item['failedTicks'] === failedTicks", '']),
  bug('does not know its own listing', REPLAYED,
    [JUDGE, "if (isSame && has(listing)) return 'listed';", '']),
  bug('writes a listing over a later one', REPLAYED,
    [JUDGE, 'isSame && has(seen)', 'isSame']),
  bug('cuts off what an operator has listed', BEYOND_EIGHT,
    ['core/values/tick.ts#MOST_LISTED', '100', '8']),
  bug('cuts off at a success what an operator has listed', BEYOND_EIGHT,
    [AFTER_RUN, ', mostOf(openTicksMs, failed)', '']),
  bug('cuts off what has become open at once', FAILED_BEYOND_EIGHT,
    [AFTER_RUN, 'Math.max(keepTicks, mostOf(openTicksMs, failed))', 'mostOf(openTicksMs)']),
  bug('cuts off at a failure what an operator has listed', FAILED_BEYOND_EIGHT,
    [AFTER_RUN, 'const keep = mostFailed(failed, doneTickMs);', 'const keep = KEPT;']),
  bug('cuts off at a crash what an operator has listed', FAILED_BEYOND_EIGHT,
    ['core/record/open-ticks.ts#failedTicksAfterCrash', ', mostFailed(failed, Number(doneTick ?? 0))', '']),
];
