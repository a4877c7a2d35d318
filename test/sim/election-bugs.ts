import { bugsOf, type SimBug } from './sim-bug.js';

const bug = bugsOf('election');

export const ELECTION_BUGS: readonly SimBug[] = [
  bug('a leader that has lost the lock is not told', 'hostile', 1, [
    'leader/election.ts#createLeaderElection',
    "held.addEventListener('abort', () => term.abort(held.reason), { once: true }); if (held.aborted) term.abort(held.reason);",
    '',
  ]),
  bug('a leader does not look at its clocks', 'hostile', 8, [
    'leader/election.ts#isLeading',
    'leadership?.assertLeader();',
    '',
  ]),
  bug('one who stops goes on', 'synchronised', 1, ['leader/election.ts#createLeaderElection', 'mine?.abort();', '']),
  bug('one who has failed does not stand again', 'synchronised', 9, [
    'leader/election.ts#createLeaderElection',
    '// It has been told of. The next try may fare better.',
    'return;',
  ]),
  bug('one who leads does not check in', 'synchronised', 1, [
    'leader/election.ts#createLeaderElection',
    'while (!shutdown.aborted) { try { const checkIn',
    'while (!shutdown.aborted && !current) { try { const checkIn',
  ]),
  bug('the leader takes the living off the list', 'synchronised', 2, [
    'leader/election.ts#createLeaderElection',
    'checkedInMs < forgottenMs',
    'checkedInMs > forgottenMs',
  ]),
];
