import type { LockRecord } from '../../../src/core/record/lock-record.js';
import { isByHand } from '../../../src/core/values/names.js';
import { asks, bug, grants, plays, type StoreBug, writes } from './broken-store.js';
import { list, without } from './record.js';

const RECORDED = 'row 190: a run by hand is recorded as one, whether it succeeds or fails';
const MARKS_NONE = 'row 190: a run by hand marks no tick, and is not refused because a tick is done';
const CRASHED = 'F181 row 194: a run by hand that crashed is recorded by its successor, and opens no tick';
const AFTER_CRASH = 'row 194: a run by hand records the tick of the run that crashed before it';
const FORCED = 'F181 row 194: a run by hand that was forced is recorded as one, and opens no tick';

/** A record whose rows are changed. */
const withRows = (record: LockRecord, from: string, to: string): LockRecord => {
  const rows = Object.entries(record).filter(([field]) => /^r\d$/.test(field));
  return { ...record, ...Object.fromEntries(rows.map(([field, row]) => [field, String(row).replace(from, to)])) };
};

// biome-ignore format: each bug in a few rows
export const BY_HAND_BUGS: readonly StoreBug[] = [
  bug('does not record that a run was by hand', RECORDED, writes('release', (record) => withRows(record, '|!|', '||'))),
  bug('takes every run without a tick for one by hand', RECORDED, writes('release', (record) => withRows(record, 's||', 's|!|'))),
  bug('refuses a run by hand because a tick is done', MARKS_NONE,
    plays('acquire', async (ask, asked, { read }) => isByHand(asked[0].attemptId) && (await read(asked[0].name))?.doneTick
      ? { status: 'refused' as const, reason: 'already-executed' as const } : ask(...asked))),
  bug('marks a tick for a run by hand', MARKS_NONE,
    writes('release', (record, { doneTick = 0 }, { attemptId }) => isByHand(attemptId) ? { ...record, doneTick: doneTick + 60_000 } : record)),
  bug('opens a tick for a run by hand that fails', 'row 194: a run by hand that fails opens no tick',
    writes('release', (record, _before, { attemptId, lockedAtMs }, { result }) =>
      isByHand(attemptId) && result === 'failed' ? { ...record, failedTicks: list([lockedAtMs]) } : record)),
  bug('opens a tick for a run by hand that crashed', CRASHED,
    writes('acquire', (record, { state, attemptId, lockedAt = 0 }) =>
      state === 'held' && isByHand(attemptId) ? { ...record, failedTicks: list([lockedAt]) } : record)),
  bug('does not tell that the run that crashed was by hand', CRASHED,
    grants((lease) => lease.previous ? { ...lease, previous: without(lease.previous, 'isManual') } : lease)),
  bug('takes a run for one by hand because its successor is', AFTER_CRASH,
    grants((lease) => lease.previous && isByHand(lease.attemptId) ? { ...lease, previous: { ...lease.previous, isManual: true } } : lease)),
  bug('forgets by force that a run was by hand', FORCED, writes('forceRelease', (record) => withRows(record, 'x|!|', 'x||'))),
  bug('opens a tick for a run by hand that was forced', FORCED,
    asks('forceRelease', ({ isManual, lockedAtMs }) => isManual ? { failedTicks: list([lockedAtMs]) } : {})),
];
