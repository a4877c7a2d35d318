import type { DoneTick, Lease } from '../../../src/core/ports/lock-store.js';
import type { LockRecord } from '../../../src/core/record/lock-record.js';
import { answers, asksFor, type Break, bug, grants, type StoreBug, sees, spoils, writes } from './broken-store.js';
import { asHeldBy, list, ticksIn, without } from './record.js';

const RECORDED = 'row 89: a mark records a tick as done while its run holds the lock';
const LISTED = 'row 89: a mark of an open tick closes it, and does not change the newest tick done';
const BUILDS = 'marks and the release build on one another by the lease that a mark brings';
const GIVEN_UP = 'ticks that are given up with a mark are stale';
const GIVEN_UP_AT_LAST = 'ticks that are given up with a release are stale';
const FAILS = 'a run that fails while it catches up leaves its own tick and that one open';
const REPLAYED = 'a mark that is sent again succeeds again, and returns the end of the lease';
const MOVES_THE_END = 'a mark moves the end of the lease to now + leaseMs';
const TOLD = 'a grant returns the ticks that a run can catch up with';

/** Bugs in how a run marks older ticks that it caught up with. */
// biome-ignore format: each bug in a few rows
export const MARK_BUGS: readonly StoreBug[] = [
  bug('marks in words only', RECORDED, writes('mark', ({ lockUntil = 0 }, before) => ({ ...before, lockUntil }))),
  bug("marks the run's own tick", RECORDED, asksFor('mark', (_done, { tickMs = 0 }) => ({ tickMs }))),
  bug('marks no listed tick', LISTED,
    writes('mark', (record, { openTicks }) => ({ ...without(record, 'openTicks'), ...(openTicks && { openTicks }) }))),
  bug('brings back the lease that it was given', BUILDS, brings((_lease, given) => given)),
  bug('brings back the end before a mark', MOVES_THE_END,
    brings((lease, { lockUntilMs }) => ({ ...lease, lockUntilMs }))),
  bug('tells no grant what is open', TOLD, grants((lease) => without(lease, 'openTicksMs'))),
  bug('tells no grant what has failed', TOLD, grants((lease) => without(lease, 'failedTicksMs'))),
  bug('gives up no listed tick', GIVEN_UP, asksFor('mark', keepsSome('openTicksMs'))),
  bug('gives up no listed tick at last', GIVEN_UP_AT_LAST, asksFor('release', keepsSome('openTicksMs'))),
  bug('gives up no failed tick', GIVEN_UP, asksFor('mark', keepsSome('failedTicksMs'))),
  bug('gives up no failed tick at last', GIVEN_UP_AT_LAST, asksFor('release', keepsSome('failedTicksMs'))),
  bug('keeps eight ticks, whatever a run asks for',
    'a run can keep more than eight ticks open, and no later run cuts them off',
    asksFor('release', () => ({ keepTicks: 8 }))),
  bug('keeps eight ticks, whatever a mark asks for', 'a mark that asks for it keeps more than eight ticks open',
    asksFor('mark', () => ({ keepTicks: 8 }))),
  bug('keeps a hundred ticks where nobody asks for it', 'any other mark keeps the newest eight',
    asksFor('mark', () => ({ keepTicks: 100 }))),
  bug('remembers only its own tick of a run that failed while it caught up', FAILS,
    writes('release', (record, _before, { tickMs }) => failedBut(record, (tick) => tick === tickMs))),
  bug('forgets the own tick of a run that failed while it caught up', FAILS,
    writes('release', (record, _before, { tickMs }) => failedBut(record, (tick) => tick !== tickMs))),
  bug('tells an end that it has not written', REPLAYED, onReplay((_record, before) => ({ record: before }))),
  bug('calls a mark replayed lost', REPLAYED, onReplay(() => ({ answer: { status: 'lost' } }))),
  bug('closes all ticks by a mark replayed', 'a mark that is sent again changes only the end of the lease',
    onReplay((record) => ({ record: { ...record, openTicks: ',' } }))),
  bug('writes a mark again',
    ['a late copy of a mark rolls no newer mark back', 'a late copy of a mark opens no tick again'],
    onReplay((record, _before, { openTicksMs = [], doneTickMs = 0 }, { tickMs }) => ({ record: {
      ...record,
      doneTick: Math.max(tickMs, doneTickMs),
      openTicks: list(openTicksMs.filter((tick) => tick !== tickMs)),
    } }))),
  bug('adds to the end of a lease by a mark', MOVES_THE_END,
    marksUntil((_now, before, leaseMs) => before + leaseMs)),
  bug('does not extend by a mark', 'a mark keeps a lock that would have expired', marksUntil((_now, before) => before)),
  bug('shortens a lease by a mark', 'a mark never shortens a lease',
    marksUntil((now, _before, leaseMs) => now + leaseMs)),
  bug('counts a marked lease from its grant', 'mark returns the instant before its send on both clocks',
    answers('mark', (answer, _before, { firstSentWall, firstSentMono }) => ({ ...answer, firstSentWall, firstSentMono }))),
  bug('does not mark after expiry', 'a late mark succeeds if nobody took over',
    sees('mark', (record, _lease, _done, { clock }) =>
      Number(record.lockUntil) <= clock.now() ? { ...record, attemptId: 'x' } : record)),
  bug('marks after the release', 'a mark after the release of its run answers lost, and its tick stays open',
    sees('mark', (record) => ({ ...record, state: 'held' }))),
  bug('marks for anybody', 'a mark after a takeover answers lost, and leaves the successor and the tick alone',
    sees('mark', asHeldBy)),
  bug('takes the token of a grant for its identity',
    'a mark by another attempt answers lost, and leaves the holder and the tick alone',
    sees('mark', (record, { attemptId }) => ({ ...record, attemptId }))),
  bug('marks for a run that was forced to end', 'F61 a mark after a force release answers lost, and changes nothing',
    sees('mark', (record, lease) => record.lockedAt === lease.lockedAtMs ? asHeldBy(record, lease) : record)),
  bug('makes a record of a mark', 'a mark without a record answers lost, and leaves no record',
    spoils('mark', ({ record }) => ({ record: { v: 1, ...record } }))),
  bug('takes the tick that a run marks for its own',
    'a mark changes the end of the lease and the ticks, and nothing else',
    writes('mark', (record, _before, _lease, { tickMs }) => ({ ...record, tick: tickMs }))),
  bug('does not write how many ticks a run has caught up with',
    'the history shows how many ticks a run has caught up with',
    asksFor('release', () => ({ caughtUp: 0 }))),
  bug('cannot read the row of a run that has caught up', 'a release that is sent again after a catch-up answers released',
    answers('release', (answer, { state, attemptId }, lease, { caughtUp }) =>
      caughtUp && (state !== 'held' || attemptId !== lease.attemptId) ? 'lost' : answer)),
];

