import { type Mutant, mutantsOf } from './mutant.js';

const ELECTION = 'leader/election.ts';

const mutant = mutantsOf('election');

export const ELECTION_MUTANTS: readonly Mutant[] = [
  mutant('a leader that has lost the lock is not told', 'hostile', [
    ELECTION,
    "    held.addEventListener('abort', () => term.abort(held.reason), { once: true });\n    if (held.aborted) term.abort(held.reason);\n",
    '',
  ]),
  mutant('a leader does not look at its clocks', 'hostile', [ELECTION, '    leadership?.assertLeader();\n', '']),
  mutant('one who stops goes on', 'synchronised', [ELECTION, '      mine?.abort();\n', '']),
  mutant('one who has failed does not stand again', 'synchronised', [
    ELECTION,
    '        // It has been told of. The next try may fare better.\n',
    '        return;\n',
  ]),
  mutant('one who leads does not check in', 'synchronised', [
    ELECTION,
    'while (!shutdown.aborted) {\n      try {\n        const checkIn',
    'while (!shutdown.aborted && !current) {\n      try {\n        const checkIn',
  ]),
  mutant('the leader takes the living off the list', 'synchronised', [
    ELECTION,
    'checkedInMs < forgottenMs',
    'checkedInMs > forgottenMs',
  ]),
];
