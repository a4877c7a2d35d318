import type { Claim } from 'single-execution';
import type { LockRecord } from '../../../src/core/record/lock-record.js';
import { type Judgement, judgeRefusal } from '../../../src/core/record/refusal.js';
import { type Mutant, SOUND } from '../mutant-store.js';

const { judge, grant, sent } = SOUND;

export const acquireMutants: readonly Mutant[] = [
  [
    'grants to everybody',
    { judge: () => ({ kind: 'unexpected' }) },
    'row 44: acquire of a held lock is refused as locked and tells its holder',
  ],
  [
    'reads first and writes later',
    { gap: () => Promise.resolve() },
    'F7 of twenty acquires at one instant exactly one is granted',
  ],
  [
    'does not know its own attempt',
    { judge: (c, record, now) => judge({ ...c, attemptId: '' }, record, now) },
    'F1 row 8: acquire replayed is the same grant again',
  ],
  [
    'grants a replay anew',
    { judge: (...args) => ownIsFree(judge(...args)), endsAttempts: false },
    'acquire replayed is no second grant: others see the first',
  ],
  [
    'takes lockedBy for the identity',
    { judge: (c, record, now) => judge(c, sameHolder(c, record), now) },
    'F10 the same lockedBy does not let a second attempt in',
  ],
  [
    'grants an ended attempt again',
    { endsAttempts: false },
    'F5 acquire replayed after its own release is not granted again',
  ],
  [
    'gives up on what it has written',
    { answer: (signal) => Promise.resolve().then(() => signal.throwIfAborted()) },
    'F6 an attempt given up while it was under way is granted, or leaves the lock free',
  ],
  [
    "judges expiry by the contender's lease",
    { judge: expiryByContender },
    'F21 a contender with a shorter lease does not take a held lock',
  ],
  [
    'never takes an expired lock',
    { judge: (c, record, now) => judgeRefusal(c, record, now, () => record?.state !== 'held') },
    'row 27: the first acquire after expiry is granted',
  ],
  [
    'tells no holder',
    { judge: (...args) => withoutHolder(judge(...args)) },
    'row 44: acquire of a held lock is refused as locked and tells its holder',
  ],
  ['writes when it refuses', { judge: scribble }, 'a refused acquire changes nothing in the record'],
  [
    'grants longer than it is asked',
    { grant: (c, old, now) => grant({ ...c, leaseMs: c.leaseMs + 1_000 }, old, now) },
    'acquire grants a name that was never used',
  ],
  [
    'reads its wall clock after the answer',
    { sent: (clock) => ({ ...sent(clock), firstSentWall: clock.now() + 5_000 }) },
    'acquire tells the instant before its first send on both clocks',
  ],
  [
    'reads its monotonic clock after the answer',
    { sent: (clock) => ({ ...sent(clock), firstSentMono: clock.monotonic() + 5_000 }) },
    'extend tells the instant before its send on both clocks',
  ],
  [
    'keeps a holder as the number that it reads as',
    { grant: (c, old, now) => grant({ ...c, lockedBy: asNumber(c.lockedBy) }, old, now) },
    'F84 a holder whose name reads as a number, or as JSON, is told as it was given',
  ],
  [
    'keeps an attempt as the number that its id reads as',
    { grant: (c, old, now) => grant({ ...c, attemptId: asNumber(c.attemptId) }, old, now) },
    'F84 an attempt whose id reads as a number is known again',
  ],
  ['lowers the case of names', { key: (name) => name.toLowerCase() }, 'F92 names that differ in case stay apart'],
  ['trims names', { key: (name) => name.trim() }, 'F92 names with unusual characters stay apart'],
  [
    'cuts names at a separator',
    { key: (name) => name.split('#')[0] ?? '' },
    'F92 names with unusual characters stay apart',
  ],
  ['normalises names', { key: (name) => name.normalize('NFKC') }, 'F18 names that look alike stay apart'],
  ['keeps one lock for all names', { key: () => 'lock' }, 'two names do not touch each other'],
  [
    'refuses names that every object has',
    { checkName: (name) => void (name in {} && SOUND.checkName('')) },
    'F95 names that every object has stay apart',
  ],
  ['takes any name', { checkName: () => {} }, 'F18 a name empty is refused as INVALID_NAME'],
];

/** The text that a number leaves which was read out of a text. */
function asNumber(text: string): string {
  return Number.isFinite(Number(text)) ? String(Number(text)) : text;
}

function ownIsFree(judgement: Judgement): Judgement {
  return judgement.kind === 'own' ? { kind: 'unexpected' } : judgement;
}

function sameHolder(claim: Claim, record: LockRecord | undefined): LockRecord | undefined {
  return record?.lockedBy === claim.lockedBy ? { ...record, attemptId: claim.attemptId } : record;
}

function expiryByContender(claim: Claim, record: LockRecord | undefined, now: number): Judgement {
  return judgeRefusal(claim, record, now, () => (record?.lockedAt ?? 0) + claim.leaseMs <= now);
}

function withoutHolder(judgement: Judgement): Judgement {
  return judgement.kind === 'refused' ? { kind: 'refused', why: { reason: judgement.why.reason } } : judgement;
}

function scribble(claim: Claim, record: LockRecord | undefined, now: number): Judgement {
  const judgement = judge(claim, record, now);
  if (judgement.kind === 'refused' && record) Object.assign(record, { barredAttempt: claim.attemptId });
  return judgement;
}
