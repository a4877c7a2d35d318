import type { Edit } from '../seeded-bug.js';
import { bug, type ContractBug, STORE } from './contract-bug.js';

// biome-ignore format: each bug in a few rows, not each text in one
export const ACQUIRE_BUGS: readonly ContractBug[] = [
  bug('grants to everybody', 'row 44: acquire of a held lock is refused as locked and tells its holder',
    [STORE, 'judgeRefusal(claim, old, now, (lockUntil) => lockUntil <= now)', "{ status: 'unexpected' }"]),
  bug('reads first and writes later', 'F7 of twenty acquires at one instant exactly one is granted',
    [STORE, 'records.set(claim.name, record);', 'await undefined; records.set(claim.name, record);']),
  bug('does not know its own attempt', 'F1 row 8: acquire replayed is the same grant again',
    [STORE, 'judgeRefusal(claim,', "judgeRefusal({ ...claim, attemptId: '' },"]),
  bug('grants a replay anew', 'acquire replayed is no second grant: others see the first',
    [STORE,
      "if (judgement.status === 'own') return { status: 'acquired', lease: leaseOf(claim, judgement.record, sent) };",
      ''],
    [STORE, 'if (old?.attemptId === claim.attemptId) throw endedAttempt(claim.name);', '']),
  bug('takes lockedBy for the identity', 'F10 the same lockedBy does not let a second attempt in',
    [STORE, 'judgeRefusal(claim, old,',
      'judgeRefusal(claim, old?.lockedBy === claim.lockedBy ? { ...old, attemptId: claim.attemptId } : old,']),
  bug('grants an ended attempt again', 'F5 acquire replayed after its own release is not granted again',
    [STORE, 'if (old?.attemptId === claim.attemptId) throw endedAttempt(claim.name);', '']),
  bug('gives up on what it has written',
    'F6 an attempt given up while it was under way is granted, or leaves the lock free',
    [STORE, 'acquire(claim, { clock })', 'acquire(claim, { clock, signal })'],
    [STORE, 'records.set(claim.name, record);',
      'records.set(claim.name, record); await undefined; signal.throwIfAborted();']),
  bug("judges expiry by the contender's lease", 'F21 a contender with a shorter lease does not take a held lock',
    [STORE, '(lockUntil) => lockUntil <= now)', '() => (old?.lockedAt ?? 0) + claim.leaseMs <= now)']),
  bug('never takes an expired lock', 'row 27: the first acquire after expiry is granted',
    [STORE, '(lockUntil) => lockUntil <= now)', "() => old?.state !== 'held')"]),
  bug('tells no holder', 'row 44: acquire of a held lock is refused as locked and tells its holder',
    ['core/record/refusal.ts#refusedBy', 'holder: holderOf(record)', '']),
  bug('writes when it refuses', 'a refused acquire changes nothing in the record',
    [STORE, "if (judgement.status === 'refused')",
      "if (judgement.status === 'refused' && Object.assign(old, { barredAttempt: claim.attemptId }))"]),
  bug('grants longer than it is asked', 'acquire grants a name that was never used',
    [STORE, 'now + claim.leaseMs,', 'now + claim.leaseMs + 1_000,']),
  bug('reads its wall clock after the answer', 'acquire tells the instant before its first send on both clocks',
    [STORE, 'const sent = sentNow(clock); const now = sent.firstSentWall;',
      'const now = clock.now(); const sent = { ...sentNow(clock), firstSentWall: now + 5_000 };']),
  bug('reads its monotonic clock after the answer', 'extend tells the instant before its send on both clocks',
    [STORE, 'lockUntilMs: lockUntil, ...sent',
      'lockUntilMs: lockUntil, ...sent, firstSentMono: sent.firstSentMono + 5_000']),
  bug('keeps a holder as the number that it reads as',
    'F84 a holder whose name reads as a number, or as JSON, is told as it was given',
    ['core/record/transition.ts#grantFields', 'lockedBy, v:',
      'lockedBy: Number.isFinite(Number(lockedBy)) ? String(Number(lockedBy)) : lockedBy, v:']),
  bug('keeps no more of an id than others have',
    'F84 an attempt whose id ends in a trace is known again, and told to whom it refuses',
    ['core/record/transition.ts#grantFields', 'return { attemptId,', 'return { attemptId: attemptId.slice(0, 23),']),
  bug('keeps an attempt as the number that its id reads as', 'F84 an attempt whose id reads as a number is known again',
    ['core/record/transition.ts#grantFields', "attemptId, state: 'held'",
      "attemptId: Number.isFinite(Number(attemptId)) ? String(Number(attemptId)) : attemptId, state: 'held'"]),
  bug('lowers the case of names', 'F92 names that differ in case stay apart',
    keptUnder('name.toLowerCase()')),
  bug('trims names', 'F92 names with unusual characters stay apart',
    keptUnder('name.trim()')),
  bug('cuts names at a separator', 'F92 names with unusual characters stay apart',
    keptUnder("name.split('#')[0]")),
  bug('normalises names', 'F18 names that look alike stay apart',
    keptUnder("name.normalize('NFKC')")),
  bug('keeps one lock for all names', 'two names do not touch each other',
    keptUnder("'lock'")),
  bug('refuses names that every object has', 'F95 names that every object has stay apart',
    ['core/record/lock-key.ts#lockKey', 'if (problem === undefined)', 'if (problem === undefined && !(name in {}))']),
  bug('takes any name', 'F18 a name empty is refused as INVALID_NAME',
    ['core/record/lock-key.ts#lockKey', "name === '' ? nameProblem(name) : nameProblem(prefix + name)", 'undefined']),
];

/** Names that differ become one. */
function keptUnder(key: string): Edit {
  const map = `new (class extends Map {
    get(name) { return super.get(${key}); }
    set(name, record) { return super.set(${key}, record); }
  })()`;
  return ['stores/memory.ts#memoryStore', 'new Map<string, LockRecord>()', map];
}
