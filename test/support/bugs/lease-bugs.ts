import { CorruptLockError } from 'single-execution';
import type { Lease } from '../../../src/core/ports/lock-store.js';
import type { LockRecord } from '../../../src/core/record/lock-record.js';
import {
  answers,
  asksFor,
  type Break,
  bug,
  plays,
  refuses,
  type StoreBug,
  sees,
  spoils,
  writes,
} from './broken-store.js';
import { asHeldBy, free, hasRow, NEVER_MS, without, withRows } from './record.js';

const MOVES_THE_END = 'extend moves the end of the lease to now + leaseMs';
const ENDED = 'F36 an extend after the release of its run answers lost and locks nothing';
const TAKEN_OVER = 'F51 row 5: a release after a takeover answers lost and leaves the successor its lock';
const HELD_ON = 'row 4: after a run that succeeds the lock stays held for lockAtLeastFor from its start';
const TEN_RUNS = 'row 48: the ten newest runs are kept, newest first';

const STEPS = 'F201 row 214: the clock of the store takes no step that its leases do not allow for';

// biome-ignore format: each bug in a few rows
export const LEASE_BUGS: readonly StoreBug[] = [
  bug('rounds its clock down to a second', STEPS, tellsTime((ms) => ms - (ms % 1_000))),
  bug('rounds its clock to the nearest second', STEPS, tellsTime((ms) => Math.round(ms / 1_000) * 1_000)),
  bug('has a clock that stands still within a second', STEPS, tellsTime((ms) => ms - (ms % 1_000) + 123)),
  bug('shortens a lease', 'extend never shortens a lease', extendsTo(({ now, leaseMs }) => now + leaseMs)),
  bug('does not extend', MOVES_THE_END, extendsTo(({ lockUntil }) => lockUntil)),
  bug('adds to the end of a lease', MOVES_THE_END, extendsTo(({ lockUntil, leaseMs }) => lockUntil + leaseMs)),
  bug('does not store an extension', 'others see the extended end', writes('extend', (_record, before) => before)),
  bug('creates a record for a lease that is lost', 'F37 an extend without a record leaves no record',
    spoils('extend', ({ answer, record }, { attemptId }) =>
      answer.status === 'lost' ? { record: { attemptId, state: 'held', ...record } } : {})),
  bug('extends for anybody', 'row 25: an extend after a takeover answers lost and leaves the successor alone',
    sees('extend', (record, lease) => record.state === 'held' ? asHeldBy(record, lease) : record)),
  bug('takes the start of a grant for its identity', 'F61 an extend after a force release answers lost',
    sees('extend', (record, lease) => record.lockedAt === lease.lockedAtMs ? asHeldBy(record, lease) : record)),
  bug('extends after the release', ENDED, sees('extend', asHeldIfOwn)),
  bug('re-locks by extending', ENDED, sees('extend', asHeldIfOwn), writes('extend', (record) => ({ ...record, state: 'held' }))),
  bug('does not extend after expiry', 'a late extend succeeds if nobody took over', sees('extend', endedIfExpired)),

  bug('releases for anybody', TAKEN_OVER, sees('release', asHeldBy)),
  bug('releases whatever is held', 'a release by another attempt answers lost and leaves the holder its lock',
    sees('release', (record, lease) => record.state === 'held' ? asHeldBy(record, lease) : record)),
  bug('creates a record by releasing', 'a release without a record leaves no record',
    spoils('release', ({ record }) => ({ record: { state: 'released', ...record } }))),
  bug('does not release after expiry', 'F58 a release after expiry succeeds if nobody took over',
    sees('release', endedIfExpired)),
  bug('deletes the record on release', 'F52 a release keeps the record and writes how the run ended',
    writes('release', () => ({}))),
  bug('does not free the lock', 'release frees the lock at once',
    writes('release', (record, { lockUntil = 0 }) => ({ ...record, lockUntil }))),
  bug('waits for the clock of the host that released',
    'a lock released by a host whose clock is an hour ahead is free at once',
    sees('acquire', (record) => record.state === 'released' ? without(record, 'releasedAt') : record)),
  bug('calls a replayed release lost', 'F53 a release that is sent again answers released again',
    answers('release', (answer, { state }) => state === 'released' ? 'lost' : answer)),
  bug('forgets a release once a successor came',
    'F53 a release that is sent again while a successor runs answers released, and leaves the successor alone',
    answers('release', (answer, { attemptId }, lease) => attemptId === lease.attemptId ? answer : 'lost')),
  bug('calls every release released', TAKEN_OVER, answers('release', () => 'released' as const)),
  bug('takes the row of a crash for a release', 'F51 a release after a successor has run answers lost',
    answers('release', (answer, before, lease) => hasRow(before, 'c', lease) ? 'released' : answer)),
  bug('ignores lockAtLeastFor', HELD_ON, asksFor('release', () => ({ lockAtLeastForMs: 0 }))),
  bug('ignores the hold of a failed run', 'row 30: a failed run can hold the lock as well',
    asksFor('release', ({ result }) => result === 'failed' ? { lockAtLeastForMs: 0 } : {})),
  bug('counts lockAtLeastFor from the release', HELD_ON,
    writes('release', (record, _before, _lease, { lockAtLeastForMs }) =>
      ({ ...record, lockUntil: Number(record.releasedAt) + lockAtLeastForMs }))),
  bug('lets a hold end before the release', 'F52 a release keeps the record and writes how the run ended',
    writes('release', (record, _before, { lockedAtMs }, { lockAtLeastForMs }) =>
      ({ ...record, lockUntil: lockedAtMs + lockAtLeastForMs }))),
  bug('calls a hold locked', HELD_ON,
    refuses((refused) => refused.reason === 'lock-at-least-for' ? { ...refused, reason: 'locked' } : refused)),
  bug('never ends a hold', 'a hold that is over frees the lock',
    sees('acquire', (record) => isKept(record) ? { ...record, lockUntil: NEVER_MS } : record)),
  bug('keeps out every tick', 'row 162: a hold does not keep out a tick that was due when the run began',
    sees('acquire', (record) => isKept(record) ? { ...record, result: 'failed' } : record)),
  bug('lets every tick through', 'row 4: a hold keeps out a tick that was due after the run began',
    sees('acquire', (record) => isKept(record) ? without(record, 'tick') : record)),
  bug('lets ticks through that were due when the run ended',
    'row 162: a hold does not keep out a failed tick, even one that was due after the run began',
    sees('acquire', (record) => isKept(record) ? { ...record, lockedAt: NEVER_MS } : record)),
  bug('keeps out a failed tick', 'row 162: nor a failed tick that is marked at its start',
    sees('acquire', (record) => isKept(record) ? without(record, 'failedTicks') : record)),
  bug('keeps out ticks after a run without a tick',
    'F161 row 163: the hold of a run without a tick keeps out calls without a tick only',
    sees('acquire', (record) => isKept(record) ? { tick: 1e12, ...record } : record)),
  bug('lets ticks through after a failure', 'row 164: the hold of a failed run keeps out every tick',
    sees('acquire', (record) => isKept(record) ? { ...record, result: 'succeeded' } : record)),
  bug('lets ticks through after a failure without a tick', 'row 164: and so does the hold of a failed run without a tick',
    sees('acquire', (record) => isKept(record) && !record.tick ? { ...record, result: 'succeeded' } : record)),
];

