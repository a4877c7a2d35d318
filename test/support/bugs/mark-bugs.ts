import { bug, type ContractBug, STORE } from './contract-bug.js';

const AFTER_RUN = 'core/record/open-ticks.ts#ticksAfterRun';
const AFTER_MARK = 'core/record/open-ticks.ts#ticksAfterMark';
const HELD = 'const held = heldBy(lease);';
const THIS_GRANT = 'held?.fencingToken !== lease.fencingToken';
const WRITE = 'isMarkedBy(lease, done.tickMs, held) ? { lockUntil } : fields';
const UNTIL = 'extended(held, lease, sent, done.leaseMs)';
const MARKED = 'lease: markedLease(lease, fields), ...sent';

const RECORDED = 'row 89: a mark records a tick as done while its run holds the lock';
const LISTED = 'row 89: a mark of a listed tick closes it, and leaves the newest tick done';
const BUILDS = 'marks and the release build on one another by the lease that a mark brings';
const GIVEN_UP = 'ticks that are given up with a mark are stale';
const GIVEN_UP_AT_LAST = 'ticks that are given up with a release are stale';
const FAILS = 'a run that fails while it catches up leaves its own tick and that one open';
const REPLAYED = 'mark replayed is marked, and tells where the lease ends';
const MOVES_THE_END = 'a mark moves the end of the lease to now + leaseMs';

