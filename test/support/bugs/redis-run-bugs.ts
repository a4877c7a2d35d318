import { bug, type ContractBug } from './contract-bug.js';

/*
 * Left out, because nobody can tell them from the sound scripts: a release replayed that answers `other` is found in
 * the ring; without `atLeast ~= '0'` a hold of nothing ends at the release; a forced lock whose `lockUntil` is the
 * present is as free; a ring that begins in another slot is the same ring.
 */
export const REDIS_RUN_BUGS: readonly ContractBug[] = [
  bug('extend without holding', 'row 25: extend after a takeover is lost and leaves the successor alone', [
    'stores/redis/scripts.ts#EXTEND',
    "if not holds(ARGV[1]) then return answer('lost') end",
    '',
  ]),
  bug('shorten leases', 'extend never shortens a lease', [
    'stores/redis/scripts.ts#EXTEND',
    'math.max(instant(lock.lockUntil) or 0, now + tonumber(ARGV[2]))',
    'now + tonumber(ARGV[2])',
  ]),
  bug('extend in words only', 'others see the extended end', [
    'stores/redis/scripts.ts#EXTEND',
    "redis.call('HSET', key, 'lockUntil', text(untilMs))",
    '',
  ]),
  bug('release without holding', 'F51 row 5: release after a takeover is lost and leaves the successor its lock', [
    'stores/redis/scripts.ts#RELEASE',
    'if not holds(id) then',
    'if not lock.attemptId then',
  ]),
  bug('take any release for their own', 'F51 release after a successor has come and gone is lost', [
    'stores/redis/scripts.ts#RELEASE',
    "lock.attemptId == id and lock.state == 'released' and",
    "lock.state == 'released' and",
  ]),
  bug('release to the instant 0', 'F52 a release keeps the record and tells how the run ended', [
    'stores/redis/scripts.ts#RELEASE',
    "'lockUntil', text(untilMs)",
    "'lockUntil', '0'",
  ]),
  bug('keep the lease at a release', 'release frees the lock at once', [
    'stores/redis/scripts.ts#RELEASE',
    "'lockUntil', text(untilMs),",
    '',
  ]),
  bug('hold for no time at all', 'row 4: a run that succeeds holds the lock at least so long after its start', [
    'stores/redis/scripts.ts#RELEASE',
    "if atLeast ~= '0' then",
    'if false then',
  ]),
  bug('hold from the release on', 'row 4: a hold counts from the start of a run that is released late', [
    'stores/redis/scripts.ts#RELEASE',
    'math.min(now, instant(lock.lockedAt) or now) + tonumber(atLeast)',
    'now + tonumber(atLeast)',
  ]),
  bug('end a hold before the release', 'a hold that is over before the release ends with it', [
    'stores/redis/scripts.ts#RELEASE',
    'math.max(now, math.min(now, instant(lock.lockedAt) or now) + tonumber(atLeast))',
    'instant(lock.lockedAt) + tonumber(atLeast)',
  ]),
  bug(
    'hold for as long as a clock has stepped back',
    'lockAtLeastFor counts from the release where the clock is behind the grant by then',
    [
      'stores/redis/scripts.ts#RELEASE',
      'math.min(now, instant(lock.lockedAt) or now)',
      '(instant(lock.lockedAt) or now)',
    ],
  ),
  bug('forget how a run ended', 'a grant reports that the run before it succeeded', [
    'stores/redis/scripts.ts#RELEASE',
    ", 'result', result)",
    ')',
  ]),
  bug('forget the error of a run', 'the error of a failed run is recorded by its name', [
    'stores/redis/scripts.ts#RELEASE',
    "if err ~= '' then",
    'if false then',
  ]),
  bug('mark no tick as done', 'F63 a tick that is done is refused as already-executed', [
    'stores/redis/scripts.ts#RELEASE',
    "if done ~= '' then",
    'if false then',
  ]),
  bug('mark the tick of a failed run', 'F67 a tick whose run failed is still open', [
    'stores/redis/scripts.ts#RELEASE',
    "if done ~= '' then",
    "done = lock.tick or '' if done ~= '' then",
  ]),
  bug('let the last tick done go back', 'the last tick done never goes back', [
    'stores/redis/scripts.ts#RELEASE',
    'math.max(tonumber(done), instant(lock.doneTick) or 0)',
    'tonumber(done)',
  ]),
  bug(
    'write history by the token, as where tokens have no gaps',
    'row 28: a crashed run is recorded by the release of its successor',
    ['stores/redis/scripts.ts#RELEASE', "'r' .. (seq % 10)", "'r' .. (tonumber(lock.fencingToken) % 10)"],
  ),
  bug('keep nine runs', 'row 48: the ten newest runs are kept, newest first', [
    'stores/redis/scripts.ts#RELEASE',
    'seq % 10',
    'seq % 9',
  ]),
  bug('keep every run', 'F88 a record does not grow with its runs', [
    'stores/redis/scripts.ts#RELEASE',
    '(seq % 10)',
    'text(seq)',
  ]),
  bug('write every run into the same slot', 'row 48: the ten newest runs are kept, newest first', [
    'stores/redis/scripts.ts#RELEASE',
    "redis.call('HSET', key, 'runSeq', text(seq))",
    '',
  ]),
  bug('do not record a crash', 'row 28: a crashed run is recorded by the release of its successor', [
    'stores/redis/scripts.ts#RELEASE',
    '{ crashed, row }',
    '{ row }',
  ]),
  bug(
    'write a crash after the run that found it',
    'row 48: the ten newest runs are kept, whether they crashed or not',
    ['stores/redis/scripts.ts#RELEASE', '{ crashed, row }', '{ row, crashed }'],
  ),
  bug('do not write when a lock was forced', 'a force release is recorded with its time', [
    'stores/redis/admin-scripts.ts#FORCE_RELEASE',
    "'releasedAt', text(now),",
    '',
  ]),
  bug('force whatever is held', 'F62 a force release late does not end a newer grant', [
    'stores/redis/admin-scripts.ts#FORCE_RELEASE',
    'or lock.fencingToken ~= ARGV[2]',
    '',
  ]),
  bug(
    'force what is released',
    'a force release of a released lock changes nothing',
    ['stores/redis/admin-scripts.ts#FORCE_RELEASE', "lock.state ~= 'held' or", ''],
    ['stores/redis/admin-scripts.ts#FORCE_RELEASE', 'ended(lock.attemptId)', ''],
  ),
  bug('force without a new token', 'F61 a force release raises the fencing token above that of the run it ends', [
    'stores/redis/admin-scripts.ts#FORCE_RELEASE',
    'text(tonumber(lock.fencingToken) + 1)',
    'lock.fencingToken',
  ]),
  bug('do not know their own force release', 'a force release replayed is forced, once', [
    'stores/redis/admin-scripts.ts#FORCE_RELEASE',
    "if lock.attemptId == ARGV[1] then return answer('forced') end",
    '',
  ]),
  bug('leave a forced lock to its holder', 'F61 extend after a force release is lost', [
    'stores/redis/admin-scripts.ts#FORCE_RELEASE',
    "'state', 'forced', 'attemptId', ARGV[1]",
    "'state', 'held'",
  ]),
  bug('keep the lease at a force release', 'a force release fences off what was asked before it', [
    'stores/redis/admin-scripts.ts#FORCE_RELEASE',
    "'lockUntil', text(now),",
    '',
  ]),
  bug('do not tell who paused', 'a pause is recorded, and a resume removes it', [
    'stores/redis/admin-scripts.ts#PAUSE',
    ", 'pausedBy', ARGV[2]",
    '',
  ]),
  bug('resume nothing', 'row 54: a resumed lock is granted', [
    'stores/redis/admin-scripts.ts#RESUME',
    "redis.call('HDEL', key, 'pausedUntil', 'pausedBy')",
    '',
  ]),
  bug('do not tell what they paused', 'a name can be paused before its first run', [
    'stores/redis/admin-scripts.ts#PAUSE',
    "flat = redis.call('HGETALL', key) return",
    'return',
  ]),
  bug('make no record by a pause', 'resume of a name paused before its first run leaves a record', [
    'stores/redis/admin-scripts.ts#PAUSE',
    ", 'v', '1'",
    '',
  ]),
  bug('resume what nobody knows', 'resume of a name never used says so, and leaves it free', [
    'stores/redis/admin-scripts.ts#RESUME',
    'UNLESS_KNOWN',
    '""',
  ]),
  bug('resume what was deleted', 'a deleted lock is unknown to resume, and can be paused', [
    'stores/redis/admin-scripts.ts#RESUME',
    'UNLESS_KNOWN',
    '"if #flat == 0 then return answer(\'unknown\') end"',
  ]),
  bug('call every resume resumed', 'resume of a lock that is not paused changes nothing', [
    'stores/redis/admin-scripts.ts#RESUME',
    "untilMs > now and 'resumed' or 'not-paused'",
    "'resumed'",
  ]),
  bug('drop the token with a lock', 'F52 the fencing token rises over a delete, also where no clock has come so far', [
    'stores/redis/admin-scripts.ts#DELETE',
    "field ~= 'fencingToken' and",
    '',
  ]),
  bug(
    'forget by a delete which attempts have ended',
    'F5 an attempt that was released takes nothing after its lock was deleted',
    ['stores/redis/admin-scripts.ts#DELETE', "and field ~= 'barredAttempts'", ''],
  ),
  bug('forget whom they deleted a lock of', 'F5 an attempt whose lock was deleted after its lease takes nothing', [
    'stores/redis/admin-scripts.ts#DELETE',
    'ended(lock.attemptId)',
    '',
  ]),
  bug('keep what a delete forgets', 'a delete forgets the run before, its tick and the ticks that are done', [
    'stores/redis/admin-scripts.ts#DELETE',
    "redis.call('HDEL', key, field)",
    '',
  ]),
  bug('delete without comparing the token', 'F62 a delete late leaves a newer run alone', [
    'stores/redis/admin-scripts.ts#DELETE',
    "text(count(lock.fencingToken or '0') or -1) ~= ARGV[2]",
    'false',
  ]),
  bug('delete what is held', 'a lock that is held is not deleted', [
    'stores/redis/admin-scripts.ts#DELETE',
    "if lock.state == 'held' then",
    'if false then',
  ]),
  bug('keep a dead holder from being deleted', 'a lock whose holder died is deleted, and the holder has lost it', [
    'stores/redis/admin-scripts.ts#DELETE',
    '(instant(lock.lockUntil) or now + 1) > now',
    'true',
  ]),
  bug('do not know their own delete', 'a delete replayed is deleted', [
    'stores/redis/admin-scripts.ts#DELETE',
    "if lock.attemptId == ARGV[1] then return answer('deleted') end",
    '',
  ]),
  bug('delete what was deleted', 'of deletes side by side exactly one has deleted', [
    'stores/redis/admin-scripts.ts#DELETE',
    'UNLESS_KNOWN',
    '"if #flat == 0 then return answer(\'unknown\') end"',
  ]),
];
