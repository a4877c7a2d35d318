import { free, list, ticksIn, without } from '../support/bugs/record.js';
import type { Stored } from './broken.js';
import { bug, ends, grants, leaves, operates, plays, type SimBug, sees, tells } from './sim-bug.js';

const opens = (record: Stored, ticks: readonly number[]): Stored =>
  ticks.length === 0 ? record : { ...record, openTicks: list([...ticksIn(record.openTicks), ...ticks]) };
const fails = (record: Stored, ticks: readonly number[]): Stored => ({
  ...record,
  failedTicks: list([...ticksIn(record.failedTicks), ...ticks]),
});
const keeps = (record: Stored, before: Stored, list_: 'doneTick' | 'openTicks' | 'failedTicks'): Stored => {
  const kept = before[list_];
  return { ...without(record, list_), ...(kept !== undefined && { [list_]: kept }) };
};

/** Bugs in which ticks count as done, and in which count as open. */
// biome-ignore format: each bug in a few rows
export const TICK_BUGS: readonly SimBug[] = [
  bug('a done tick is granted again', [['dynamodb', 'synchronised', 1], ['redis', 'synchronised', 2]],
    sees('acquire', (record) => without(record, 'doneTick'))),
  bug('a tick that is next is taken for one that is done', ['dynamodb', 'synchronised', 1],
    sees('acquire', (record) => record.doneTick ? { ...record, doneTick: record.doneTick + 8_000 } : record)),
  bug('with tickMark start a tick is not marked', [['dynamodb', 'synchronised', 2], ['redis', 'synchronised', 1]],
    grants((record, before) => keeps(record, before, 'doneTick'))),
  bug('a success does not mark its tick', [['dynamodb', 'synchronised', 5], ['redis', 'synchronised', 6]],
    leaves('release', (record, before) => keeps(record, before, 'doneTick'))),
  bug('a failed run marks its tick', ['dynamodb', 'synchronised', 3], ends(() => ({ markTickDone: true }))),
  bug('a success marks the ticks of a day', ['dynamodb', 'synchronised', 1],
    leaves('release', (record, before) =>
      record.doneTick && record.doneTick !== before.doneTick ? { ...record, doneTick: record.doneTick + 86_400_000 } : record)),
  bug('the success of an older tick lowers the newest one done', [['dynamodb', 'synchronised', 1], ['redis', 'synchronised', 6]],
    leaves('release', (record, _before, { asked: [{ tickMs }, { markTickDone }] }) =>
      tickMs && markTickDone ? { ...record, doneTick: tickMs } : record)),
  bug('with tickMark start a failed tick is open again', ['dynamodb', 'synchronised', 4],
    leaves('release', (record, _before, { asked: [{ tickMs }, { result }] }) =>
      tickMs && result === 'failed' ? fails(record, [tickMs]) : record)),

  bug('a success does not take its tick off the open ones', ['dynamodb', 'synchronised', 1],
    leaves('release', (record, before, { asked: [{ tickMs }] }) =>
      opens(record, ticksIn(before.openTicks).filter((tick) => tick === tickMs)))),
  bug('the tick of a failed run is forgotten', ['dynamodb', 'synchronised', 1], ends(() => ({ markTickFailed: false }))),
  bug('the tick of a grant that came too late is forgotten', ['dynamodb', 'skewed', 1],
    ends(({ durationMs }) => durationMs === 0 ? { markTickFailed: false } : {})),
  bug('ticks that failed are not open once a newer one is done', [['dynamodb', 'synchronised', 1], ['redis', 'synchronised', 6]],
    leaves('release', (record, before) => keeps(record, before, 'openTicks'))),
  bug('a release does not write the ticks that failed', [['dynamodb', 'synchronised', 1], ['redis', 'synchronised', 6]],
    leaves('release', (record, before) => keeps(record, before, 'failedTicks'))),
  bug('ticks that a success has passed stay among those that failed', ['dynamodb', 'synchronised', 1],
    leaves('release', (record, { failedTicks = ',' }) => fails(record, ticksIn(failedTicks)))),
  bug('ticks newer than a success are listed as older', ['dynamodb', 'synchronised', 3],
    leaves('release', (record, before) =>
      record.doneTick === before.doneTick ? record : opens(record, ticksIn(before.failedTicks)))),
  bug('a failed run of an older tick makes it a newer one', ['dynamodb', 'synchronised', 10],
    leaves('release', (record, _before, { asked: [{ tickMs }, { result }] }) =>
      tickMs && result === 'failed' && tickMs < Number(record.doneTick) ? fails(record, [tickMs]) : record)),
  bug('the tick of a dead holder is forgotten', [['dynamodb', 'synchronised', 20], ['redis', 'synchronised', 8]],
    grants((record, before) => keeps(record, before, 'failedTicks'))),
  bug('the tick of a dead holder is open although it is done', [['dynamodb', 'synchronised', 31], ['redis', 'synchronised', 1]],
    grants((record, { state, tick }) => state === 'held' && tick ? fails(record, [tick]) : record)),
  bug('the tick of a dead holder replaces those that failed before', [['dynamodb', 'synchronised', 90], ['redis', 'synchronised', 17]],
    sees('acquire', (record) => record.state === 'held' ? without(record, 'failedTicks') : record),
    grants((record, before) => record.failedTicks === before.failedTicks ? keeps(record, {}, 'failedTicks') : record)),
  bug('the tick of a dead holder is listed twice', [['dynamodb', 'synchronised', 45], ['redis', 'synchronised', 17]],
    grants((record, { state, tick, failedTicks }) => state === 'held' && tick && ticksIn(failedTicks).includes(tick)
      ? { ...record, failedTicks: `${record.failedTicks}${tick.toString(36)},` } : record)),
  bug('the oldest failed ticks are kept, and not the newest', ['redis', 'synchronised', 302],
    grants((record, before) => {
      const all = ticksIn(list([...ticksIn(before.failedTicks), ...ticksIn(record.failedTicks)]));
      return record.failedTicks ? { ...record, failedTicks: list(all.slice(0, 8)) } : record;
    })),
  bug('a run does not know what its takeover has written', ['dynamodb', 'synchronised', 65],
    tells((lease) => lease.previous?.status === 'crashed' && lease.failedTicksMs
      ? { ...lease, failedTicksMs: lease.failedTicksMs.filter((tick) => tick !== lease.previous?.tickMs) } : lease)),
  bug('a run whose answer was lost knows no ticks', ['dynamodb', 'synchronised', 14],
    tells((lease) => lease.previous ? lease : without(lease, 'doneTickMs', 'openTicksMs', 'failedTicksMs'))),
  bug('a tick that is refused while it is open counts as stale', ['dynamodb', 'synchronised', 16],
    plays('acquire', async (ask, asked, { item }) => {
      const answer = await ask(...asked);
      const isOlder = Number(asked[0].tickMs) < Number(item().doneTick);
      return answer.status === 'refused' && answer.reason === 'locked' && isOlder ? { ...answer, reason: 'stale-tick' as const } : answer;
    })),
  bug('an attempt for an older tick that is open is not cancelled', ['redis', 'synchronised', 29],
    leaves('acquire', (record, before, { asked: [{ tickMs }] }) =>
      record.attemptId === before.attemptId && Number(before.doneTick) >= Number(tickMs) ? before : record)),
  bug('an older tick is granted, open or not', [['dynamodb', 'synchronised', 1], ['redis', 'synchronised', 6]],
    sees('acquire', (record, { asked: [{ tickMs }] }) =>
      Number(tickMs) < Number(record.doneTick) ? opens(record, [Number(tickMs)]) : record)),
  bug('no older tick is granted', [['dynamodb', 'synchronised', 1], ['redis', 'synchronised', 6]],
    sees('acquire', (record, { asked: [{ tickMs }] }) =>
      Number(tickMs) < Number(record.doneTick) ? without(record, 'openTicks') : record)),
  bug('the oldest open ticks are kept, and not the newest', ['dynamodb', 'synchronised', 6],
    leaves('release', (record, before, { asked: [{ tickMs }] }) => {
      const all = ticksIn(opens(record, ticksIn(before.openTicks)).openTicks).filter((tick) => tick !== tickMs);
      return record.openTicks ? { ...record, openTicks: list(all.slice(0, 8)) } : record;
    })),
  bug('open ticks are kept without end', ['dynamodb', 'synchronised', 6],
    leaves('release', (record, before, { asked: [{ tickMs, failedTicksMs = [] }, { missedTicksMs = [] }] }) => {
      const passed = [...failedTicksMs, ...missedTicksMs].filter((tick) => tick > Number(before.doneTick ?? 0) && tick < Number(record.doneTick));
      return opens(record, [...ticksIn(before.openTicks), ...passed].filter((tick) => tick !== tickMs));
    })),
  bug('ticks that never came are not open', ['dynamodb', 'synchronised', 6], ends(() => ({ missedTicksMs: [] }))),
  bug('ticks that are done count as ticks that never came', ['dynamodb', 'synchronised', 6],
    leaves('release', (record, { doneTick }) =>
      doneTick && doneTick !== record.doneTick ? opens(record, [doneTick]) : record)),

  // Operators
  bug('the tick that a force release ends is forgotten', [['dynamodb', 'hostile', 9], ['redis', 'hostile', 3]],
    operates('forceRelease', (force) => without(force, 'failedTicks'))),
  bug('a tick that is done is listed as open', ['dynamodb', 'hostile', 7],
    operates('listTicks', (listing) => ({
      ...listing, openTicks: list([...ticksIn(listing.openTicks), ...[listing.seen.doneTick ?? []].flat()]),
    }))),
  bug('ticks are listed while a run holds the lock', ['dynamodb', 'hostile', 3],
    sees('get', (record) => record.state === 'held' ? free(record) : record),
    sees('listTicks', (record) => record.state === 'held' ? free(record) : record)),
  bug('a listing drops what is listed already', ['dynamodb', 'hostile', 7],
    operates('listTicks', (listing) => ({
      ...listing,
      openTicks: list(ticksIn(listing.openTicks).filter((tick) => !ticksIn(listing.seen.openTicks).includes(tick))),
    }))),
];
