import { isByHand } from '../../src/core/values/names.js';
import { free, list, ticksIn } from '../support/bugs/record.js';
import type { Stored } from './broken.js';
import { bug, grants, leaves, plays, type SimBug, sees } from './sim-bug.js';

/** A record whose rows are changed. */
const withRows = (record: Stored, change: (row: string) => string): Stored => {
  const rows = Object.entries(record).filter(([field]) => /^r\d$/.test(field));
  return { ...record, ...Object.fromEntries(rows.map(([field, row]) => [field, change(String(row))])) };
};

/** Bugs of runs by hand. */
// biome-ignore format: each bug in a few rows
export const BY_HAND_BUGS: readonly SimBug[] = [
  bug('a run by hand marks the tick that is due', [['dynamodb', 'synchronised', 5], ['redis', 'synchronised', 5]], {
    execute: (execute) => (task, { isManual = false, ...options }) =>
      execute(task, isManual ? { ...options, tick: Math.floor(Number(options.clock?.now()) / 8_000) * 8_000 } : options),
  }),
  bug('a run by hand is skipped when a tick is done', ['dynamodb', 'synchronised', 5],
    plays('acquire', async (ask, asked, { item }) => isByHand(asked[0].attemptId) && item().doneTick
      ? { status: 'refused' as const, reason: 'already-executed' as const } : ask(...asked))),
  bug('a run by hand that crashed opens a tick', [['dynamodb', 'synchronised', 5], ['redis', 'synchronised', 22]],
    grants((record, { state, attemptId, lockedAt = 0 }) => state === 'held' && isByHand(attemptId)
      ? { ...record, failedTicks: list([...ticksIn(record.failedTicks), lockedAt]) } : record)),
  bug('a run by hand that fails opens a tick', ['dynamodb', 'synchronised', 11],
    leaves('release', (record, _before, { asked: [{ attemptId, lockedAtMs }, { result }] }) =>
      isByHand(attemptId) && result === 'failed' ? { ...record, failedTicks: list([...ticksIn(record.failedTicks), lockedAtMs]) } : record)),
  bug('a run by hand that fails keeps its lock', [['dynamodb', 'synchronised', 11], ['sql', 'synchronised', 37]],
    plays('release', (ask, [lease, completion, call]) =>
      ask(lease, isByHand(lease.attemptId) && completion.result === 'failed' ? { ...completion, lockAtLeastForMs: 60_000 } : completion, call))),
  bug('a run by hand takes the lock of another run', ['dynamodb', 'synchronised', 5],
    sees('acquire', (record, { asked: [{ attemptId }] }) =>
      isByHand(attemptId) && record.attemptId !== attemptId && record.state === 'held' ? free(record) : record)),
  bug('the history does not show which runs were by hand', [['dynamodb', 'synchronised', 5], ['redis', 'synchronised', 5]],
    leaves('release', (record) => withRows(record, (row) => row.replace('|!|', '||')))),
  bug('the history does not show that a run that crashed was by hand', ['dynamodb', 'synchronised', 5],
    leaves('release', (record) => withRows(record, (row) => row.replace('c|!|', 'c||')))),
  bug('a run by hand keeps the tick of the run before it', [['dynamodb', 'synchronised', 5], ['redis', 'synchronised', 5]],
    grants((record, { tick }) => isByHand(record.attemptId) && tick ? { ...record, tick } : record)),
];
