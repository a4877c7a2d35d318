import { FORCE_STEP } from '../../../src/core/record/lock-record.js';
import { answers, asks, type Break, bug, plays, refuses, type StoreBug, sees, spoils, writes } from './broken-store.js';
import { hasRow, list, ticksIn, without, withRows } from './record.js';

const FORCED_ONCE = 'a force release that is sent again answers forced, and forces once';
const CORRUPT_DELETE = 'F14 a delete of a lock that is not held repairs everything in it except its token';
const WRONG_TOKEN =
  'F14 a delete of a lock with a wrong token rejects with a CorruptLockError that names it, and changes nothing';
const WRONG_END =
  'F14 a delete of a held lock with a wrong lockUntil rejects with a CorruptLockError that names it, and changes nothing';

// biome-ignore format: each bug in a few rows
export const OPERATOR_BUGS: readonly StoreBug[] = [
  bug('reports its time in seconds', 'row 179: a read and a list report the time of the store, if it reports its time',
    answers('get', (found) => found?.readMs ? { ...found, readMs: Math.floor(found.readMs / 1_000) } : found)),
  bug('ignores a pause', 'row 54: a paused lock is refused as paused and names who ran last',
    sees('acquire', (record) => without(record, 'pausedUntil'))),
  bug('never ends a pause', 'a pause until a time to come refuses, one until a time gone by does not',
    sees('acquire', (record) => record.pausedUntil ? { ...record, pausedUntil: 8e15 } : record)),
  bug('pauses by writing a new record', 'a pause keeps fencing token, previous run and last tick done',
    writes('pause', ({ pausedUntil = 0, pausedBy = '', v = 1 }) => ({ pausedUntil, pausedBy, v }))),
  bug('pauses only what has run', 'a name can be paused before its first run',
    writes('pause', (record, before) => 'state' in before ? record : before)),
  bug('resumes by emptying the record', 'resume of a lock that is not paused changes nothing',
    spoils('resume', () => ({ record: {} }))),
  bug('does not resume', ['row 54: a resumed lock is granted', 'a pause is recorded, and a resume removes it'],
    writes('resume', (_record, before) => before)),
  bug('takes the lock from a holder by a pause', 'a pause lets the running holder extend and release',
    sees('extend', (record) => record.pausedUntil ? { ...record, attemptId: 'x' } : record)),
  bug('judges the tick before a pause', 'a paused lock is refused as paused even if the tick is done',
    refuses((refused, { doneTick }) => refused.reason === 'paused' && doneTick ? { ...refused, reason: 'already-executed' } : refused)),

  bug('forces without comparing the token', 'F62 a late force release does not end a newer grant',
    sees('forceRelease', (record, { fencingToken }) => ({ ...record, fencingToken }))),
  bug('forces what is not held', 'a force release of a released lock changes nothing',
    sees('forceRelease', (record) => ({ ...record, state: 'held' }))),
  bug('forces without raising the token', 'F61 a force release raises the fencing token above the one of the run that it ends',
    writes('forceRelease', (record, { fencingToken = 0 }) => ({ ...record, fencingToken }))),
  bug('waits for the clock of the operator who forced',
    'a lock forced at an instant ahead of every clock is free',
    sees('acquire', (record) => record.state === 'forced' ? { ...without(record, 'releasedAt'), state: 'released' } : record)),
  bug('keeps the lease of the run that it forced', 'a force release fences off what was asked before it',
    writes('forceRelease', (record, { lockUntil = 0 }) => ({ ...record, lockUntil }))),
  bug('does not record the run that it forced',
    ['row 48: a run that was forced is recorded with its tick, start, duration and token', 'row 48: a run that was forced and has no tick is recorded'],
    writes('forceRelease', (record) => withRows(record, (row) => !row.startsWith('x|')))),
  bug('forgets an older run for each one that it forced',
    'row 48: the ten newest runs are kept, whether they were forced or not',
    writes('forceRelease', (record, { fencingToken = 0 }) => ({ ...record, fencingToken: fencingToken + 1 }))),
  bug('takes the instant of a force for that of the last release',
    'a force release leaves how the last run ended that gave the lock back',
    writes('forceRelease', (record) => ({ ...record, releasedAt: Number(record.lockUntil) }))),
  bug('takes the row of a forced run for one of its release',
    'F61 a run that was forced stays forced: its own release answers lost',
    answers('release', (answer, before, lease) => hasRow(before, 'x', lease) ? 'released' : answer)),
  bug('calls a replayed force changed', FORCED_ONCE,
    answers('forceRelease', (answer, { attemptId }, { adminId }) => attemptId === adminId ? 'changed' : answer)),
  bug('calls every force forced', 'a second force release finds the lock changed', answers('forceRelease', () => 'forced' as const)),
  bug('shows a record where there is none', 'get of a name that was never used is undefined',
    answers('get', (found, _before, name) => found ?? { name, item: {} })),
  bug('creates a record by forcing', 'a force release of a name never used changes nothing',
    spoils('forceRelease', ({ record }) => ({ record: { state: 'forced', ...record } }))),

  bug('makes no record by a pause that it ends', 'resume of a name paused before its first run leaves a record',
    writes('resume', (record) => without(record, 'v'))),
  bug('says of every resume that it resumed', 'resume of a name never used says so, and leaves it free',
    answers('resume', () => 'resumed' as const)),
  bug('calls a pause that is over resumed', 'resume of a pause that is over removes it, and says not-paused',
    answers('resume', (answer, { pausedUntil }) => pausedUntil ? 'resumed' : answer)),
  bug('knows a lock that was deleted', 'a deleted lock is unknown to resume, and can be paused',
    sees('resume', (record) => record.state === 'deleted' ? { ...record, state: 'released' } : record)),

  bug('deletes the record', 'a delete that is sent again answers deleted', writes('delete', () => ({}))),
  bug('drops the token of a lock that it deletes',
    'F52 the fencing token rises over a delete, even if it is ahead of every clock',
    writes('delete', (record) => without(record, 'fencingToken'))),
  bug('deletes in words only', 'a delete forgets the run before, its tick and the ticks that are done',
    writes('delete', (_record, before) => before)),
  bug('remembers the ticks of a lock that it deletes', 'a delete leaves the token, and nothing of the runs',
    writes('delete', (record, before) => ({ ...before, ...record }))),
  bug('leaves a deleted lock paused', 'a delete ends a pause',
    writes('delete', (record, { pausedUntil }) => ({ ...record, ...(pausedUntil && { pausedUntil }) }))),
  bug('keeps a lock for as long as it was before it was deleted',
    'a lock that is kept after its run is free at once when it is deleted',
    writes('delete', (record, { lockUntil = 0 }) => ({ ...record, state: 'released', lockUntil }))),
  bug('deletes without comparing the token', 'F62 a late delete leaves a newer run alone',
    sees('delete', (record, { fencingToken }) => ({ ...record, fencingToken }))),
  bug('deletes only what has a token', 'a name that was paused and never used is deleted by the token 0',
    plays('delete', async (ask, asked) => asked[0].fencingToken === 0 ? 'unknown' : ask(...asked))),
  bug('deletes by the token of the run what was forced', 'a lock that was forced is deleted by the token of the force',
    sees('delete', (record) =>
      record.state === 'forced' ? { ...record, fencingToken: Number(record.fencingToken) - FORCE_STEP } : record)),
  bug('deletes what is held', 'a lock that is held is not deleted',
    sees('delete', (record) => record.state === 'held' ? { ...record, state: 'forced' } : record)),
  bug('never deletes what its holder has left', 'a lock whose holder died is deleted, and the holder has lost it',
    plays('delete', async (ask, asked, { read }) => {
      const record = await read(asked[0].name);
      return record?.state === 'held' ? 'held' : ask(...asked);
    })),
  bug('does not know its own delete', 'a delete that is sent again answers deleted',
    answers('delete', (answer, { attemptId }, { adminId }) => attemptId === adminId ? 'unknown' : answer)),
  bug('calls every delete deleted', 'of deletes side by side exactly one has deleted', answers('delete', () => 'deleted' as const)),
  bug('makes a record by deleting', 'a delete of a name never used is unknown, and makes no record',
    spoils('delete', ({ record }) => ({ record: { state: 'deleted', ...record } }))),
  bug('keeps the bar of a lock that it deletes, also a corrupt one', CORRUPT_DELETE,
    writes('delete', (record, { barredAttempt }) => ({ ...record, ...(barredAttempt !== undefined && { barredAttempt }) }))),
  bug('takes a corrupt token for another one', WRONG_TOKEN,
    plays('delete', (ask, asked) => ask(...asked).catch(() => 'changed' as const))),
  bug('takes a held lock for one whose holder is alive, also where its end cannot be read', WRONG_END,
    plays('delete', (ask, asked) => ask(...asked).catch(() => 'held' as const))),
];

