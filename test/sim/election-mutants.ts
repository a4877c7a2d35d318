import { type Mutant, mutantsOf } from './mutant.js';

const ELECTION = 'leader/election.ts';

const mutant = mutantsOf('election');

export const ELECTION_MUTANTS: readonly Mutant[] = [
  mutant('a leader that has lost the lock is not told', 'hostile', 1, [
    ELECTION,
    "    held.addEventListener('abort', () => term.abort(held.reason), { once: true });\n    if (held.aborted) term.abort(held.reason);\n",
    '',
  ]),
  mutant('a leader does not look at its clocks', 'hostile', 8, [ELECTION, '    leadership?.assertLeader();\n', '']),
  mutant('one who stops goes on', 'synchronised', 1, [ELECTION, '      mine?.abort();\n', '']),
  mutant('one who has failed does not stand again', 'synchronised', 9, [
    ELECTION,
    '        // It has been told of. The next try may fare better.\n',
    '        return;\n',
  ]),
  mutant('one who leads does not check in', 'synchronised', 1, [
    ELECTION,
    'while (!shutdown.aborted) {\n      try {\n        const checkIn',
    'while (!shutdown.aborted && !current) {\n      try {\n        const checkIn',
  ]),
  mutant('the leader takes the living off the list', 'synchronised', 2, [
    ELECTION,
    'checkedInMs < forgottenMs',
    'checkedInMs > forgottenMs',
  ]),
];
