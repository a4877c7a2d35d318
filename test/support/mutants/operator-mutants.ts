import type { LockRecord } from '../../../src/core/lock-record.js';
import { type Mutant, SOUND } from '../mutant-store.js';

const { judge, mayExtend, forced } = SOUND;

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
    { paused: (_, pausedUntil, pausedBy) => ({ pausedUntil, pausedBy }) },
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
];

function untimed({ releasedAt: _, ...record }: LockRecord): LockRecord {
  return record;
}
