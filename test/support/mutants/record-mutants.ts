import type { Claim } from 'single-execution';
import type { LockRecord } from '../../../src/core/record/lock-record.js';
import type { Judgement } from '../../../src/core/record/refusal.js';
import { type Mutant, type Rules, SOUND } from '../mutant-store.js';

const { judge, grant, release } = SOUND;

const freeIfCorrupt = corruptIs((record) => ({ kind: 'expired', record }));

export const recordMutants: readonly Mutant[] = [
  [
    'leaves no row of a crash',
    { release: (r, { previous: _, ...l }, c, now) => release(r, l, c, now) },
    'row 28: a crashed run is recorded by the release of its successor',
  ],
  [
    'leaves no rows',
    { release: (r, l, c, now) => keepRows(release(r, l, c, now), () => false) },
    'row 48: the ten newest runs are kept, newest first',
  ],
  [
    'keeps one row',
    { release: (r, l, c, now) => keepRows(release(r, l, c, now), (slot) => slot === `r${l.fencingToken % 10}`) },
    'row 48: the ten newest runs are kept, newest first',
  ],
  [
    'never writes over the row of a crash',
    { release: (r, l, c, now) => ({ ...release(r, l, c, now), ...rowsOfCrashes(r) }) },
    'row 48: the ten newest runs are kept, whether they crashed or not',
  ],
  [
    'keeps all rows',
    { release: (r, l, c, now) => ({ ...release(r, l, c, now), [`r${l.fencingToken}`]: 's' }) },
    'F88 a record does not grow with its runs',
  ],
  [
    'records no duration',
    { release: (r, l, c, now) => release(r, l, { ...c, durationMs: 0 }, now) },
    'row 48: a run is recorded with its tick, start, duration and token',
  ],
  [
    'records no error',
    { release: (r, l, { error: _, ...c }, now) => release(r, l, c, now) },
    'the error of a failed run is recorded by its name',
  ],
  [
    'records an error in full',
    { release: (r, l, c, now) => ({ ...release(r, l, c, now), ...(c.error !== undefined && { error: c.error }) }) },
    'F88 an error name takes at most 64 bytes',
  ],
  [
    'drops attributes that it does not know',
    { grant: dropUnknown },
    'F22 attributes of a later version survive every verb',
  ],
  [
    'records no holder',
    { grant: (c, old, now) => grant({ ...c, lockedBy: 'somebody' }, old, now) },
    'a grant is recorded with its holder, its times and its tick',
  ],
  [
    'reports corrupt as locked',
    { judge: corruptIs(() => ({ kind: 'refused', why: { reason: 'locked' } })) },
    'F14 a wrong lockUntil is a CorruptLockError that names it, and never a held lock',
  ],
  [
    'takes corrupt for free',
    { judge: freeIfCorrupt },
    'F15 lockUntil in seconds is a CorruptLockError that names it, and never a held lock',
  ],
  [
    'reads only what is held',
    { judge: (c, record, now) => (record?.state === 'held' ? judge : freeIfCorrupt)(c, record, now) },
    'F14 a wrong pausedUntil of a free lock is a CorruptLockError that names it',
  ],
  [
    'counts beyond what numbers can tell',
    { judge: (c, record, now) => judge(c, record && withSafeToken(record), now) },
    'F86 a fencing token that is no safe integer is a CorruptLockError, and nobody is granted the lock',
  ],
];

function keepRows(record: LockRecord = {}, isKept: (slot: string) => boolean): LockRecord {
  const kept = Object.entries(record).filter(([key]) => !/^r\d$/.test(key) || isKept(key));
  return Object.fromEntries(kept) as LockRecord;
}

function rowsOfCrashes(record: LockRecord): LockRecord {
  const kept = Object.entries(record).filter(([key, row]) => /^r\d$/.test(key) && String(row).startsWith('c'));
  return Object.fromEntries(kept) as LockRecord;
}

/** What is no number is left alone. */
function withSafeToken({ fencingToken = 0, ...record }: LockRecord): LockRecord {
  return { ...record, fencingToken: fencingToken > Number.MAX_SAFE_INTEGER ? 0 : fencingToken };
}

function dropUnknown(claim: Claim, old: LockRecord, now: number): LockRecord {
  const { laterVersion: _, ...known } = grant(claim, old, now) as LockRecord & { laterVersion?: string };
  return known;
}

function corruptIs(verdict: (record: LockRecord) => Judgement): Rules['judge'] {
  return (claim, record, now) => {
    try {
      return judge(claim, record, now);
    } catch {
      return verdict(record ?? {});
    }
  };
}