/** Bugs of what a run does that catches up with ticks before its own. */
// biome-ignore format: each bug in a few rows, not each text in one
export const MARK_BUGS: readonly ContractBug[] = [
  bug('marks in words only', RECORDED,
    [STORE, WRITE, '{ lockUntil }']),
  bug("marks the run's own tick", RECORDED,
    [AFTER_MARK, '{ ...lease, tickMs }', 'lease']),
  bug('marks no listed tick', LISTED,
    [AFTER_MARK, 'markTickDone: true', 'markTickDone: !(tickMs < Number(lease.doneTickMs))']),
  bug('takes every older tick for one that is marked', LISTED,
    ['core/record/refusal.ts#isMarkedBy', 'doneReason({ tickMs, markTickAtStart: false }, item)',
      'doneReason({ tickMs, markTickAtStart: true }, item)']),
  bug('brings back the lease that it was given', BUILDS,
    [STORE, MARKED, 'lease, ...sent']),
  bug('brings back what was open before a mark', BUILDS,
    ['core/record/transition.ts#markedLease', ', ...ticksOf(fields)', '']),
  bug('brings back the end before a mark', MOVES_THE_END,
    ['core/record/transition.ts#markedLease', 'lockUntilMs: lockUntil, ', '']),
  bug('tells no grant what is open', 'a grant tells what a run can catch up with',
    ['core/record/open-ticks.ts#ticksOf', 'openTicksMs: openTicks === undefined ? undefined : ticksIn(openTicks),', '']),
  bug('tells no grant what has failed', 'a grant tells what a run can catch up with',
    ['core/record/open-ticks.ts#ticksOf',
      'failedTicksMs: failedTicks === undefined ? undefined : ticksIn(failedTicks),', '']),
  bug('gives up no listed tick', GIVEN_UP,
    [AFTER_RUN, 'tick !== tickMs && !givenUpTicksMs.includes(tick)', 'tick !== tickMs']),
  bug('gives up no failed tick', GIVEN_UP_AT_LAST,
    [AFTER_RUN, 'tick > doneTickMs && !givenUpTicksMs.includes(tick)', 'tick > doneTickMs']),
  bug('gives up no tick with a mark', GIVEN_UP,
    [AFTER_MARK, 'true, ...changes', 'true, ...changes, givenUpTicksMs: []']),
  bug('gives up no tick with a release', GIVEN_UP_AT_LAST,
    ['core/record/transition.ts#releaseFields', 'ticksAfterRun(lease, completion)',
      'ticksAfterRun(lease, { ...completion, givenUpTicksMs: [] })']),
  bug('keeps eight ticks, whatever a run asks for',
    'a run can keep more than eight ticks open, and no later run cuts them off',
    [AFTER_RUN, 'Math.max(keepTicks, mostOf(openTicksMs, failed))', 'mostOf(openTicksMs, failed)']),
  bug('keeps eight ticks, whatever a mark asks for', 'a mark that asks for it keeps more than eight ticks open',
    [AFTER_MARK, 'true, ...changes', 'true, ...changes, keepTicks: KEPT']),
  bug('keeps a hundred ticks where nobody asks for it', 'any other mark keeps the newest eight',
    [AFTER_RUN, 'keepTicks = KEPT', 'keepTicks = MOST_LISTED']),
  bug('remembers only its own tick of a run that failed while it caught up', FAILS,
    [AFTER_RUN, '[tickMs, failedTickMs]', '[tickMs]']),
  bug('forgets the own tick of a run that failed while it caught up', FAILS,
    [AFTER_RUN, '[tickMs, failedTickMs]', '[failedTickMs]']),
  bug('tells an end that it has not written', REPLAYED,
    [STORE, WRITE, 'isMarkedBy(lease, done.tickMs, held) ? {} : fields']),
  bug('calls a mark replayed lost', REPLAYED,
    [STORE, THIS_GRANT, `${THIS_GRANT} || isMarkedBy(lease, done.tickMs, held)`]),
  bug('closes all ticks by a mark replayed', 'mark replayed changes nothing more than the end of the lease',
    [STORE, WRITE, "isMarkedBy(lease, done.tickMs, held) ? { lockUntil, openTicks: ',' } : fields"]),
  bug('lowers the newest tick done', 'a late copy of a mark rolls no newer mark back',
    [STORE, WRITE, 'fields']),
  bug('writes a mark again', 'a late copy of a mark opens no tick again',
    [STORE, WRITE, 'fields']),
  bug('adds to the end of a lease by a mark', MOVES_THE_END,
    [STORE, UNTIL, 'Number(held.lockUntil) + done.leaseMs']),
  bug('does not extend by a mark', 'a mark keeps a lock that would have expired',
    [STORE, UNTIL, 'Number(held.lockUntil)']),
  bug('shortens a lease by a mark', 'a mark never shortens a lease',
    [STORE, UNTIL, 'wallInGrant(lease, sent.firstSentMono) + done.leaseMs']),
  bug('counts a marked lease from its grant', 'mark tells the instant before its send on both clocks',
    [STORE, MARKED, 'lease: markedLease(lease, fields)'],
    [STORE, "return { status: 'marked',",
      "return { status: 'marked', firstSentWall: lease.firstSentWall, firstSentMono: lease.firstSentMono,"]),
  bug('does not mark after expiry', 'mark late, while nobody took over, is marked',
    [STORE, HELD, 'const held = [heldBy(lease)].find((r) => r && r.lockUntil > clock.now());']),
  bug('marks after the release', 'mark after the own release is lost, and its tick stays open',
    [STORE, HELD, 'const held = records.get(lease.name);']),
  bug('marks for anybody', 'mark after a takeover is lost, and leaves the successor and the tick alone',
    [STORE, HELD, 'const held = records.get(lease.name);'],
    [STORE, THIS_GRANT, '!held']),
  bug('takes the token of a grant for its identity',
    'mark by a foreign attempt is lost, and leaves the holder and the tick alone',
    [STORE, HELD, 'const held = records.get(lease.name);']),
  bug('marks for a run that was forced to end', 'F61 mark after a force release is lost, and changes nothing',
    [STORE, HELD, 'const held = [records.get(lease.name)].find((r) => r?.lockedAt === lease.lockedAtMs);'],
    [STORE, THIS_GRANT, '!held']),
  bug('makes a record of a mark', 'mark of a record that is not there is lost, and leaves none',
    [STORE, HELD, `if (!records.has(lease.name)) records.set(lease.name, { v: 1 }); ${HELD}`]),
  bug('takes the tick that a run marks for its own',
    'a mark changes the end of the lease and the ticks, and nothing else',
    [STORE, WRITE, 'isMarkedBy(lease, done.tickMs, held) ? { lockUntil } : { ...fields, tick: done.tickMs }']),
  bug('does not write how many ticks a run has caught up with',
    'the history tells how many ticks a run has caught up with',
    ['core/record/run-ring.ts#linesOfRelease', '{ tickMs, caughtUp }', '{ tickMs }']),
  bug('cannot read the row of a run that has caught up', 'release replayed of a run that has caught up is released',
    ['core/record/run-ring.ts#ROW', '(?:\\|([\\da-z]+))?$', '$']),
];