// biome-ignore format: each bug in a few rows
export const RECORD_BUGS: readonly StoreBug[] = [
  bug('records no schedule', 'a grant with a tick records the schedule of its job, in place of an older one',
    writes('acquire', (record) => without(record, 'schedule'))),
  bug('keeps the schedule of the run before', 'a grant with a tick and without a schedule removes the schedule',
    writes('acquire', (record, { schedule }) => schedule === undefined ? record : { schedule, ...record })),
  bug('removes the schedule at a run without a tick', 'a grant without a tick leaves the schedule',
    writes('acquire', (record) => record.tick === undefined ? without(record, 'schedule') : record)),
  bug('leaves no row of a crash', 'row 28: a crashed run is recorded by the release of its successor',
    writes('release', (record) => withRows(record, (row) => !row.startsWith('c|')))),
  bug('leaves no rows', TEN_RUNS, writes('release', (record) => withRows(record, () => false))),
  bug('keeps one row', TEN_RUNS,
    writes('release', (record, _before, { fencingToken }) => withRows(record, (row) => row.includes(fencingToken.toString(36))))),
  bug('never writes over the row of a crash', 'row 48: the ten newest runs are kept, whether they crashed or not',
    writes('release', (record, before) => ({ ...record, ...rows(before, (row) => row.startsWith('c|')) }))),
  bug('keeps all rows', 'F88 a record does not grow with the number of runs',
    writes('release', (record, _before, { fencingToken }) => ({ ...record, [`r${fencingToken}`]: 's' }))),
  bug('records no duration', 'row 48: a run is recorded with its tick, start, duration and token',
    asksFor('release', () => ({ durationMs: 0 }))),
  bug('records no error', 'the error of a failed run is recorded by its name',
    writes('release', (record) => without(record, 'error'))),
  bug('records an error in full', 'F88 an error name takes at most 64 bytes',
    writes('release', (record, _before, _lease, { error }) => ({ ...record, ...(error && { error }) }))),
  bug('drops attributes that it does not know', 'F22 attributes of a later version survive every verb',
    writes('acquire', (record) => without(record, 'laterVersion'))),
  bug('records no holder', 'a grant is recorded with its holder, its times and its tick',
    writes('acquire', (record) => ({ ...record, lockedBy: 'somebody' }))),
  bug('reports corrupt as locked', 'F14 a wrong lockUntil is a CorruptLockError that names it, and never a held lock',
    onCorrupt(async () => ({ status: 'refused', reason: 'locked' }))),
  bug('takes corrupt for free', 'F15 lockUntil in seconds is a CorruptLockError that names it, and never a held lock',
    onCorrupt((grant) => grant())),
  bug('reads only what is held', 'F14 a wrong pausedUntil of a free lock causes a CorruptLockError that names it',
    onCorrupt((grant, error, { state }) => { if (state === 'held') throw error; return grant(); })),
  bug('counts beyond what numbers can tell',
    'F86 a fencing token that is not a safe integer causes a CorruptLockError, and nobody is granted the lock',
    sees('acquire', (record) => ({ ...record, fencingToken: Math.min(Number(record.fencingToken), Number.MAX_SAFE_INTEGER - 1) }))),
];

