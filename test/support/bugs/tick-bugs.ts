import type { LockRecord } from '../../../src/core/record/lock-record.js';
import { asks, asksFor, bug, grants, refuses, type StoreBug, sees, spoils, writes } from './broken-store.js';
import { list, ticksIn, without } from './record.js';

const DONE = 'F63 a tick that is done is refused as already-executed';
const STALE = 'F66 a tick older than the last one done is refused as stale-tick';
const STILL_OPEN = 'F67 a tick whose run failed is still open';
const MARKED_AGAIN =
  'F190 an acquire that is sent again for a tick marked at the start gets its first grant, without that tick as done';
const TOLD = 'a newer tick is granted, with the last tick done';

// biome-ignore format: each bug in a few rows
export const TICK_BUGS: readonly StoreBug[] = [
  bug('compares no tick', DONE, sees('acquire', (record) => without(record, 'doneTick'))),
  bug('runs stale ticks', STALE,
    sees('acquire', (record, { tickMs = 0 }) => Number(record.doneTick) > tickMs ? without(record, 'doneTick') : record)),
  bug('calls a stale tick already-executed', STALE,
    refuses((refused) => refused.reason === 'stale-tick' ? { ...refused, reason: 'already-executed' } : refused)),
  bug('calls a done tick stale', DONE,
    refuses((refused) => refused.reason === 'already-executed' ? { ...refused, reason: 'stale-tick' } : refused)),
  bug('judges the lock before the tick', 'a tick that is done is already-executed even while the next one runs',
    refuses((refused, { state }) => state === 'held' ? { ...refused, reason: 'locked' } : refused)),
  bug('refuses a newer tick', TOLD,
    sees('acquire', (record, { tickMs }) => record.doneTick && tickMs ? { ...record, doneTick: tickMs } : record)),
  bug('marks the tick of a failed run', STILL_OPEN, asksFor('release', () => ({ markTickDone: true }))),
  bug('marks no tick', DONE, asksFor('release', () => ({ markTickDone: false }))),
  bug('marks every success', 'a success without a mark leaves its tick open',
    asksFor('release', ({ result }) => ({ markTickDone: result === 'succeeded' }))),
  bug('marks every tick at the start', ['a tick whose run crashed is still open', STILL_OPEN],
    asks('acquire', () => ({ markTickAtStart: true }))),
  bug('marks no tick at the start', 'F75 a tick marked at the start is done although its run crashed',
    asks('acquire', () => ({ markTickAtStart: false }))),
  bug('lets the last tick done go back',
    ['the last tick done never goes back', 'the success of an open tick leaves the newest tick done'],
    writes('release', (record, _before, { tickMs }, { markTickDone }) =>
      tickMs && markTickDone ? { ...record, doneTick: tickMs } : record)),
  bug('forgets the last tick done without a tick', 'a run without a tick does not forget the last tick done',
    writes('acquire', (record, _before, { tickMs }) => tickMs === undefined ? without(record, 'doneTick') : record)),
  bug('takes the latest tick for the last one done', STILL_OPEN,
    sees('acquire', (record) => record.tick ? { ...record, doneTick: record.tick } : record)),
  bug('marks the tick of a run that lost its lock', 'F57 a run that lost its lock does not mark its tick as done',
    spoils('release', ({ answer, record }, { tickMs }) =>
      answer === 'lost' && tickMs ? { record: { ...record, doneTick: tickMs } } : {})),
  bug('does not tell the last tick done', TOLD, grants((lease) => without(lease, 'doneTickMs'))),
  bug('tells the tick that a grant marks itself as the last one done',
    ['row 200: a grant that marks its tick at the start has the newest tick done before it', MARKED_AGAIN],
    grants((lease, _before, { tickMs, markTickAtStart }) => markTickAtStart && tickMs ? { ...lease, doneTickMs: tickMs } : lease)),
  bug('forgets the last tick done when an acquire is sent again',
    'row 200: an acquire that is sent again has the newest tick done before it',
    grants((lease, before, { attemptId }) => before.attemptId === attemptId ? without(lease, 'doneTickMs') : lease)),
  bug('tells an open tick of no newer one', 'row 200: a grant of an open tick has the newer tick that is done',
    grants((lease, { doneTick = 0 }, { tickMs = doneTick }) => tickMs < doneTick ? without(lease, 'doneTickMs') : lease)),
];

const FAILED = 'F74 a tick that failed is open once a newer one is done, until it is done itself';
const CRASHED = 'F74 a tick that crashed is open once a newer one is done, until it is done itself';
const MISSED = 'no tick is opened as missed that is done, or is not yet passed';
const ANY_ORDER = 'open ticks may run in any order';

