import { createHash } from 'node:crypto';
import type { Lease } from '../../../src/core/ports/lock-store.js';
import { FORCE_STEP, type LockRecord } from '../../../src/core/record/lock-record.js';
import {
  answers,
  asks,
  type Break,
  brokenStore,
  bug,
  grants,
  plays,
  refuses,
  type StoreBug,
  sees,
  spoils,
  turns,
  writes,
} from './broken-store.js';
import { free, NEVER_MS, without } from './record.js';

const CRASHED = 'row 28: a grant reports that the run before it crashed';
const SUCCEEDED = 'a grant reports that the run before it succeeded';

// biome-ignore format: each bug in a few rows
export const ACQUIRE_BUGS: readonly StoreBug[] = [
  bug('grants to everybody', 'row 44: acquire of a held lock is refused as locked and names its holder',
    sees('acquire', free)),
  { ...bug('reads first and writes later', 'F7 of twenty acquires at one instant exactly one is granted'),
    make: () => brokenStore(readsFirst()) },
  bug('does not know its own attempt', 'F1 row 8: an acquire that is sent again gets its first grant',
    sees('acquire', (record, { attemptId }) => record.attemptId === attemptId ? { ...record, attemptId: 'x' } : record)),
  bug('grants a replay anew', 'an acquire that is sent again makes no second grant',
    sees('acquire', (record, { attemptId }) => record.attemptId === attemptId ? { ...free(record), attemptId: 'x' } : record)),
  bug('takes lockedBy for the identity', 'F10 a second attempt with the same lockedBy is refused',
    sees('acquire', (record, { attemptId, lockedBy }) => record.lockedBy === lockedBy ? { ...record, attemptId } : record)),
  bug('grants an ended attempt again', 'F5 an acquire that is sent again after its release is not granted',
    sees('acquire', (record) => record.state === 'held' ? record : { ...record, attemptId: 'x' })),
  bug('gives up on what it has written',
    'F6 an attempt that is given up under way is either granted, or leaves the lock free',
    plays('acquire', async (ask, [claim, call]) => {
      const answer = await ask(claim, { ...call, signal: new AbortController().signal });
      call.signal.throwIfAborted();
      return answer;
    })),
  bug("judges expiry by the contender's lease", 'F21 a contender with a shorter lease does not take a held lock',
    sees('acquire', (record, { leaseMs }) => ({ ...record, lockUntil: Number(record.lockedAt) + leaseMs }))),
  bug('never takes an expired lock', 'row 27: the first acquire after expiry is granted',
    sees('acquire', (record) => record.state === 'held' ? { ...record, lockUntil: NEVER_MS } : record)),
  bug('tells no holder', 'row 44: acquire of a held lock is refused as locked and names its holder',
    refuses((refused) => without(refused, 'holder'))),
  bug('writes when it refuses', 'a refused acquire changes nothing in the record',
    spoils('acquire', ({ answer, record }, { attemptId }) =>
      answer.status === 'refused' ? { record: { ...record, barredAttempt: attemptId } } : {})),
  bug('grants longer than it is asked', 'acquire grants a name that was never used',
    grants((lease) => ({ ...lease, lockUntilMs: lease.lockUntilMs + 1_000 }))),
  bug('reads its wall clock after the answer', 'acquire returns the instant before its first send on both clocks',
    grants((lease) => ({ ...lease, firstSentWall: lease.firstSentWall + 5_000 }))),
  bug('reads its monotonic clock after the answer', 'extend returns the instant before its send on both clocks',
    answers('extend', (answer) =>
      answer.status === 'lost' ? answer : { ...answer, firstSentMono: answer.firstSentMono + 5_000 })),
  bug('keeps a holder as the number that it reads as',
    'F84 a holder name that looks like a number or like JSON is reported unchanged',
    asks('acquire', ({ lockedBy }) => ({ lockedBy: asNumber(lockedBy) }))),
  bug('keeps no more of an id than others have',
    'F84 an attempt whose id ends in a trace is recognised, and reported to calls that it refuses',
    writes('acquire', (record) => ({ ...record, attemptId: String(record.attemptId).slice(0, 23) }))),
  bug('keeps an attempt as the number that its id reads as', 'F84 an attempt id that looks like a number is recognised',
    writes('acquire', (record) => ({ ...record, attemptId: asNumber(String(record.attemptId)) }))),
  bug('lowers the case of names', 'F92 names that differ in case stay apart', keptAs((name) => name.toLowerCase())),
  bug('trims names', 'F92 names with unusual characters stay apart', keptAs((name) => name.trim())),
  bug('cuts names at a separator', 'F92 names with unusual characters stay apart',
    keptAs((name) => String(name.split('#')[0]))),
  bug('normalises names', 'F18 names that look alike stay apart', keptAs((name) => name.normalize('NFKC'))),
  bug('keeps one lock for all names', 'two names do not touch each other', keptAs(() => 'lock')),
  bug('refuses names that every object has', 'F95 locks named like properties of every object stay apart',
    asks('acquire', ({ name }) => { if (name in {}) throw new Error(`no name: ${name}`); return {}; })),
  bug('takes any name', ['F18 a name empty is refused as INVALID_NAME', 'F18 a name with a NUL is refused as INVALID_NAME'],
    keptAs((name) => createHash('sha1').update(name).digest('hex'))),
];

