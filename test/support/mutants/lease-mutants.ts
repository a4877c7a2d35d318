import type { Lease } from 'single-execution';
import type { LockRecord } from '../../../src/core/record/lock-record.js';
import type { Judgement } from '../../../src/core/record/refusal.js';
import { type Mutant, SOUND } from '../mutant-store.js';

const { judge, release, isReleased, mayRelease, mayExtend } = SOUND;

export const leaseMutants: readonly Mutant[] = [
  ['shortens a lease', { lockUntilOf: (_, now, ms) => now + ms }, 'extend never shortens a lease'],
  [
    'does not extend',
    { lockUntilOf: (record) => record.lockUntil ?? 0 },
    'extend moves the end of the lease to now + leaseMs',
  ],
  [
    'adds to the end of a lease',
    { lockUntilOf: (record, _, ms) => (record.lockUntil ?? 0) + ms },
    'extend moves the end of the lease to now + leaseMs',
  ],
  ['does not store an extension', { extended: (_, before) => before }, 'others see the extended end'],
  [
    'creates a record for a lease that is lost',
    { lost: (record, l, now) => record ?? heldAgain(l, now) },
    'F37 extend of a record that is not there leaves none',
  ],
  [
    'extends for anybody',
    { mayExtend: (record) => record?.state === 'held' },
    'row 25: extend after a takeover is lost and leaves the successor alone',
  ],
  [
    'takes the start of a grant for its identity',
    { mayExtend: (record, l) => record?.state !== 'released' && record?.lockedAt === l.lockedAtMs },
    'F61 extend after a force release is lost',
  ],
  [
    'extends after the release',
    { mayExtend: (record, l) => record?.attemptId === l.attemptId },
    'F36 extend after the own release is lost and locks nothing',
  ],
  [
    're-locks by extending',
    {
      mayExtend: (record, l) => record?.attemptId === l.attemptId,
      extended: (record) => ({ ...record, state: 'held' }),
    },
    'F36 extend after the own release is lost and locks nothing',
  ],
  [
    'does not extend after expiry',
    { mayExtend: (record, l, now) => mayExtend(record, l, now) && (record?.lockUntil ?? 0) > now },
    'extend late, while nobody took over, is extended',
  ],
  [
    'releases for anybody',
    { mayRelease: (record) => record !== undefined },
    'F51 row 5: release after a takeover is lost and leaves the successor its lock',
  ],
  [
    'releases by lockedBy alone',
    { mayRelease: (record) => record?.state === 'held' },
    'release by a foreign attempt is lost and leaves the holder its lock',
  ],
  [
    'creates a record by releasing',
    { mayRelease: (record, l, now) => record === undefined || mayRelease(record, l, now) },
    'release of a record that is not there leaves none',
  ],
  [
    'does not release after expiry',
    { mayRelease: (record, l, now) => mayRelease(record, l, now) && (record?.lockUntil ?? 0) > now },
    'F58 release after expiry, while nobody took over, is released',
  ],
  [
    'deletes the record on release',
    { release: () => undefined },
    'F52 a release keeps the record and tells how the run ended',
  ],
  [
    'does not free the lock',
    { release: (r, l, c, now) => ({ ...release(r, l, c, now), lockUntil: l.lockUntilMs }) },
    'release frees the lock at once',
  ],
  [
    'waits for the clock of the host that released',
    { judge: (c, record, now) => judge(c, releasedBefore(record), now) },
    'a lock released by a host whose clock is an hour ahead is free at once',
  ],
  [
    'waits until its own clock has reached a release',
    { judge: (c, record, now) => judge(c, releasedBefore(record), now) },
    'a lock given back at an instant that every clock has yet to reach is free',
  ],
  ['calls a replayed release lost', { isReleased: () => false }, 'F53 release replayed is released again'],
  [
    'forgets a release once a successor came',
    { isReleased: (record, l) => record.attemptId === l.attemptId },
    'F53 release replayed while a successor runs is released, and leaves it alone',
  ],
  [
    'calls every release released',
    { isReleased: () => true },
    'F51 row 5: release after a takeover is lost and leaves the successor its lock',
  ],
  [
    'takes the row of a crash for a release',
    { isReleased: (record, l) => isReleased(record, l) || record[`r${l.fencingToken % 10}`] !== undefined },
    'F51 release after a successor has come and gone is lost',
  ],
  [
    'writes a replayed release again',
    { mayRelease: (record, l) => record?.attemptId === l.attemptId },
    'F53 release replayed writes nothing',
  ],
  [
    'ignores lockAtLeastFor',
    { release: (r, l, c, now) => release(r, l, { ...c, lockAtLeastForMs: 0 }, now) },
    'row 4: a run that succeeds holds the lock at least so long after its start',
  ],
  [
    'ignores the hold of a failed run',
    {
      release: (r, l, c, now) =>
        release(r, l, { ...c, lockAtLeastForMs: c.result === 'failed' ? 0 : c.lockAtLeastForMs }, now),
    },
    'row 30: a failed run can be told to hold the lock as well',
  ],
  [
    'counts lockAtLeastFor from the release',
    { release: (r, l, c, now) => release(r, { ...l, lockedAtMs: now }, c, now) },
    'row 4: a run that succeeds holds the lock at least so long after its start',
  ],
  [
    'lets a hold end before the release',
    { release: (r, l, c, now) => ({ ...release(r, l, c, now), lockUntil: l.lockedAtMs + c.lockAtLeastForMs }) },
    'F52 a release keeps the record and tells how the run ended',
  ],
  [
    'calls a hold locked',
    { judge: (...args) => holdIsLocked(judge(...args)) },
    'row 4: a run that succeeds holds the lock at least so long after its start',
  ],
  [
    'never ends a hold',
    { judge: (c, record, now) => judge(c, endless(record), now) },
    'a hold that is over frees the lock',
  ],
];

function heldAgain({ attemptId, fencingToken }: Lease, now: number): LockRecord {
  return { attemptId, fencingToken, state: 'held', lockedAt: now, lockUntil: now + 60_000 };
}

function holdIsLocked(judgement: Judgement): Judgement {
  if (judgement.kind !== 'refused' || judgement.why.reason !== 'lock-at-least-for') return judgement;
  return { kind: 'refused', why: { ...judgement.why, reason: 'locked' } };
}

function releasedBefore(record: LockRecord | undefined): LockRecord | undefined {
  return record?.state === 'released' && record.lockUntil === record.releasedAt
    ? { ...record, releasedAt: 1e12 }
    : record;
}

function endless(record: LockRecord | undefined): LockRecord | undefined {
  const isHold = record?.state === 'released' && record.lockUntil !== record.releasedAt;
  return isHold ? { ...record, lockUntil: 9e13 } : record;
}