const LISTED = 'row 93: a tick that an operator lists is open until it is done';
const LATE = 'F62 a late listing changes nothing after a newer run';
const DONE_SINCE = 'a listing that is sent again changes nothing after one of its ticks was done';
const ONE_OF_MANY = 'of listings from the same look exactly one is written';
const REPLAYED = 'a listing that is sent again answers listed, and does not overwrite a later one';
const BEYOND_EIGHT = 'no run cuts off what an operator has listed beyond eight';
const FAILED_BEYOND_EIGHT = 'nor what an operator has listed as failed';

/** Bugs in how operators list ticks. */
// biome-ignore format: each bug in a few rows
export const LIST_TICK_BUGS: readonly StoreBug[] = [
  bug('lists ticks in words only', LISTED, writes('listTicks', (_record, before) => before)),
  bug('lists no tick as failed', 'row 93: a tick that an operator lists as failed is open once a newer one is done',
    asks('listTicks', () => ({ failedTicks: ',' }))),
  bug('takes no tick off', 'row 93: a tick that an operator takes off the lists is stale',
    writes('listTicks', (record, before) => ({ ...record, ...before }))),
  bug('lists ticks in a new record', 'a listing changes nothing but the lists',
    writes('listTicks', ({ state = 'released', openTicks = ',', failedTicks = ',' }) => ({ state, openTicks, failedTicks }))),
  bug('lists ticks while a run holds the lock',
    ['the ticks of a lock that is held are not listed, and its run writes its own lists', 'nor are those of a lock whose holder died'],
    sees('listTicks', (record) => record.state === 'held' ? { ...record, state: 'released' } : record)),
  bug('lists ticks only after a release', 'the ticks of a lock that was forced are listed',
    sees('listTicks', (record) => record.state === 'forced' ? { ...record, state: 'held' } : record)),
  bug('lists ticks of what has not run', 'no tick of a lock that has not run is listed',
    sees('listTicks', (record) => record.state === 'held' ? record : { ...record, state: 'released' })),
  bug('lists ticks without comparing the token', [LATE, DONE_SINCE], comparesNo('fencingToken')),
  bug('lists ticks without comparing the newest one done',
    'a listing changes nothing if the newest tick done has changed meanwhile', comparesNo('doneTick')),
  bug('lists ticks without comparing those that were open', ONE_OF_MANY, comparesNo('openTicks')),
  bug('lists ticks without comparing those that had failed', ONE_OF_MANY, comparesNo('failedTicks')),
  bug('writes a listing over a later one', REPLAYED, comparesNo('openTicks'), comparesNo('failedTicks')),
  bug('does not know its own listing', REPLAYED,
    spoils('listTicks', ({ hasWritten }) => hasWritten ? {} : { answer: 'changed' as const })),
  bug('cuts off what an operator has listed', BEYOND_EIGHT,
    asks('listTicks', ({ openTicks }) => ({ openTicks: list(ticksIn(openTicks).slice(-8)) }))),
  bug('cuts off at a success what an operator has listed', [BEYOND_EIGHT, FAILED_BEYOND_EIGHT],
    writes('release', (record) => ({ ...record, openTicks: list(ticksIn(record.openTicks).slice(-8)) }))),
  bug('cuts off at a failure what an operator has listed', FAILED_BEYOND_EIGHT,
    writes('release', (record, _before, _lease, { result }) => result === 'failed' ? newestFailed(record) : record)),
  bug('cuts off at a crash what an operator has listed', FAILED_BEYOND_EIGHT,
    writes('acquire', (record, { state }) => state === 'held' ? newestFailed(record) : record)),
];

/** Writes a listing although this attribute has changed since the operator read it. */
function comparesNo(attribute: 'fencingToken' | 'doneTick' | 'openTicks' | 'failedTicks'): Break {
  return sees('listTicks', (record, { seen }) => ({ ...without(record, attribute), ...asSeen(seen, attribute) }));
}

function asSeen(seen: object, attribute: string): object {
  return Object.fromEntries(Object.entries(seen).filter(([name]) => name === attribute));
}

function newestFailed<T extends { readonly failedTicks?: string }>(record: T): T {
  return { ...record, failedTicks: list(ticksIn(record.failedTicks).slice(-8)) };
}