// biome-ignore format: each bug in a few rows
export const OPEN_TICK_BUGS: readonly StoreBug[] = [
  bug('refuses what is open', FAILED,
    sees('acquire', (record, { tickMs = Infinity }) => tickMs < Number(record.doneTick) ? without(record, 'openTicks') : record)),
  bug('remembers no tick that failed', FAILED, asksFor('release', () => ({ markTickFailed: false }))),
  bug('remembers no tick that crashed', CRASHED,
    sees('acquire', (record) => record.state === 'held' ? without(record, 'tick') : record)),
  bug('tells a run that takes over nothing of the tick that crashed', CRASHED,
    grants((lease, { failedTicks }) => ({ ...lease, failedTicksMs: ticksIn(failedTicks) }))),
  bug('remembers no tick that was forced',
    'F74 a tick that was forced is open once a newer one is done, until it is done itself',
    writes('forceRelease', (record, { failedTicks }) => ({ ...without(record, 'failedTicks'), ...(failedTicks && { failedTicks }) }))),
  bug('opens no tick that failed', FAILED,
    asks('release', (_lease, { markTickDone }) => markTickDone ? { failedTicksMs: [] } : {})),
  bug('opens no tick that never came',
    'a tick that never came is open once a newer one is done, until it is done itself',
    asksFor('release', () => ({ missedTicksMs: [] }))),
  bug('opens ticks as missed that are done', MISSED,
    writes('release', (record, _before, _lease, { missedTicksMs = [] }) => opens(record, missedTicksMs.filter((tick) => tick < Number(record.doneTick))))),
  bug('opens ticks that it has not passed', MISSED,
    writes('release', (record, { doneTick = 0 }, _lease, { missedTicksMs = [] }) => opens(record, missedTicksMs.filter((tick) => tick > doneTick)))),
  bug('opens the tick that is done', 'a tick that failed, and was done then, is stale once a newer one is done',
    writes('release', (record, _before, { tickMs }, { markTickDone }) => opens(record, tickMs && markTickDone ? [tickMs] : []))),
  bug('leaves an open tick open when it is done', FAILED,
    writes('release', (record, { openTicks = '' }, { tickMs = 0 }) => opens(record, ticksIn(openTicks).filter((tick) => tick === tickMs)))),
  bug('closes the ticks before one that is done', ANY_ORDER,
    writes('release', (record, _before, { tickMs = 0 }, { markTickDone }) =>
      closes(record, (tick) => markTickDone && tick < tickMs))),
  bug('closes all other ticks', ANY_ORDER,
    writes('release', (record, _before, { tickMs = 0, doneTickMs = 0 }) => closes(record, () => tickMs < doneTickMs))),
  bug('closes an open tick that fails', 'an open tick that fails again stays open',
    writes('release', (record, _before, { tickMs }, { result }) => closes(record, (tick) => result === 'failed' && tick === tickMs))),
  bug('closes an open tick by its grant', 'an open tick that crashes stays open',
    writes('acquire', (record, _before, { tickMs }) => closes(record, (tick) => tick === tickMs))),
  bug('writes a release again',
    ['a late copy of the release of an open tick opens no other one again', 'F53 a release that is sent again writes nothing'],
    spoils('release', ({ answer, hasWritten, record }, { openTicksMs = [] }, _done, { clock }) => answer === 'released' && !hasWritten
      ? { record: opens({ ...record, lockUntil: Math.round(clock.now()) }, openTicksMs) } : {})),
  bug('tells a replay nothing of the ticks', 'an acquire that is sent again for an open tick returns the open ticks and the last one done',
    grants((lease, { attemptId }) => attemptId === lease.attemptId ? without(lease, 'doneTickMs', 'openTicksMs', 'failedTicksMs') : lease)),
  bug('tells a replay nothing of the tick that crashed', 'an acquire that is sent again after a takeover returns the tick that crashed',
    grants((lease, { attemptId }) => attemptId === lease.attemptId ? without(lease, 'failedTicksMs') : lease)),
  bug('forgets a newer tick that failed when an older one is done',
    'a tick that failed stays open over the success of an older one',
    writes('release', (record, _before, _lease, { markTickDone }) => markTickDone ? { ...record, failedTicks: ',' } : record)),
  bug('keeps a tick among those that failed when it is open', 'ticks that a success has passed are recorded as open',
    writes('release', (record, { failedTicks }) => failedTicks ? { ...record, failedTicks } : record)),
  bug('remembers every tick that was not done', 'a tick that is to be marked neither as done nor as failed is not open',
    asksFor('release', ({ markTickDone }) => ({ markTickFailed: !markTickDone }))),
  bug('remembers a crash only for a run that has a tick', 'a takeover that has no tick remembers the one that crashed',
    sees('acquire', (record, { tickMs }) => record.state === 'held' && !tickMs ? without(record, 'tick') : record)),
  bug('remembers the last crash alone', 'each of several crashes in a row is remembered',
    sees('acquire', (record) => record.state === 'held' ? without(record, 'failedTicks') : record)),
  bug('opens ticks without having one', 'a run without a tick changes no list',
    writes('release', (record, _before, { tickMs }, { missedTicksMs = [] }) => tickMs ? record : opens(record, missedTicksMs))),
  bug('keeps nine ticks', 'of nine ticks that failed the oldest is stale',
    writes('release', (record, { failedTicks }, { tickMs = 0 }, { result }) =>
      result === 'failed' ? { ...record, failedTicks: list([...ticksIn(failedTicks), tickMs].slice(-9)) } : record),
    asksFor('release', () => ({ keepTicks: 9 }))),
  bug('keeps seven ticks', 'of nine ticks that crashed the oldest is stale',
    writes('release', (record) => ({ ...record, openTicks: list(ticksIn(record.openTicks).slice(-7)) }))),
  bug('keeps eight failed ticks before a first one is done',
    'until a first tick is done, more than eight that failed or crashed are open',
    writes('acquire', (record) => beforeFirst(record, 8)),
    writes('release', (record) => beforeFirst(record, 8))),
  bug('keeps all failed ticks before a first one is done',
    'until a first tick is done, the newest hundred that failed are recorded',
    writes('release', (record, { failedTicks }) => beforeFirst(record, Infinity, failedTicks))),
  bug('keeps all crashed ticks before a first one is done',
    'until a first tick is done, the newest hundred that crashed are recorded',
    writes('acquire', (record, { failedTicks }) => beforeFirst(record, Infinity, failedTicks))),
  bug('names no tick that a crash has dropped',
    ['until a first tick is done, the newest hundred that crashed are recorded', 'ticks that crashed are recorded, the newest eight'],
    grants((lease) => without(lease, 'droppedTicksMs'))),
  bug('keeps the oldest ticks', 'of nine ticks that became open one after another the oldest is stale',
    writes('release', (record, { openTicks }, { tickMs }) => {
      const ticks = ticksIn(opens(record, ticksIn(openTicks)).openTicks);
      return { ...record, openTicks: list(ticks.filter((tick) => tick !== tickMs).slice(0, 8)) };
    })),
  bug('grants an open tick that is to be marked at its start',
    'an open tick is stale for a claim that marks it at its start',
    sees('acquire', (record, { tickMs = Infinity, markTickAtStart }) =>
      markTickAtStart && ticksIn(record.openTicks).includes(tickMs) ? without(record, 'doneTick') : record)),
  bug('opens a tick that was marked at its start and crashed', 'a tick marked at its start is never open again',
    writes('acquire', (record, { state, tick }) => state === 'held' && tick ? opens(record, [tick]) : record)),
  bug('opens the tick of a run that lost its lock', 'F57 a run that lost its lock does not open its tick',
    spoils('release', ({ answer, record }, { tickMs }) => answer === 'lost' && tickMs ? { record: opens(record, [tickMs]) } : {})),
  bug('takes anything for a list of ticks',
    ['openTicks', 'failedTicks'].map((wrong) => `F14 a wrong ${wrong} is a CorruptLockError that names it, and never a held lock`),
    sees('acquire', (record) => without(record, 'openTicks', 'failedTicks'))),
];

type Lists = { readonly openTicks?: string };

function opens<T extends Lists>(record: T, ticks: readonly number[]): T {
  return ticks.length === 0 ? record : { ...record, openTicks: list([...ticksIn(record.openTicks), ...ticks]) };
}

function closes<T extends Lists>(record: T, isClosed: (tick: number) => boolean): T {
  if (record.openTicks === undefined) return record;
  return { ...record, openTicks: list(ticksIn(record.openTicks).filter((tick) => !isClosed(tick))) };
}

/** While no tick is done, keeps only the last `most` failed ticks: those of the record, after `others`. */
function beforeFirst(record: LockRecord, most: number, others = ','): LockRecord {
  if (record.doneTick !== undefined || record.failedTicks === undefined) return record;
  return { ...record, failedTicks: list([...ticksIn(others), ...ticksIn(record.failedTicks)].slice(-most)) };
}
