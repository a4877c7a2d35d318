import type { Execution } from 'single-execution';
import type { Lease } from '../../src/core/ports/lock-store.js';
import { asHeldBy, without } from '../support/bugs/record.js';
import type { Breaks } from './broken.js';
import { bug, ends, leaves, plays, type SimBug, sees, tells } from './sim-bug.js';

/** Bugs in how runs catch up with older ticks. */
// biome-ignore format: each bug in a few rows
export const CATCH_UP_BUGS: readonly SimBug[] = [
  bug('a mark does not ask whether its tick is open', ['dynamodb', 'synchronised', 123],
    sees('mark', (record) => without(record, 'doneTick'))),
  bug('anybody may mark', [['dynamodb', 'hostile', 315], ['redis', 'hostile', 8]],
    sees('mark', (record, { asked: [lease] }) => asHeldBy(record, lease))),
  bug('a mark that went unanswered counts', ['dynamodb', 'synchronised', 60],
    plays('mark', (ask, [lease, done, call]) => ask(lease, done, call).catch(() => ({
      status: 'marked' as const, lease, firstSentMono: lease.firstSentMono, firstSentWall: lease.firstSentWall,
    })))),
  bug('a mark moves the end of the lease for its run alone', ['redis', 'synchronised', 262],
    leaves('mark', (record, { lockUntil = 0 }) => ({ ...record, lockUntil }))),
  bug('a mark does not write the newest tick done', ['redis', 'synchronised', 15],
    leaves('mark', (record, { doneTick }) => ({ ...without(record, 'doneTick'), ...(doneTick && { doneTick }) }))),
  bug('a mark does not write the open ticks', ['redis', 'synchronised', 15],
    leaves('mark', (record, { openTicks }) => ({ ...without(record, 'openTicks'), ...(openTicks && { openTicks }) }))),
  bug('the next mark is made from the lists of the acquire', ['dynamodb', 'synchronised', 47], fromFirst('mark')),
  bug('the release is made from the lists of the acquire', ['dynamodb', 'synchronised', 47], fromFirst('release')),
  bug('the own tick runs after one that was caught up with has failed', ['dynamodb', 'synchronised', 7],
    afterFailure((execution, own) => ({ ...execution, tick: own, isCatchUp: false }))),
  bug('after a tick that has failed the next one is caught up with', ['dynamodb', 'synchronised', 7],
    afterFailure((execution) => ({ ...execution, tick: new Date(Number(execution.tick) + 8_000) }))),
  bug('the tick at which a run that catches up has failed is forgotten', ['dynamodb', 'synchronised', 7],
    plays('release', (ask, [lease, completion, call]) => ask(lease, without(completion, 'failedTickMs'), call))),
  bug('the newest tick is caught up with first', ['dynamodb', 'synchronised', 47],
    tells((lease) => ({
      ...lease, ...(lease.openTicksMs && { openTicksMs: lease.openTicksMs.slice(-1) }),
      ...(lease.failedTicksMs && { failedTicksMs: lease.failedTicksMs.slice(-1) }),
    }))),
  bug('a run catches up with more than max', ['dynamodb', 'synchronised', 7], catchesUp(({ max }) => ({ max: max + 1 }))),
  bug('ticks that are too old are caught up with', ['dynamodb', 'synchronised', 7], catchesUp(({ within }) => ({ within: 10 * within }))),
  bug('ticks over max are forgotten', ['dynamodb', 'synchronised', 7], ends(({ keepTicks }) => keepTicks ? { missedTicksMs: [] } : {})),
  bug('ticks over max are cut to eight', ['dynamodb', 'synchronised', 47],
    plays('release', (ask, [lease, completion, call]) => ask(lease, without(completion, 'keepTicks'), call)),
    plays('mark', (ask, [lease, done, call]) => ask(lease, without(done, 'keepTicks'), call))),
  bug('the own tick closes a gap that is too long to be listed', ['dynamodb', 'synchronised', 47],
    ends(({ error }) => error === 'RunEndedError' ? { result: 'succeeded', markTickDone: true } : {})),
  bug('ticks that are given up stay open', ['dynamodb', 'synchronised', 7],
    ends(() => ({ givenUpTicksMs: [] })),
    plays('mark', (ask, [lease, done, call]) => ask(lease, { ...done, givenUpTicksMs: [] }, call))),
  bug('ticks that never came after the first one failed are forgotten', ['dynamodb', 'synchronised', 20],
    fromFirst('release', true),
    tells((lease) => lease.doneTickMs ? lease : without(lease, 'failedTicksMs'))),
];

/**
 * A verb gets the lists of ticks as they were at the grant of its run. With `isOnlyMissing`, only missing lists are
 * filled in.
 */
function fromFirst(verb: 'mark' | 'release', isOnlyMissing = false): Breaks {
  const granted = new Map<string, Lease>();
  const first = (lease: Lease): Lease => {
    const { doneTickMs, openTicksMs, failedTicksMs } = granted.get(lease.attemptId) ?? lease;
    const lists = {
      ...(doneTickMs !== undefined && { doneTickMs }),
      ...(openTicksMs !== undefined && { openTicksMs }),
      ...(failedTicksMs !== undefined && { failedTicksMs }),
    };
    return isOnlyMissing
      ? { ...lists, ...lease }
      : { ...without(lease, 'doneTickMs', 'openTicksMs', 'failedTicksMs'), ...lists };
  };
  const remembers = tells((lease) => {
    granted.set(lease.attemptId, lease);
    return lease;
  });
  const asks =
    verb === 'mark'
      ? plays('mark', (ask, [lease, ...rest]) => ask(first(lease), ...rest))
      : plays('release', (ask, [lease, ...rest]) => ask(first(lease), ...rest));
  return { store: (store, place) => asks.store?.(remembers.store?.(store, place) ?? store, place) ?? store };
}

/** If the task fails for a tick that it catches up with, it runs once more, with the execution that `other` makes. */
function afterFailure(other: (execution: Execution, own: Date) => Execution): Breaks {
  return {
    execute: (execute) => (task, options) =>
      execute(async (execution) => {
        try {
          return await task(execution);
        } catch (error) {
          if (execution.isCatchUp) await task(other(execution, new Date(Number(options.tick))));
          throw error;
        }
      }, options),
  };
}

function catchesUp(
  change: (asked: { readonly max: number; readonly within: number }) => Partial<{ max: number; within: number }>,
): Breaks {
  return {
    execute: (execute) => (task, options) => {
      const { catchUp } = options as { catchUp?: { max: number; within: number } };
      return execute(task, catchUp ? ({ ...options, catchUp: { ...catchUp, ...change(catchUp) } } as never) : options);
    },
  };
}
