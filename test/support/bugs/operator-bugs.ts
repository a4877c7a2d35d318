import { bug, type ContractBug, STORE } from './contract-bug.js';

export const OPERATOR_BUGS: readonly ContractBug[] = [
  bug('ignores a pause', 'row 54: a paused lock is refused as paused and tells who ran last', [
    'core/record/refusal.ts#judgeRefusal',
    "if (pausedUntil !== undefined && pausedUntil > now) return refused('paused');",
    '',
  ]),
  bug('never ends a pause', 'a pause until a time to come refuses, one until a time gone by does not', [
    'core/record/refusal.ts#judgeRefusal',
    'pausedUntil > now',
    'pausedUntil > 0',
  ]),
  bug('pauses by writing a new record', 'a pause keeps fencing token, previous run and last tick done', [
    STORE,
    '...records.get(name), ...pausedFields(pause)',
    '...pausedFields(pause)',
  ]),
  bug('pauses only what has run', 'a name can be paused before its first run', [
    STORE,
    'records.set(name, item);',
    'if (records.has(name)) records.set(name, item);',
  ]),
  bug('resumes by emptying the record', 'resume of a lock that is not paused changes nothing', [
    STORE,
    'records.set(name, record);',
    'records.set(name, {});',
  ]),
  bug('does not resume', 'row 54: a resumed lock is granted', [STORE, 'records.set(name, record);', '']),
  bug('takes the lock from a holder by a pause', 'a pause lets the running holder extend and release', [
    STORE,
    'const record = heldBy(lease);',
    'const record = [heldBy(lease)].find((r) => r?.pausedUntil === undefined);',
  ]),
  bug('judges the tick before a pause', 'a pause is told before the tick that is done', [
    'core/record/refusal.ts#judgeRefusal',
    'pausedUntil > now',
    'pausedUntil > now && !doneReason(claim, doneTick)',
  ]),
  bug('forces without comparing the token', 'F62 a force release late does not end a newer grant', [
    STORE,
    '|| record.fencingToken !== force.fencingToken',
    '',
  ]),
  bug('forces what is not held', 'a force release of a released lock changes nothing', [
    STORE,
    "record?.state !== 'held' || record.fencingToken",
    'record?.fencingToken',
  ]),
  bug(
    'forces without raising the token',
    'F61 a force release raises the fencing token above that of the run it ends',
    [STORE, 'force.fencingToken + 1', 'force.fencingToken'],
  ),
  bug(
    'waits for the clock of the operator who forced',
    'a lock forced at an instant that every clock has yet to reach is free',
    ['core/record/refusal.ts#isGivenBack', "state === 'forced' ||", ''],
  ),
  bug(
    'fences a forced lock at the start of the run that it ended',
    'a force release fences off what was asked before it',
    ['core/record/transition.ts#forcedFields', 'Math.max(nowMs, lockedAtMs + 1)', 'lockedAtMs + 1'],
  ),
  bug('does not record when it forced', 'a force release is recorded with its time', [
    'core/record/transition.ts#forcedFields',
    ', releasedAt: nowMs',
    '',
  ]),
  bug('calls a replayed force changed', 'a force release replayed is forced, once', [
    STORE,
    "if (record?.attemptId === force.adminId) return 'forced';",
    '',
  ]),
  bug('calls every force forced', 'a second force release finds the lock changed', [
    STORE,
    "return 'changed';",
    "return 'forced';",
  ]),
  bug('shows a record where there is none', 'get of a name that was never used is undefined', [
    STORE,
    'return item && { name, item };',
    'return { name, item: item ?? {} };',
  ]),
  bug('creates a record by forcing', 'a force release of a name never used changes nothing', [
    STORE,
    "record?.state !== 'held' || record.fencingToken !== force.fencingToken",
    "record && (record.state !== 'held' || record.fencingToken !== force.fencingToken)",
  ]),
  bug('makes no record by a pause that it ends', 'resume of a name paused before its first run leaves a record', [
    STORE,
    'pausedBy: _, ...record',
    'pausedBy: _, v: __, ...record',
  ]),
  bug(
    'says of every resume that it resumed',
    'resume of a name never used says so, and leaves it free',
    [
      STORE,
      "if (old === undefined || isDeleted(old)) return 'unknown';",
      "if (old === undefined || isDeleted(old)) return 'resumed';",
    ],
    [STORE, "pausedUntil > clock.now() ? 'resumed' : 'not-paused'", "'resumed'"],
  ),
  bug('calls a pause that is over resumed', 'resume of a pause that is over removes it, and says not-paused', [
    STORE,
    'pausedUntil > clock.now()',
    'pausedUntil > 0',
  ]),
  bug('knows a lock that was deleted', 'a deleted lock is unknown to resume, and can be paused', [
    STORE,
    '|| isDeleted(old)',
    '',
  ]),
  bug('deletes the record', 'a delete replayed is deleted', [
    STORE,
    'records.set(deletion.name, deletedRecord(deletion, record ?? {}));',
    'records.delete(deletion.name);',
  ]),
  bug(
    'drops the token of a lock that it deletes',
    'F52 the fencing token rises over a delete, also where no clock has come so far',
    ['core/record/deletion.ts#deletedRecord', '...defined({ fencingToken,', '...defined({'],
  ),
  bug('deletes in words only', 'a delete forgets the run before, its tick and the ticks that are done', [
    STORE,
    'records.set(deletion.name, deletedRecord(deletion, record ?? {}));',
    '',
  ]),
  bug('remembers the ticks of a lock that it deletes', 'a delete leaves the token, and nothing of the runs', [
    STORE,
    'deletedRecord(deletion, record ?? {})',
    '{ ...record, ...deletedRecord(deletion, record ?? {}) }',
  ]),
  bug('leaves a deleted lock paused', 'a delete ends a pause', [
    STORE,
    'deletedRecord(deletion, record ?? {})',
    '{ ...deletedRecord(deletion, record ?? {}), pausedUntil: record?.pausedUntil ?? 0 }',
  ]),
  bug(
    'keeps a lock for as long as it was before it was deleted',
    'a lock that is kept after its run is free at once when it is deleted',
    [
      STORE,
      'deletedRecord(deletion, record ?? {})',
      "{ ...deletedRecord(deletion, record ?? {}), state: 'released', lockUntil: record?.lockUntil, releasedAt: record?.releasedAt }",
    ],
  ),
  bug('deletes without comparing the token', 'F62 a delete late leaves a newer run alone', [
    'core/record/deletion.ts#judgeDeletion',
    "if (token !== fencingToken) return 'changed';",
    '',
  ]),
  bug('deletes only what has a token', 'a name that was paused and never used is deleted by the token 0', [
    'core/record/deletion.ts#judgeDeletion',
    'item === undefined',
    'item === undefined || fencingToken === 0',
  ]),
  bug(
    'deletes by the token of the run what was forced',
    'a lock that was forced is deleted by the token of the force',
    [
      'core/record/deletion.ts#judgeDeletion',
      'token !== fencingToken',
      "token !== fencingToken + (state === 'forced' ? 1 : 0)",
    ],
  ),
  bug('deletes what is held', 'a lock that is held is not deleted', [
    'core/record/deletion.ts#judgeDeletion',
    "if (state !== 'held') return 'open';",
    "return 'open';",
  ]),
  bug('never deletes what its holder has left', 'a lock whose holder died is deleted, and the holder has lost it', [
    'core/record/deletion.ts#judgeDeletion',
    "lockUntil !== undefined && isOver(lockUntil) ? 'open' : 'held'",
    "'held'",
  ]),
  bug('does not know its own delete', 'a delete replayed is deleted', [
    'core/record/deletion.ts#judgeDeletion',
    "if (item['attemptId'] === adminId) return 'deleted';",
    '',
  ]),
  bug('calls every delete deleted', 'of deletes side by side exactly one has deleted', [
    STORE,
    'return result;',
    "return result === 'unknown' ? 'deleted' : result;",
  ]),
  bug('makes a record by deleting', 'a delete of a name never used is unknown, and makes no record', [
    'core/record/deletion.ts#judgeDeletion',
    "if (item === undefined) return 'unknown';",
    "if (item === undefined) return 'open';",
  ]),
  bug(
    'keeps the bar of a lock that it deletes, also a corrupt one',
    'F14 a delete of a lock that is not held corrects everything that is wrong in it, except its token',
    ['core/record/deletion.ts#deletedRecord', 'isText(barredAttempt) ? barredAttempt : undefined', 'barredAttempt'],
  ),
  bug(
    'takes a corrupt token for another one',
    'F14 a delete of a lock whose token is wrong is a CorruptLockError that names it, and changes nothing',
    ['core/record/deletion.ts#judgeDeletion', "checkAttribute(name, item, 'fencingToken');", ''],
  ),
  bug(
    'takes a held lock for one whose holder is alive, also where its end cannot be read',
    'F14 a delete of a held lock whose lockUntil is wrong is a CorruptLockError that names it, and changes nothing',
    ['core/record/deletion.ts#judgeDeletion', "checkAttribute(name, item, 'lockUntil');", ''],
  ),
];
