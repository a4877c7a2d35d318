import { FORCE_RELEASE } from '../../../src/stores/redis/admin-scripts.js';
import { ACQUIRE, CANCEL, RELEASE } from '../../../src/stores/redis/scripts.js';
import { ALIKE, type RedisMutant } from './redis-mutants.js';

/*
 * Left out, because nobody can tell them from the sound scripts: without `untilMs >= 1e14` such a lease is not over
 * yet, and refused all the same; without `lock.attemptId == id` the attempt is in the list of those that ended.
 */
export const redisAcquireMutants: readonly RedisMutant[] = [
  [
    'tell the time in seconds',
    [[ALIKE, 'time[1] * 1000 + math.floor(time[2] / 1000)', 'tonumber(time[1])']],
    'release frees the lock at once',
  ],
  [
    'write long numbers as Lua does',
    [[ALIKE, "string.format('%.0f', number)", 'tostring(number)']],
    'F85 a token of sixteen digits rises by one and is kept to the last digit',
  ],
  [
    'count beyond what numbers can tell',
    [[[ACQUIRE], 'number and number < 9007199254740991 and number or nil', 'number']],
    'F86 a token that is no safe integer stays as it is, and the lock free',
  ],
  [
    'take any attempt for the holder',
    [[ALIKE, 'return lock.attemptId == id and ', 'return ']],
    'extend by a foreign attempt is lost and leaves the holder alone',
  ],
  [
    'take a run that has ended for one that holds',
    [[ALIKE, " and lock.state == 'held' end", ' end']],
    'F36 extend after the own release is lost and locks nothing',
  ],
  [
    'do not know their own attempt',
    [[[ACQUIRE], "if holds(id) then return answer('own') end", '']],
    'F1 row 8: acquire replayed is the same grant again',
  ],
  [
    'grant an attempt to itself a second time',
    [
      [[ACQUIRE], 'if holds(id) then', 'if false then'],
      [[ACQUIRE], 'untilMs > now', 'untilMs > now and lock.attemptId ~= id'],
      [[ACQUIRE], 'lock.attemptId == id or ', ''],
    ],
    'F1 row 8: acquire replayed is the same grant again',
  ],
  [
    'call an attempt its own after its release',
    [[[ACQUIRE], 'if holds(id) then', 'if lock.attemptId == id then']],
    'F5 acquire replayed after its own release is not granted again',
  ],
  [
    'know no attempt that ended',
    [
      [
        [ACQUIRE],
        "lock.attemptId == id or string.find(',' .. (lock.barredAttempts or '') .. ',', ',' .. id .. ',', 1, true)",
        'false',
      ],
    ],
    'F5 acquire replayed after its own release is not granted again',
  ],
  [
    'do not read the list of ended attempts',
    [[[ACQUIRE], " or string.find(',' .. (lock.barredAttempts or '') .. ',', ',' .. id .. ',', 1, true)", '']],
    'F5 an attempt that was released takes nothing after its successor',
  ],
  [
    'do not write the list of ended attempts',
    [[ALIKE, "redis.call('HSET', key, 'barredAttempts', table.concat(ids, ','))", '']],
    'F5 an attempt that was released takes nothing after its successor',
  ],
  [
    'keep the last ended attempt alone',
    [[ALIKE, '#ids < 20', '#ids < 1']],
    'F5 the last twenty attempts that ended take nothing',
  ],
  [
    'keep nineteen ended attempts',
    [[ALIKE, '#ids < 20', '#ids < 19']],
    'F5 the last twenty attempts that ended take nothing',
  ],
  [
    'keep every ended attempt',
    [[ALIKE, ' and #ids < 20', '']],
    'F88 no more than twenty ended attempts are kept, each of them once',
  ],
  [
    'write an ended attempt into the list again',
    [[ALIKE, 'other ~= id and ', '']],
    'F6 an attempt given up again and again takes one place among the last twenty',
  ],
  [
    'do not end an attempt at its release',
    [[[RELEASE], 'ended(id)\nreturn', 'return']],
    'F5 an attempt that was released takes nothing after its successor',
  ],
  [
    'do not end an attempt at a takeover',
    [[[ACQUIRE], "if lock.attemptId and lock.state == 'held' then ended(lock.attemptId) end", '']],
    'F5 an attempt that was taken over from takes nothing after its successor',
  ],
  [
    'do not end an attempt at a force release',
    [[[FORCE_RELEASE], 'ended(lock.attemptId)', '']],
    'F5 an attempt that was forced to end takes nothing',
  ],
  [
    'cancel nothing',
    [[[CANCEL], 'ended(ARGV[1])', '']],
    'F6 an attempt given up while it was under way, and refused, takes nothing later',
  ],
  [
    'cancel an attempt that holds the lock',
    [[[CANCEL], "if holds(ARGV[1]) then return answer('own') end", '']],
    'F6 an attempt given up while it was under way is granted, or leaves the lock free',
  ],
  [
    'find that a released attempt holds when it is cancelled',
    [[[CANCEL], 'if holds(ARGV[1]) then', 'if lock.attemptId == ARGV[1] then']],
    'F6 an attempt given up after its own release is not granted',
  ],
  [
    'grant what is held',
    [[[ACQUIRE], 'untilMs > now and not givenBack', 'false']],
    'row 44: acquire of a held lock is refused as locked and tells its holder',
  ],
  [
    'never take over',
    [[[ACQUIRE], 'untilMs > now and not givenBack', "(untilMs > now or lock.state == 'held') and not givenBack"]],
    'row 27: the first acquire after expiry is granted',
  ],
  [
    'wait until the clock has reached a release again',
    [
      [
        [ACQUIRE],
        "lock.state == 'forced' or lock.state == 'released' and lock.lockUntil == lock.releasedAt",
        "lock.state == 'forced'",
      ],
    ],
    'a lock given back at an instant that every clock has yet to reach is free',
  ],
  [
    'wait until the clock has reached a force release again',
    [[[ACQUIRE], "lock.state == 'forced' or lock.state", 'lock.state']],
    'a lock forced at an instant that every clock has yet to reach is free',
  ],
  [
    'take what is kept for what was given back',
    [[[ACQUIRE], ' and lock.lockUntil == lock.releasedAt', '']],
    'row 4: a run that succeeds holds the lock at least so long after its start',
  ],
  [
    'read an end in seconds as one gone by',
    [[[ACQUIRE], 'untilMs < 1e12 or ', '']],
    'F15 lockUntil in seconds is a CorruptLockError that names it, and never a held lock',
  ],
  [
    'grant over an end that cannot be read',
    [[[ACQUIRE], 'isCount(lock.lockUntil) and ', '']],
    'F14 a wrong lockUntil is a CorruptLockError that names it, and never a held lock',
  ],
  [
    'count tokens anew over one that cannot be read',
    [
      [[ACQUIRE], 'and isCount(lock.fencingToken)', ''],
      [[ACQUIRE], 'tonumber(lock.fencingToken or 0) + 1', '(tonumber(lock.fencingToken) or 0) + 1'],
    ],
    'F14 a wrong fencingToken of a free lock is a CorruptLockError that names it',
  ],
  [
    'run over a pause that cannot be read',
    [
      [[ACQUIRE], 'and isCount(lock.pausedUntil)', ''],
      [[ACQUIRE], 'tonumber(lock.pausedUntil)', '(tonumber(lock.pausedUntil) or 0)'],
    ],
    'F14 a wrong pausedUntil of a free lock is a CorruptLockError that names it',
  ],
  [
    'run over a done tick that cannot be read',
    [
      [[ACQUIRE], 'and isCount(lock.doneTick)', ''],
      [[ACQUIRE], 'tonumber(lock.doneTick)', '(tonumber(lock.doneTick) or 0)'],
    ],
    'F14 a wrong doneTick of a free lock is a CorruptLockError that names it',
  ],
  [
    'know no pause',
    [[[ACQUIRE], 'lock.pausedUntil and tonumber(lock.pausedUntil) > now', 'false']],
    'row 54: a paused lock is refused as paused and tells who ran last',
  ],
  [
    'end no pause',
    [[[ACQUIRE], 'lock.pausedUntil and tonumber(lock.pausedUntil) > now', 'lock.pausedUntil']],
    'a pause until a time to come refuses, one until a time gone by does not',
  ],
  [
    'repeat a token within a millisecond',
    [[[ACQUIRE], 'tonumber(lock.fencingToken or 0) + 1)', 'tonumber(lock.fencingToken or 0))']],
    'F85 a token of sixteen digits rises by one and is kept to the last digit',
  ],
  [
    'count tokens from one',
    [[[ACQUIRE], 'math.max(now, tonumber(lock.fencingToken or 0) + 1)', 'tonumber(lock.fencingToken or 0) + 1']],
    'F80 F85 the first fencing token is about the epoch millisecond',
  ],
  [
    'count on from the token of an older record',
    [[[ACQUIRE], 'math.max(now, tonumber(lock.fencingToken or 0) + 1)', 'tonumber(lock.fencingToken or now) + 1']],
    'F79 the token of an older record, brought back, is raised to the time',
  ],
  [
    'take the time for a token',
    [[[ACQUIRE], 'math.max(now, tonumber(lock.fencingToken or 0) + 1)', 'now']],
    'F85 a token of sixteen digits rises by one and is kept to the last digit',
  ],
  [
    'let keys expire with their lease',
    [
      [
        [ACQUIRE],
        "return answer('granted', token)",
        "redis.call('PEXPIRE', key, lease) return answer('granted', token)",
      ],
    ],
    'row 28: a grant reports that the run before it crashed',
  ],
  [
    'do not write how long a lease is',
    [[[ACQUIRE], "'leaseMs', text(lease), ", '']],
    'a grant is recorded with its holder, its times and its tick',
  ],
  [
    'keep the tick of the run before',
    [[[ACQUIRE], "redis.call('HDEL', key, 'tick')", '']],
    'a grant without a tick removes the tick of the one before',
  ],
  [
    'compare no tick',
    [[[ACQUIRE], "tick ~= '' and lock.doneTick and", 'false and']],
    'F63 a tick that is done is refused as already-executed',
  ],
  [
    'run a done tick again',
    [[[ACQUIRE], 'tonumber(lock.doneTick) >= tonumber(tick)', 'tonumber(lock.doneTick) > tonumber(tick)']],
    'F63 a tick that is done is refused as already-executed',
  ],
  [
    'run stale ticks',
    [[[ACQUIRE], 'tonumber(lock.doneTick) >= tonumber(tick)', 'lock.doneTick == tick']],
    'F66 a tick older than the last one done is refused as stale-tick',
  ],
  [
    'mark no tick at the start',
    [[[ACQUIRE], "mark == '1' and tick ~= ''", 'false']],
    'F75 a tick marked at the start is done although its run crashed',
  ],
  [
    'mark every tick at the start',
    [[[ACQUIRE], "mark == '1' and tick ~= ''", "tick ~= ''"]],
    'F67 a tick whose run failed is still open',
  ],
  [
    'mark at the start without a tick',
    [[[ACQUIRE], "mark == '1' and tick ~= ''", "mark == '1'"]],
    'marking at the start without a tick marks nothing',
  ],
];
