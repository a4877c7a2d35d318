import { bug, type ContractBug, STORE } from './contract-bug.js';

export const TOKEN_BUGS: readonly ContractBug[] = [
  bug('counts fencing tokens from 1', 'F80 F85 the first fencing token is about the epoch millisecond', [
    STORE,
    '(kept.fencingToken ?? now) + 1',
    '(kept.fencingToken ?? 0) + 1',
  ]),
  bug('restarts the fencing token after a release', 'F52 the fencing token rises over a release', [
    STORE,
    '(kept.fencingToken ?? now) + 1',
    "kept.state === 'released' ? now - 1_000 : (kept.fencingToken ?? now) + 1",
  ]),
  bug('keeps the fencing token on a takeover', 'the fencing token rises over a crash', [
    STORE,
    '(kept.fencingToken ?? now) + 1',
    "kept.state === 'held' ? kept.fencingToken : (kept.fencingToken ?? now) + 1",
  ]),
  bug('keeps the fencing token after a failed run', 'the fencing token rises over a failed run', [
    STORE,
    '(kept.fencingToken ?? now) + 1',
    "kept.result === 'failed' ? kept.fencingToken : (kept.fencingToken ?? now) + 1",
  ]),
  bug('counts fencing tokens in fractions', 'F86 a fencing token is a safe integer', [
    STORE,
    '(kept.fencingToken ?? now) + 1',
    '(kept.fencingToken ?? now) + 0.5',
  ]),
  bug(
    'keeps fifteen digits of a fencing token',
    'F85 a token of sixteen digits rises by one and is kept to the last digit',
    [STORE, '(kept.fencingToken ?? now) + 1', 'Number(((kept.fencingToken ?? now) + 1).toPrecision(15))'],
  ),
  bug('raises the fencing token with an extension', 'an extension keeps the fencing token', [
    STORE,
    '{ ...record, lockUntil }',
    '{ ...record, lockUntil, fencingToken: record.fencingToken + 1 }',
  ]),
  bug('reports every previous run as succeeded', 'row 28: a grant reports that the run before it crashed', [
    'core/record/transition.ts#leaseOf',
    'previousRun(old)',
    "previousRun({ ...old, state: 'released', result: 'succeeded' })",
  ]),
  bug('reports every previous run as crashed', 'a grant reports that the run before it succeeded', [
    'core/record/transition.ts#leaseOf',
    'previousRun(old)',
    "previousRun({ ...old, state: 'held' })",
  ]),
  bug('reports a failed run as crashed', 'a grant reports that the run before it failed', [
    'core/record/lock-record.ts#previousRun',
    "result ?? 'failed'",
    "result === 'failed' ? 'crashed' : 'succeeded'",
  ]),
  bug('reports no previous run', 'a grant reports that the run before it succeeded', [
    'core/record/transition.ts#leaseOf',
    'old && previousRun(old)',
    'undefined',
  ]),
  bug('invents a previous run', 'the first grant of a name knows of no previous run and of no tick done', [
    'core/record/transition.ts#leaseOf',
    'old && previousRun(old)',
    "(old && previousRun(old)) ?? { status: 'succeeded', lockedBy: '', lockedAtMs: 1e12, fencingToken: 1 }",
  ]),
  bug(
    'reports a forced run by the token of the force',
    'a grant reports that the run before it was forced to end, by its own token',
    ['core/record/lock-record.ts#previousRun', "state === 'forced' ? fencingToken - 1 : fencingToken", 'fencingToken'],
  ),
  bug('reports the previous run without its tick', 'a grant reports that the run before it succeeded', [
    'core/record/lock-record.ts#previousRun',
    '...defined({ tickMs: tick })',
    '...{}',
  ]),
  bug('keeps the tick of a run before', 'a run without a tick leaves none to the next one', [
    STORE,
    'const { tick: _, ...kept } = old ?? {};',
    'const kept = old ?? {};',
  ]),
];
