import type { LockEvent } from 'single-execution';
import type { Leadership } from 'single-execution/leader';
import type { Breaks } from './broken.js';
import { bug, plays, type SimBug } from './sim-bug.js';

// biome-ignore format: each bug in a few rows
export const ELECTION_BUGS: readonly SimBug[] = [
  bug('a leader that has lost the lock is not told', ['election', 'hostile', 15], leads(() => {})),
  bug('a leader does not look at its clocks', ['election', 'hostile', 2],
    leads((signal, heard) => signal.addEventListener('abort', () => heard.abort(signal.reason), { once: true }))),
  bug('one who stops goes on', ['election', 'synchronised', 1],
    { elect: (elect) => (options) => Object.create(elect(options), { stop: { value: async () => {} } }) }),
  bug('one who has failed does not stand again', ['election', 'synchronised', 34], {
    elect: (elect) => (options) => {
      const stops = (event: LockEvent) => { if (event.type === 'acquire-failed') void election.stop(); };
      const election = elect({ ...options, observers: [...(options.observers ?? []), stops] });
      return election;
    },
  }),
  bug('one who leads does not check in', ['election', 'synchronised', 1],
    plays('checkIn', async (ask, [checkIn, call], { item, now, host }) =>
      checkIn.member !== undefined && item().state === 'held' && item().lockedBy === host.name
        ? { nowMs: now(), members: [] } : ask(checkIn, call))),
  bug('the leader takes the living off the list', ['election', 'synchronised', 10],
    plays('checkIn', async (ask, [checkIn, call], { item, host }) => {
      const { members } = await ask(checkIn, call);
      const others = members.map(({ name }) => name).filter((name) => name !== checkIn.member);
      return ask({ ...checkIn, forget: item().lockedBy === host.name ? others : checkIn.forget }, call);
    })),
];

/** A leader and its callers learn of the end of its term only what `hear` passes on. */
function leads(hear: (signal: AbortSignal, heard: AbortController) => void): Breaks {
  return {
    elect: (elect) => (options) => {
      let term: number | undefined;
      const election = elect({
        ...options,
        async onStarted(leadership: Leadership) {
          const heard = new AbortController();
          hear(leadership.signal, heard);
          heard.signal.addEventListener('abort', () => {
            term = undefined;
          });
          term = leadership.term;
          const assertLeader = () => heard.signal.throwIfAborted();
          try {
            await options.onStarted?.({ ...leadership, signal: heard.signal, assertLeader });
          } finally {
            term = undefined;
          }
        },
      });
      return Object.create(election, { term: { get: () => term } });
    },
  };
}
