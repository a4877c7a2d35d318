import { bug, type ContractBug, STORE } from './contract-bug.js';

export const RECORD_BUGS: readonly ContractBug[] = [
  bug('leaves no row of a crash', 'row 28: a crashed run is recorded by the release of its successor', [
    'core/record/run-ring.ts#linesOfRelease',
    "previous?.status === 'crashed' &&",
    'false &&',
  ]),
  bug('leaves no rows', 'row 48: the ten newest runs are kept, newest first', [
    'core/record/transition.ts#releaseFields',
    '...rowsOfRelease(lease, completion)',
    '...{}',
  ]),
  bug('keeps one row', 'row 48: the ten newest runs are kept, newest first', [
    STORE,
    '{ ...record, ...releaseFields(lease, completion, Math.round(clock.now())) }',
    '{ ...Object.fromEntries(Object.entries(record).filter(([key]) => !/^r\\d$/.test(key))), ...releaseFields(lease, completion, clock.now()) }',
  ]),
  bug('never writes over the row of a crash', 'row 48: the ten newest runs are kept, whether they crashed or not', [
    STORE,
    '{ ...record, ...releaseFields(lease, completion, Math.round(clock.now())) }',
    '{ ...record, ...releaseFields(lease, completion, clock.now()), ...Object.fromEntries(Object.entries(record).filter(([, row]) => /^c\\|/.test(row))) }',
  ]),
  bug('keeps all rows', 'F88 a record does not grow with its runs', ['core/record/run-ring.ts#slotOf', '% SLOTS', '']),
  bug('records no duration', 'row 48: a run is recorded with its tick, start, duration and token', [
    'core/record/run-ring.ts#linesOfRelease',
    'durationMs, fencingToken',
    'durationMs: 0, fencingToken',
  ]),
  bug('records no error', 'the error of a failed run is recorded by its name', [
    'core/record/transition.ts#releaseFields',
    'error ? truncateUtf8(error, MAX_ERROR_BYTES) : undefined',
    'undefined',
  ]),
  bug('records an error in full', 'F88 an error name takes at most 64 bytes', [
    'core/record/transition.ts#releaseFields',
    'truncateUtf8(error, MAX_ERROR_BYTES)',
    'error',
  ]),
  bug('drops attributes that it does not know', 'F22 attributes of a later version survive every verb', [
    STORE,
    '{ tick: _, ...kept }',
    '{ tick: _, laterVersion: __, ...kept }',
  ]),
  bug('records no holder', 'a grant is recorded with its holder, its times and its tick', [
    'core/record/transition.ts#grantFields',
    'lockedBy, v:',
    "lockedBy: 'somebody', v:",
  ]),
  bug('reports corrupt as locked', 'F14 a wrong lockUntil is a CorruptLockError that names it, and never a held lock', [
    STORE,
    'const judgement = judgeRefusal(claim, old, now, (lockUntil) => lockUntil <= now);',
    "let judgement; try { judgement = judgeRefusal(claim, old, now, (lockUntil) => lockUntil <= now); } catch (error) { judgement = { kind: 'refused', why: { reason: 'locked' } }; }",
  ]),
  bug('takes corrupt for free', 'F15 lockUntil in seconds is a CorruptLockError that names it, and never a held lock', [
    STORE,
    'const judgement = judgeRefusal(claim, old, now, (lockUntil) => lockUntil <= now);',
    "let judgement; try { judgement = judgeRefusal(claim, old, now, (lockUntil) => lockUntil <= now); } catch (error) { judgement = { kind: 'expired' }; }",
  ]),
  bug('reads only what is held', 'F14 a wrong pausedUntil of a free lock is a CorruptLockError that names it', [
    STORE,
    'const judgement = judgeRefusal(claim, old, now, (lockUntil) => lockUntil <= now);',
    "let judgement; try { judgement = judgeRefusal(claim, old, now, (lockUntil) => lockUntil <= now); } catch (error) { if (old?.state === 'held') throw error; judgement = { kind: 'expired' }; }",
  ]),
  bug(
    'counts beyond what numbers can tell',
    'F86 a fencing token that is no safe integer is a CorruptLockError, and nobody is granted the lock',
    [
      'core/record/lock-record.ts#isToken',
      'isCount(value) && (value as number) < Number.MAX_SAFE_INTEGER',
      'Number.isInteger(value)',
    ],
  ),
];