// biome-ignore format: each bug in a few rows
export const TOKEN_BUGS: readonly StoreBug[] = [
  bug('counts fencing tokens from 1', 'F80 F85 the first fencing token is about the time in epoch milliseconds',
    counts((_token, { fencingToken = 0 }) => fencingToken + 1)),
  bug('restarts the fencing token after a release', 'F52 the fencing token rises over a release',
    counts((token, { state }) => state === 'released' ? token - 1_000 : token)),
  bug('keeps the fencing token on a takeover', 'the fencing token rises over a crash',
    counts((token, { state }) => state === 'held' ? token - 1 : token)),
  bug('keeps the fencing token after a failed run', 'the fencing token rises over a failed run',
    counts((token, { result }) => result === 'failed' ? token - 1 : token)),
  bug('counts fencing tokens in fractions', 'F86 a fencing token is a safe integer', counts((token) => token + 0.5)),
  bug('keeps fifteen digits of a fencing token',
    'F85 a token of sixteen digits rises by one and is kept to the last digit',
    counts((token) => Number(token.toPrecision(15)))),
  bug('raises the fencing token with an extension', 'an extension keeps the fencing token',
    writes('extend', (record) => ({ ...record, fencingToken: Number(record.fencingToken) + 1 }))),
  bug('reports every previous run as succeeded', CRASHED, tellsPast(() => ({ status: 'succeeded' }))),
  bug('reports every previous run as crashed', SUCCEEDED, tellsPast(() => ({ status: 'crashed' }))),
  bug('reports a failed run as succeeded', 'a grant reports that the run before it failed',
    tellsPast(({ status }) => ({ status: status === 'failed' ? 'succeeded' : status }))),
  bug('reports no previous run', SUCCEEDED, grants((lease) => without(lease, 'previous'))),
  bug('invents a previous run', 'the first grant of a name knows of no previous run and of no tick done',
    grants((lease) => ({
      ...lease, previous: lease.previous ?? { status: 'succeeded', lockedBy: '', lockedAtMs: 1e12, fencingToken: 1 },
    }))),
  bug('reports a forced run by the token of the force',
    'a grant reports that the run before it was forced to end, by its own token',
    tellsPast(({ status, fencingToken }) => ({ fencingToken: fencingToken + (status === 'forced' ? FORCE_STEP : 0) }))),
  bug('reports the previous run without its tick', SUCCEEDED,
    grants((lease) => lease.previous ? { ...lease, previous: without(lease.previous, 'tickMs') } : lease)),
  bug('keeps the tick of a run before', 'a run without a tick leaves none to the next one',
    writes('acquire', (record, { tick }) => tick === undefined ? record : { tick, ...record })),
];

function readsFirst(): Break {
  const later = turns();
  return plays('acquire', async (ask, asked, records) => {
    const seen = (await records.read(asked[0].name)) ?? {};
    const stale = sees('acquire', () => seen)({ acquire: ask } as never, records);
    return later(() => stale.acquire(...asked));
  });
}

function asNumber(text: string): string {
  return Number.isFinite(Number(text)) ? String(Number(text)) : text;
}

/** Keeps locks under `keyOf(name)`, so that different names can share one record. */
function keptAs(keyOf: (name: string) => string): Break {
  return (store) => {
    const keyed = <T extends { readonly name: string }>(asked: T): T => ({ ...asked, name: keyOf(asked.name) });
    return {
      ...store,
      async acquire(claim, call) {
        const answer = await store.acquire(keyed(claim), call);
        return answer.status === 'refused' ? answer : { ...answer, lease: { ...answer.lease, name: claim.name } };
      },
      extend: (lease, to, call) => store.extend(keyed(lease), to, call),
      release: (lease, completion, call) => store.release(keyed(lease), completion, call),
    };
  };
}

/** Changes the fencing token of a grant. */
function counts(tokenOf: (token: number, before: LockRecord) => number): Break {
  return spoils('acquire', ({ answer, before, record, hasWritten }) => {
    if (answer.status !== 'acquired' || !hasWritten) return {};
    const fencingToken = tokenOf(answer.lease.fencingToken, before);
    return { record: { ...record, fencingToken }, answer: { ...answer, lease: { ...answer.lease, fencingToken } } };
  });
}

type Previous = NonNullable<Lease['previous']>;

function tellsPast(change: (previous: Previous) => Partial<Previous>): Break {
  return grants((lease) =>
    lease.previous ? { ...lease, previous: { ...lease.previous, ...change(lease.previous) } } : lease,
  );
}
