import type { DeleteResult } from '../../../src/core/ports/lock-admin-store.js';
import { deletedRecord } from '../../../src/core/record/deletion.js';
import type { LockRecord } from '../../../src/core/record/lock-record.js';
import { type Mutant, SOUND } from '../mutant-store.js';

const { judge, mayExtend, forced, judgeDeletion, deleted } = SOUND;

export const operatorMutants: readonly Mutant[] = [
  [
    'ignores a pause',
    { judge: (c, record, now) => judge(c, record && { ...record, pausedUntil: 0 }, now) },
    'row 54: a paused lock is refused as paused and tells who ran last',
  ],
  [
    'never ends a pause',
    { judge: (c, record, now) => judge(c, record, record?.pausedUntil === undefined ? now : 0) },
    'a pause until a time to come refuses, one until a time gone by does not',
  ],
  [
    'pauses by writing a new record',
    { paused: (_, { untilMs, by }) => ({ pausedUntil: untilMs, pausedBy: by, v: 1 }) },
    'a pause keeps fencing token, previous run and last tick done',
  ],
  [
    'pauses only what has run',
    { paused: (record, ...rest) => (record ? SOUND.paused(record, ...rest) : {}) },
    'a name can be paused before its first run',
  ],
  ['resumes by emptying the record', { resumed: () => ({}) }, 'resume of a lock that is not paused changes nothing'],
  ['does not resume', { resumed: (record) => record }, 'row 54: a resumed lock is granted'],
  [
    'takes the lock from a holder by a pause',
    { mayExtend: (r, l, now) => r?.pausedUntil === undefined && mayExtend(r, l, now) },
    'a pause lets the running holder extend and release',
  ],
  [
    'judges the tick before a pause',
    {
      judge: (c, record, now) =>
        record?.doneTick === c.tickMs && c.tickMs !== undefined
          ? judge(c, { ...record, pausedUntil: 0 }, now)
          : judge(c, record, now),
    },
    'a pause is told before the tick that is done',
  ],
  [
    'forces without comparing the token',
    { mayForce: (record) => record?.state === 'held' },
    'F62 a force release late does not end a newer grant',
  ],
  [
    'forces what is not held',
    { mayForce: (record, token) => record?.fencingToken === token },
    'a force release of a released lock changes nothing',
  ],
  [
    'forces without raising the token',
    { forced: (record, force) => ({ ...forced(record, force), fencingToken: force.fencingToken }) },
    'F61 a force release raises the fencing token above that of the run it ends',
  ],
  [
    'waits for the clock of the operator who forced',
    { judge: (c, record, now) => judge(c, record?.state === 'forced' ? { ...record, state: 'held' } : record, now) },
    'a lock forced at an instant that every clock has yet to reach is free',
  ],
  [
    'fences a forced lock at the start of the run that it ended',
    { forced: (record, force) => ({ ...forced(record, force), lockUntil: force.lockedAtMs + 1 }) },
    'a force release fences off what was asked before it',
  ],
  [
    'does not record when it forced',
    { forced: (...args) => untimed(forced(...args)) },
    'a force release is recorded with its time',
  ],
  ['calls a replayed force changed', { isForced: () => false }, 'a force release replayed is forced, once'],
  ['calls every force forced', { isForced: () => true }, 'a second force release finds the lock changed'],
  [
    'shows a record where there is none',
    { shown: (record) => record ?? {} },
    'get of a name that was never used is undefined',
  ],
  [
    'creates a record by forcing',
    { mayForce: (record, token) => record === undefined || SOUND.mayForce(record, token) },
    'a force release of a name never used changes nothing',
  ],
  [
    'makes no record by a pause that it ends',
    { resumed: ({ v: _, pausedUntil: __, pausedBy: ___, ...record }) => record },
    'resume of a name paused before its first run leaves a record',
  ],
  [
    'says of every resume that it resumed',
    { resumeOf: () => 'resumed' },
    'resume of a name never used says so, and leaves it free',
  ],
  [
    'calls a pause that is over resumed',
    {
      resumeOf: (record) =>
        record === undefined ? 'unknown' : record.pausedUntil === undefined ? 'not-paused' : 'resumed',
    },
    'resume of a pause that is over removes it, and says not-paused',
  ],
  [
    'knows a lock that was deleted',
    { resumeOf: (record, now) => (record && SOUND.resumeOf({ ...record, state: 'released' }, now)) ?? 'unknown' },
    'a deleted lock is unknown to resume, and can be paused',
  ],
  ['deletes the record', { deleted: () => undefined }, 'a delete replayed is deleted'],
  [
    'drops the token of a lock that it deletes',
    { deleted: (record, deletion) => withoutToken(deletedRecord(deletion, record)) },
    'F52 the fencing token rises over a delete, also where no clock has come so far',
  ],
  [
    'deletes in words only',
    { deleted: (record) => record },
    'a delete forgets the run before, its tick and the ticks that are done',
  ],
  [
    'remembers the ticks of a lock that it deletes',
    { deleted: (record, deletion) => ({ ...record, ...deleted(record, deletion) }) },
    'a delete leaves the token, and nothing of the runs',
  ],
  [
    'leaves a deleted lock paused',
    { deleted: ({ pausedUntil = 0, ...record }, deletion) => ({ ...deleted(record, deletion), pausedUntil }) },
    'a delete ends a pause',
  ],
  [
    'keeps a lock for as long as it was before it was deleted',
    { deleted: (record, deletion) => ({ ...deleted(record, deletion), ...holdOf(record) }) },
    'a lock that is kept after its run is free at once when it is deleted',
  ],
  [
    'deletes without comparing the token',
    {
      judgeDeletion: (d, record, now) => judgeDeletion({ ...d, fencingToken: record?.fencingToken ?? 0 }, record, now),
    },
    'F62 a delete late leaves a newer run alone',
  ],
  [
    'deletes only what has a token',
    { judgeDeletion: (d, ...rest) => (d.fencingToken === 0 ? 'unknown' : judgeDeletion(d, ...rest)) },
    'a name that was paused and never used is deleted by the token 0',
  ],
  [
    'deletes by the token of the run what was forced',
    {
      judgeDeletion: (d, record, now) =>
        judgeDeletion({ ...d, fencingToken: d.fencingToken + (record?.state === 'forced' ? 1 : 0) }, record, now),
    },
    'a lock that was forced is deleted by the token of the force',
  ],
  [
    'deletes what is held',
    { judgeDeletion: (d, record, now) => judgeDeletion(d, record && { ...record, state: 'released' }, now) },
    'a lock that is held is not deleted',
  ],
  [
    'never deletes what its holder has left',
    { judgeDeletion: (d, record) => judgeDeletion(d, record, 0) },
    'a lock whose holder died is deleted, and the holder has lost it',
  ],
  [
    'does not know its own delete',
    { judgeDeletion: (d, ...rest) => judgeDeletion({ ...d, adminId: '' }, ...rest) },
    'a delete replayed is deleted',
  ],
  [
    'calls every delete deleted',
    { judgeDeletion: (...args) => (judgeDeletion(...args) === 'unknown' ? 'deleted' : judgeDeletion(...args)) },
    'of deletes side by side exactly one has deleted',
  ],
  [
    'makes a record by deleting',
    { judgeDeletion: (d, record, now) => (record === undefined ? 'open' : judgeDeletion(d, record, now)) },
    'a delete of a name never used is unknown, and makes no record',
  ],
  [
    'keeps the bar of a lock that it deletes, also a corrupt one',
    { deleted: (record, deletion) => ({ ...deleted(record, deletion), ...barOf(record) }) },
    'F14 a delete of a lock that is not held corrects everything that is wrong in it, except its token',
  ],
  [
    'takes a corrupt token for another one',
    { judgeDeletion: (...args) => uncorrupted('changed', () => judgeDeletion(...args)) },
    'F14 a delete of a lock whose token is wrong is a CorruptLockError that names it, and changes nothing',
  ],
  [
    'takes a held lock for one whose holder is alive, also where its end cannot be read',
    { judgeDeletion: (...args) => uncorrupted('held', () => judgeDeletion(...args)) },
    'F14 a delete of a held lock whose lockUntil is wrong is a CorruptLockError that names it, and changes nothing',
  ],
];

function barOf({ barredAttempt }: LockRecord): LockRecord {
  return barredAttempt === undefined ? {} : { barredAttempt };
}

function uncorrupted(instead: DeleteResult, judged: () => DeleteResult | 'open'): DeleteResult | 'open' {
  try {
    return judged();
  } catch {
    return instead;
  }
}

function withoutToken({ fencingToken: _, ...record }: LockRecord): LockRecord {
  return record;
}

function holdOf({ lockUntil = 0, releasedAt = 0 }: LockRecord): LockRecord {
  return { state: 'released', lockUntil, releasedAt };
}

function untimed({ releasedAt: _, ...record }: LockRecord): LockRecord {
  return record;
}