/** Whether `lockAtLeastFor` keeps the lock of a run that has ended. */
function isKept({ state, lockUntil, releasedAt }: LockRecord): boolean {
  return state === 'released' && lockUntil !== releasedAt;
}

/** Extends a lease to another end. */
function extendsTo(
  untilOf: (from: { readonly now: number; readonly lockUntil: number; readonly leaseMs: number }) => number,
): Break {
  return spoils('extend', ({ answer, before, record }, _lease, { leaseMs }, { clock }) => {
    if (answer.status === 'lost') return {};
    const lockUntilMs = untilOf({ now: clock.now(), lockUntil: Number(before.lockUntil), leaseMs });
    return { record: { ...record, lockUntil: lockUntilMs }, answer: { ...answer, lockUntilMs } };
  });
}

function asHeldIfOwn(record: LockRecord, lease: Lease): LockRecord {
  return record.attemptId === lease.attemptId ? asHeldBy(record, lease) : record;
}

/** Makes a store check whether the lease is over in a verb that must not check it. */
function endedIfExpired(
  record: LockRecord,
  _lease: unknown,
  _to: unknown,
  call: { clock: { now(): number } },
): LockRecord {
  return Number(record.lockUntil) <= call.clock.now() ? { ...record, attemptId: 'x' } : record;
}

function rows(record: LockRecord, isWanted: (row: string) => boolean): object {
  return Object.fromEntries(
    Object.entries(record).filter(([slot, row]) => /^r\d$/.test(slot) && isWanted(String(row))),
  );
}

type Acquired = ReturnType<Parameters<Parameters<typeof plays<'acquire'>>[1]>[0]>;

/** Decides what an acquire does with a corrupt record; `grant` grants the lock as if the record were empty. */
function onCorrupt(otherwise: (grant: () => Acquired, error: unknown, record: LockRecord) => Acquired): Break {
  return plays('acquire', async (ask, [claim, call], { read, write }) => {
    try {
      return await ask(claim, call);
    } catch (error) {
      if (!(error instanceof CorruptLockError)) throw error;
      const record = (await read(claim.name)) ?? {};
      const grant = async () => {
        await write(claim.name, free({}));
        return ask(claim, call);
      };
      return otherwise(grant, error, record);
    }
  });
}

/** Grants by another time than that of the caller's clock. */
function tellsTime(tell: (trueMs: number) => number): Break {
  return plays('acquire', (ask, [claim, call]) => {
    const { clock } = call;
    return ask(claim, {
      ...call,
      clock: {
        now: () => tell(clock.now()),
        monotonic: () => clock.monotonic(),
        setTimer: (...timer) => clock.setTimer(...timer),
      },
    });
  });
}
