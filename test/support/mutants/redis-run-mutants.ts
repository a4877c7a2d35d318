import { DELETE, FORCE_RELEASE, PAUSE, RESUME } from '../../../src/stores/redis/admin-scripts.js';
import { EXTEND, RELEASE } from '../../../src/stores/redis/scripts.js';
import type { RedisMutant } from './redis-mutants.js';

/*
 * Left out, because nobody can tell them from the sound scripts: a release replayed that answers `other` is found in
 * the ring; without `atLeast ~= '0'` a hold of nothing ends at the release; a forced lock whose `lockUntil` is the
 * present is as free; a ring that begins in another slot is the same ring.
 */
export const redisRunMutants: readonly RedisMutant[] = [
  [
    'extend without holding',
    [[[EXTEND], "if not holds(ARGV[1]) then return answer('lost') end", '']],
    'row 25: extend after a takeover is lost and leaves the successor alone',
  ],
  [
    'shorten leases',
    [[[EXTEND], 'math.max(instant(lock.lockUntil) or 0, now + tonumber(ARGV[2]))', 'now + tonumber(ARGV[2])']],
    'extend never shortens a lease',
  ],
  [
    'extend in words only',
    [[[EXTEND], "redis.call('HSET', key, 'lockUntil', text(untilMs))", '']],
    'others see the extended end',
  ],
  [
    'release without holding',
    [[[RELEASE], 'if not holds(id) then', 'if not lock.attemptId then']],
    'F51 row 5: release after a takeover is lost and leaves the successor its lock',
  ],
  [
    'take any release for their own',
    [[[RELEASE], "lock.attemptId == id and lock.state == 'released' and", "lock.state == 'released' and"]],
    'F51 release after a successor has come and gone is lost',
  ],
  [
    'release to the instant 0',
    [[[RELEASE], "'lockUntil', text(untilMs)", "'lockUntil', '0'"]],
    'F52 a release keeps the record and tells how the run ended',
  ],
  ['keep the lease at a release', [[[RELEASE], "'lockUntil', text(untilMs), ", '']], 'release frees the lock at once'],
  [
    'hold for no time at all',
    [[[RELEASE], "if atLeast ~= '0' then", 'if false then']],
    'row 4: a run that succeeds holds the lock at least so long after its start',
  ],
  [
    'hold from the release on',
    [[[RELEASE], 'math.min(now, instant(lock.lockedAt) or now) + tonumber(atLeast)', 'now + tonumber(atLeast)']],
    'row 4: a hold counts from the start of a run that is released late',
  ],
  [
    'end a hold before the release',
    [
      [
        [RELEASE],
        'math.max(now, math.min(now, instant(lock.lockedAt) or now) + tonumber(atLeast))',
        'instant(lock.lockedAt) + tonumber(atLeast)',
      ],
    ],
    'a hold that is over before the release ends with it',
  ],
  [
    'hold for as long as a clock has stepped back',
    [[[RELEASE], 'math.min(now, instant(lock.lockedAt) or now)', '(instant(lock.lockedAt) or now)']],
    'lockAtLeastFor counts from the release where the clock is behind the grant by then',
  ],
  [
    'forget how a run ended',
    [[[RELEASE], ", 'result', result)", ')']],
    'a grant reports that the run before it succeeded',
  ],
  [
    'forget the error of a run',
    [[[RELEASE], "if err ~= '' then", 'if false then']],
    'the error of a failed run is recorded by its name',
  ],
  [
    'mark no tick as done',
    [[[RELEASE], "if done ~= '' then", 'if false then']],
    'F63 a tick that is done is refused as already-executed',
  ],
  [
    'mark the tick of a failed run',
    [[[RELEASE], "if done ~= '' then", "done = lock.tick or ''\nif done ~= '' then"]],
    'F67 a tick whose run failed is still open',
  ],
  [
    'let the last tick done go back',
    [[[RELEASE], 'math.max(tonumber(done), instant(lock.doneTick) or 0)', 'tonumber(done)']],
    'the last tick done never goes back',
  ],
  [
    'write history by the token, as where tokens have no gaps',
    [[[RELEASE], "'r' .. (seq % 10)", "'r' .. (tonumber(lock.fencingToken) % 10)"]],
    'row 28: a crashed run is recorded by the release of its successor',
  ],
  ['keep nine runs', [[[RELEASE], 'seq % 10', 'seq % 9']], 'row 48: the ten newest runs are kept, newest first'],
  ['keep every run', [[[RELEASE], '(seq % 10)', 'text(seq)']], 'F88 a record does not grow with its runs'],
  [
    'write every run into the same slot',
    [[[RELEASE], "redis.call('HSET', key, 'runSeq', text(seq))", '']],
    'row 48: the ten newest runs are kept, newest first',
  ],
  [
    'do not record a crash',
    [[[RELEASE], '{ crashed, row }', '{ row }']],
    'row 28: a crashed run is recorded by the release of its successor',
  ],
  [
    'write a crash after the run that found it',
    [[[RELEASE], '{ crashed, row }', '{ row, crashed }']],
    'row 48: the ten newest runs are kept, whether they crashed or not',
  ],
  [
    'do not write when a lock was forced',
    [[[FORCE_RELEASE], " 'releasedAt', text(now),", '']],
    'a force release is recorded with its time',
  ],
  [
    'force whatever is held',
    [[[FORCE_RELEASE], ' or lock.fencingToken ~= ARGV[2]', '']],
    'F62 a force release late does not end a newer grant',
  ],
  [
    'force what is released',
    [
      [[FORCE_RELEASE], "lock.state ~= 'held' or ", ''],
      [[FORCE_RELEASE], 'ended(lock.attemptId)', ''],
    ],
    'a force release of a released lock changes nothing',
  ],
  [
    'force without a new token',
    [[[FORCE_RELEASE], 'text(tonumber(lock.fencingToken) + 1)', 'lock.fencingToken']],
    'F61 a force release raises the fencing token above that of the run it ends',
  ],
  [
    'do not know their own force release',
    [[[FORCE_RELEASE], "if lock.attemptId == ARGV[1] then return answer('forced') end", '']],
    'a force release replayed is forced, once',
  ],
  [
    'leave a forced lock to its holder',
    [[[FORCE_RELEASE], "'state', 'forced', 'attemptId', ARGV[1]", "'state', 'held'"]],
    'F61 extend after a force release is lost',
  ],
  [
    'keep the lease at a force release',
    [[[FORCE_RELEASE], "'lockUntil', text(now),", '']],
    'a force release fences off what was asked before it',
  ],
  ['do not tell who paused', [[[PAUSE], ", 'pausedBy', ARGV[2]", '']], 'a pause is recorded, and a resume removes it'],
  [
    'resume nothing',
    [[[RESUME], "redis.call('HDEL', key, 'pausedUntil', 'pausedBy')", '']],
    'row 54: a resumed lock is granted',
  ],
  [
    'do not tell what they paused',
    [[[PAUSE], "flat = redis.call('HGETALL', key)\nreturn", 'return']],
    'a name can be paused before its first run',
  ],
  [
    'make no record by a pause',
    [[[PAUSE], ", 'v', '1'", '']],
    'resume of a name paused before its first run leaves a record',
  ],
  [
    'resume what nobody knows',
    [
      [
        [RESUME],
        "if #flat == 0 or lock.state == 'deleted' and not lock.pausedUntil then return answer('unknown') end",
        '',
      ],
    ],
    'resume of a name never used says so, and leaves it free',
  ],
  [
    'resume what was deleted',
    [[[RESUME], " or lock.state == 'deleted' and not lock.pausedUntil", '']],
    'a deleted lock is unknown to resume, and can be paused',
  ],
  [
    'call every resume resumed',
    [[[RESUME], "untilMs > now and 'resumed' or 'not-paused'", "'resumed'"]],
    'resume of a lock that is not paused changes nothing',
  ],
  [
    'drop the token with a lock',
    [[[DELETE], "field ~= 'fencingToken' and ", '']],
    'F52 the fencing token rises over a delete, also where no clock has come so far',
  ],
  [
    'forget by a delete which attempts have ended',
    [[[DELETE], " and field ~= 'barredAttempts'", '']],
    'F5 an attempt that was released takes nothing after its lock was deleted',
  ],
  [
    'forget whom they deleted a lock of',
    [[[DELETE], 'ended(lock.attemptId)', '']],
    'F5 an attempt whose lock was deleted after its lease takes nothing',
  ],
  [
    'keep what a delete forgets',
    [[[DELETE], "redis.call('HDEL', key, field)", '']],
    'a delete forgets the run before, its tick and the ticks that are done',
  ],
  [
    'delete without comparing the token',
    [[[DELETE], "text(count(lock.fencingToken or '0') or -1) ~= ARGV[2]", 'false']],
    'F62 a delete late leaves a newer run alone',
  ],
  [
    'delete what is held',
    [[[DELETE], "if lock.state == 'held' then", 'if false then']],
    'a lock that is held is not deleted',
  ],
  [
    'keep a dead holder from being deleted',
    [[[DELETE], '(instant(lock.lockUntil) or now + 1) > now', 'true']],
    'a lock whose holder died is deleted, and the holder has lost it',
  ],
  [
    'do not know their own delete',
    [[[DELETE], "if lock.attemptId == ARGV[1] then return answer('deleted') end", '']],
    'a delete replayed is deleted',
  ],
  [
    'delete what was deleted',
    [[[DELETE], " or lock.state == 'deleted' and not lock.pausedUntil", '']],
    'of deletes side by side exactly one has deleted',
  ],
];