function brings(change: (lease: Lease, given: Lease) => Lease): Break {
  return answers('mark', (answer, _before, given) =>
    answer.status === 'marked' ? { ...answer, lease: change(answer.lease, given) } : answer,
  );
}

/** Does not give up ticks that are in this list of the lease. */
function keepsSome(kept: 'openTicksMs' | 'failedTicksMs') {
  return ({ givenUpTicksMs = [] }: Pick<DoneTick, 'givenUpTicksMs'>, lease: Lease) => ({
    givenUpTicksMs: givenUpTicksMs.filter((tick) => !lease[kept]?.includes(tick)),
  });
}

function failedBut(record: LockRecord, isKept: (tick: number) => boolean): LockRecord {
  return record.result === 'failed'
    ? { ...record, failedTicks: list(ticksIn(record.failedTicks).filter(isKept)) }
    : record;
}

type Spoilt = ReturnType<Parameters<typeof spoils<'mark'>>[1]>;

/** Changes the effect of a mark whose tick is already done. */
function onReplay(change: (record: LockRecord, before: LockRecord, lease: Lease, done: DoneTick) => Spoilt): Break {
  return spoils('mark', ({ answer, before, record }, lease, done) => {
    const isOpen = Number(before.doneTick ?? 0) < done.tickMs || ticksIn(before.openTicks).includes(done.tickMs);
    return answer.status === 'lost' || isOpen ? {} : change(record, before, lease, done);
  });
}

/** Changes the end of the lease that a mark sets. */
function marksUntil(untilOf: (now: number, before: number, leaseMs: number) => number): Break {
  return spoils('mark', ({ answer, before, record }, _lease, { leaseMs }, { clock }) => {
    if (answer.status === 'lost') return {};
    const lockUntilMs = untilOf(clock.now(), Number(before.lockUntil), leaseMs);
    return {
      record: { ...record, lockUntil: lockUntilMs },
      answer: { ...answer, lease: { ...answer.lease, lockUntilMs } },
    };
  });
}
