import { bugsOf, type SimBug } from './sim-bug.js';

const bug = bugsOf('election');

// biome-ignore format: each bug in a few rows, not each text in one
export const ELECTION_BUGS: readonly SimBug[] = [
  bug('a leader that has lost the lock is not told', 'hostile', 1,
    ['leader/term.ts#termOf',
      "held.addEventListener('abort', () => term.abort(held.reason), { once: true }); if (held.aborted) term.abort(held.reason);",
      '']),
  bug('a leader does not look at its clocks', 'hostile', 1,
    ['leader/term.ts#termOf', 'watchedController(() => held.aborted)', 'watchedController(() => false)']),
  bug('one who stops goes on', 'synchronised', 1,
    ['leader/election.ts#createLeaderElection', 'mine?.abort();', '']),
  bug('one who has failed does not stand again', 'synchronised', 34,
    ['leader/standing.ts#stand', '// The observers were told. The next try may succeed.', 'return;']),
  bug('one who leads does not check in', 'synchronised', 1,
    ['leader/check-in.ts#checkInsOf', 'while (!shutdown.aborted) { try { const checkIn',
      'while (!shutdown.aborted && !isLeader()) { try { const checkIn']),
  bug('the leader takes the living off the list', 'synchronised', 9,
    ['leader/check-in.ts#checkInsOf', 'checkedInMs < forgottenMs', 'checkedInMs > forgottenMs']),
];
