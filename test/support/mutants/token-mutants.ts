import type { Lease, PreviousRun } from 'single-execution';
import type { LockRecord } from '../../../src/core/record/lock-record.js';
import { type Mutant, type Rules, SOUND } from '../mutant-store.js';

const { grant, release } = SOUND;

export const tokenMutants: readonly Mutant[] = [
  [
    'counts fencing tokens from 1',
    { grant: tokenOf((old) => (old.fencingToken ?? 0) + 1) },
    'F80 F85 the first fencing token is about the epoch millisecond',
  ],
  [
    'restarts the fencing token after a release',
    { grant: tokenOf((old, now) => (old.state === 'released' ? now - 1_000 : (old.fencingToken ?? now) + 1)) },
    'F52 the fencing token rises over a release',
  ],
  [
    'keeps the fencing token on a takeover',
    { grant: tokenOf((old, now) => (old.state === 'held' ? (old.fencingToken ?? 0) : (old.fencingToken ?? now) + 1)) },
    'the fencing token rises over a crash',
  ],
  [
    'keeps the fencing token after a failed run',
    {
      grant: tokenOf((old, now) => (old.result === 'failed' ? (old.fencingToken ?? 0) : (old.fencingToken ?? now) + 1)),
    },
    'the fencing token rises over a failed run',
  ],
  [
    'counts fencing tokens in fractions',
    { grant: tokenOf((old, now) => (old.fencingToken ?? now) + 0.5) },
    'F86 a fencing token is a safe integer',
  ],
  [
    'keeps fifteen digits of a fencing token',
    { grant: tokenOf((old, now) => Number(((old.fencingToken ?? now) + 1).toPrecision(15))) },
    'F85 a token of sixteen digits rises by one and is kept to the last digit',
  ],
  [
    'raises the fencing token with an extension',
    { extended: (record) => ({ ...record, fencingToken: (record.fencingToken ?? 0) + 1 }) },
    'an extension keeps the fencing token',
  ],
  [
    'reports every previous run as succeeded',
    { lease: previously({ status: 'succeeded' }) },
    'row 28: a grant reports that the run before it crashed',
  ],
  [
    'reports every previous run as crashed',
    { lease: previously({ status: 'crashed' }) },
    'a grant reports that the run before it succeeded',
  ],
  [
    'reports a failed run as crashed',
    {
      release: (r, l, c, now) => ({
        ...release(r, l, c, now),
        ...(c.result === 'failed' && { state: 'held', lockUntil: now }),
      }),
    },
    'a grant reports that the run before it failed',
  ],
  [
    'reports no previous run',
    { lease: ({ previous: _, ...l }) => l },
    'a grant reports that the run before it succeeded',
  ],
  [
    'invents a previous run',
    {
      lease: (l) => ({
        ...l,
        previous: l.previous ?? { status: 'succeeded', lockedBy: '', lockedAtMs: 1e12, fencingToken: 1 },
      }),
    },
    'the first grant of a name knows of no previous run and of no tick done',
  ],
  [
    'reports a forced run by the token of the force',
    { lease: ofTheForce },
    'a grant reports that the run before it was forced to end, by its own token',
  ],
  [
    'reports the previous run without its tick',
    { lease: ({ previous, ...l }) => ({ ...l, ...(previous && { previous: withoutTick(previous) }) }) },
    'a grant reports that the run before it succeeded',
  ],
  [
    'keeps the tick of a run before',
    {
      grant: (c, old, now) => ({
        ...grant(c, old, now),
        ...(c.tickMs === undefined && old.tick !== undefined && { tick: old.tick }),
      }),
    },
    'a run without a tick leaves none to the next one',
  ],
];

function tokenOf(count: (old: LockRecord, now: number) => number): Rules['grant'] {
  return (claim, old, now) => ({ ...grant(claim, old, now), fencingToken: count(old, now) });
}

function previously(lie: Partial<PreviousRun>): Rules['lease'] {
  return (lease) => (lease.previous ? { ...lease, previous: { ...lease.previous, ...lie } } : lease);
}

function ofTheForce(lease: Lease): Lease {
  const { status, fencingToken = 0 } = lease.previous ?? {};
  return status === 'forced' ? previously({ fencingToken: fencingToken + 1 })(lease) : lease;
}

function withoutTick({ tickMs: _, ...previous }: PreviousRun): PreviousRun {
  return previous;
}
