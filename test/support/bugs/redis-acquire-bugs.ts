import { bug, type ContractBug } from './contract-bug.js';

/*
 * Left out, because nobody can tell them from the sound scripts: without `untilMs >= 1e14` such a lease is not over
 * yet, and refused all the same; without `lock.attemptId == id` the attempt is in the list of those that ended.
 */
export const REDIS_ACQUIRE_BUGS: readonly ContractBug[] = [
  bug('tell the time in seconds', 'release frees the lock at once', [
    'stores/redis/scripts.ts#PRELUDE',
    'time[1] * 1000 + math.floor(time[2] / 1000)',
    'tonumber(time[1])',
  ]),
  bug('write long numbers as Lua does', 'F85 a token of sixteen digits rises by one and is kept to the last digit', [
    'stores/redis/scripts.ts#PRELUDE',
    "string.format('%.0f', number)",
    'tostring(number)',
  ]),
  bug('count beyond what numbers can tell', 'F86 a token that is no safe integer stays as it is, and the lock free', [
    'stores/redis/scripts.ts#PRELUDE',
    'number and number < 9007199254740991 and number or nil',
    'number',
  ]),
  bug('take any attempt for the holder', 'extend by a foreign attempt is lost and leaves the holder alone', [
    'stores/redis/scripts.ts#PRELUDE',
    'return lock.attemptId == id and',
    'return',
  ]),
  bug('take a run that has ended for one that holds', 'F36 extend after the own release is lost and locks nothing', [
    'stores/redis/scripts.ts#PRELUDE',
    "and lock.state == 'held' end",
    'end',
  ]),
  bug('do not know their own attempt', 'F1 row 8: acquire replayed is the same grant again', [
    'stores/redis/scripts.ts#ACQUIRE',
    "if holds(id) then return answer('own') end",
    '',
  ]),
  bug(
    'grant an attempt to itself a second time',
    'F1 row 8: acquire replayed is the same grant again',
    ['stores/redis/scripts.ts#ACQUIRE', 'if holds(id) then', 'if false then'],
    ['stores/redis/scripts.ts#ACQUIRE', 'untilMs > now', 'untilMs > now and lock.attemptId ~= id'],
    ['stores/redis/scripts.ts#ACQUIRE', 'lock.attemptId == id or', ''],
  ),
  bug('call an attempt its own after its release', 'F5 acquire replayed after its own release is not granted again', [
    'stores/redis/scripts.ts#ACQUIRE',
    'if holds(id) then',
    'if lock.attemptId == id then',
  ]),
  bug('know no attempt that ended', 'F5 acquire replayed after its own release is not granted again', [
    'stores/redis/scripts.ts#ACQUIRE',
    "lock.attemptId == id or string.find(',' .. (lock.barredAttempts or '') .. ',', ',' .. id .. ',', 1, true)",
    'false',
  ]),
  bug('do not read the list of ended attempts', 'F5 an attempt that was released takes nothing after its successor', [
    'stores/redis/scripts.ts#ACQUIRE',
    "or string.find(',' .. (lock.barredAttempts or '') .. ',', ',' .. id .. ',', 1, true)",
    '',
  ]),
  bug('do not write the list of ended attempts', 'F5 an attempt that was released takes nothing after its successor', [
    'stores/redis/scripts.ts#PRELUDE',
    "redis.call('HSET', key, 'barredAttempts', table.concat(ids, ','))",
    '',
  ]),
  bug('keep the last ended attempt alone', 'F5 the last twenty attempts that ended take nothing', [
    'stores/redis/scripts.ts#PRELUDE',
    '#ids < 20',
    '#ids < 1',
  ]),
  bug('keep nineteen ended attempts', 'F5 the last twenty attempts that ended take nothing', [
    'stores/redis/scripts.ts#PRELUDE',
    '#ids < 20',
    '#ids < 19',
  ]),
  bug('keep every ended attempt', 'F88 no more than twenty ended attempts are kept, each of them once', [
    'stores/redis/scripts.ts#PRELUDE',
    'and #ids < 20',
    '',
  ]),
  bug(
    'write an ended attempt into the list again',
    'F6 an attempt given up again and again takes one place among the last twenty',
    ['stores/redis/scripts.ts#PRELUDE', 'other ~= id and', ''],
  ),
  bug('do not end an attempt at its release', 'F5 an attempt that was released takes nothing after its successor', [
    'stores/redis/scripts.ts#RELEASE',
    'ended(id) return',
    'return',
  ]),
  bug(
    'do not end an attempt at a takeover',
    'F5 an attempt that was taken over from takes nothing after its successor',
    [
      'stores/redis/scripts.ts#ACQUIRE',
      "if lock.attemptId and lock.state == 'held' then ended(lock.attemptId) end",
      '',
    ],
  ),
  bug('do not end an attempt at a force release', 'F5 an attempt that was forced to end takes nothing', [
    'stores/redis/admin-scripts.ts#FORCE_RELEASE',
    'ended(lock.attemptId)',
    '',
  ]),
  bug('cancel nothing', 'F6 an attempt given up while it was under way, and refused, takes nothing later', [
    'stores/redis/scripts.ts#CANCEL',
    'ended(ARGV[1])',
    '',
  ]),
  bug(
    'cancel an attempt that holds the lock',
    'F6 an attempt given up while it was under way is granted, or leaves the lock free',
    ['stores/redis/scripts.ts#CANCEL', "if holds(ARGV[1]) then return answer('own') end", ''],
  ),
  bug(
    'find that a released attempt holds when it is cancelled',
    'F6 an attempt given up after its own release is not granted',
    ['stores/redis/scripts.ts#CANCEL', 'if holds(ARGV[1]) then', 'if lock.attemptId == ARGV[1] then'],
  ),
  bug('grant what is held', 'row 44: acquire of a held lock is refused as locked and tells its holder', [
    'stores/redis/scripts.ts#ACQUIRE',
    'untilMs > now and not givenBack',
    'false',
  ]),
  bug('never take over', 'row 27: the first acquire after expiry is granted', [
    'stores/redis/scripts.ts#ACQUIRE',
    'untilMs > now and not givenBack',
    "(untilMs > now or lock.state == 'held') and not givenBack",
  ]),
  bug(
    'wait until the clock has reached a release again',
    'a lock given back at an instant that every clock has yet to reach is free',
    [
      'stores/redis/scripts.ts#ACQUIRE',
      "lock.state == 'forced' or lock.state == 'released' and lock.lockUntil == lock.releasedAt",
      "lock.state == 'forced'",
    ],
  ),
  bug(
    'wait until the clock has reached a force release again',
    'a lock forced at an instant that every clock has yet to reach is free',
    ['stores/redis/scripts.ts#ACQUIRE', "lock.state == 'forced' or lock.state", 'lock.state'],
  ),
  bug(
    'take what is kept for what was given back',
    'row 4: a run that succeeds holds the lock at least so long after its start',
    ['stores/redis/scripts.ts#ACQUIRE', 'and lock.lockUntil == lock.releasedAt', ''],
  ),
  bug(
    'read an end in seconds as one gone by',
    'F15 lockUntil in seconds is a CorruptLockError that names it, and never a held lock',
    ['stores/redis/scripts.ts#ACQUIRE', 'untilMs < 1e12 or', ''],
  ),
  bug(
    'grant over an end that cannot be read',
    'F14 a wrong lockUntil is a CorruptLockError that names it, and never a held lock',
    ['stores/redis/scripts.ts#ACQUIRE', 'isCount(lock.lockUntil) and', ''],
  ),
  bug(
    'count tokens anew over one that cannot be read',
    'F14 a wrong fencingToken of a free lock is a CorruptLockError that names it',
    ['stores/redis/scripts.ts#ACQUIRE', 'and isCount(lock.fencingToken)', ''],
    [
      'stores/redis/scripts.ts#ACQUIRE',
      'tonumber(lock.fencingToken or 0) + 1',
      '(tonumber(lock.fencingToken) or 0) + 1',
    ],
  ),
  bug(
    'run over a pause that cannot be read',
    'F14 a wrong pausedUntil of a free lock is a CorruptLockError that names it',
    ['stores/redis/scripts.ts#ACQUIRE', 'and isCount(lock.pausedUntil)', ''],
    ['stores/redis/scripts.ts#ACQUIRE', 'tonumber(lock.pausedUntil)', '(tonumber(lock.pausedUntil) or 0)'],
  ),
  bug(
    'run over a done tick that cannot be read',
    'F14 a wrong doneTick of a free lock is a CorruptLockError that names it',
    ['stores/redis/scripts.ts#ACQUIRE', 'and isCount(lock.doneTick)', ''],
    ['stores/redis/scripts.ts#ACQUIRE', 'tonumber(lock.doneTick)', '(tonumber(lock.doneTick) or 0)'],
  ),
  bug('know no pause', 'row 54: a paused lock is refused as paused and tells who ran last', [
    'stores/redis/scripts.ts#ACQUIRE',
    'lock.pausedUntil and tonumber(lock.pausedUntil) > now',
    'false',
  ]),
  bug('end no pause', 'a pause until a time to come refuses, one until a time gone by does not', [
    'stores/redis/scripts.ts#ACQUIRE',
    'lock.pausedUntil and tonumber(lock.pausedUntil) > now',
    'lock.pausedUntil',
  ]),
  bug(
    'repeat a token within a millisecond',
    'F85 a token of sixteen digits rises by one and is kept to the last digit',
    ['stores/redis/scripts.ts#ACQUIRE', 'tonumber(lock.fencingToken or 0) + 1)', 'tonumber(lock.fencingToken or 0))'],
  ),
  bug('count tokens from one', 'F80 F85 the first fencing token is about the epoch millisecond', [
    'stores/redis/scripts.ts#ACQUIRE',
    'math.max(now, tonumber(lock.fencingToken or 0) + 1)',
    'tonumber(lock.fencingToken or 0) + 1',
  ]),
  bug(
    'count on from the token of an older record',
    'F79 the token of an older record, brought back, is raised to the time',
    [
      'stores/redis/scripts.ts#ACQUIRE',
      'math.max(now, tonumber(lock.fencingToken or 0) + 1)',
      'tonumber(lock.fencingToken or now) + 1',
    ],
  ),
  bug('take the time for a token', 'F85 a token of sixteen digits rises by one and is kept to the last digit', [
    'stores/redis/scripts.ts#ACQUIRE',
    'math.max(now, tonumber(lock.fencingToken or 0) + 1)',
    'now',
  ]),
  bug('let keys expire with their lease', 'row 28: a grant reports that the run before it crashed', [
    'stores/redis/scripts.ts#ACQUIRE',
    "return answer('granted', token)",
    "redis.call('PEXPIRE', key, lease) return answer('granted', token)",
  ]),
  bug('do not write how long a lease is', 'a grant is recorded with its holder, its times and its tick', [
    'stores/redis/scripts.ts#ACQUIRE',
    "'leaseMs', text(lease),",
    '',
  ]),
  bug('keep the tick of the run before', 'a grant without a tick removes the tick of the one before', [
    'stores/redis/scripts.ts#ACQUIRE',
    "redis.call('HDEL', key, 'tick')",
    '',
  ]),
  bug('compare no tick', 'F63 a tick that is done is refused as already-executed', [
    'stores/redis/scripts.ts#ACQUIRE',
    "tick ~= '' and lock.doneTick and",
    'false and',
  ]),
  bug('run a done tick again', 'F63 a tick that is done is refused as already-executed', [
    'stores/redis/scripts.ts#ACQUIRE',
    'tonumber(lock.doneTick) >= tonumber(tick)',
    'tonumber(lock.doneTick) > tonumber(tick)',
  ]),
  bug('run stale ticks', 'F66 a tick older than the last one done is refused as stale-tick', [
    'stores/redis/scripts.ts#ACQUIRE',
    'tonumber(lock.doneTick) >= tonumber(tick)',
    'lock.doneTick == tick',
  ]),
  bug('mark no tick at the start', 'F75 a tick marked at the start is done although its run crashed', [
    'stores/redis/scripts.ts#ACQUIRE',
    "mark == '1' and tick ~= ''",
    'false',
  ]),
  bug('mark every tick at the start', 'F67 a tick whose run failed is still open', [
    'stores/redis/scripts.ts#ACQUIRE',
    "mark == '1' and tick ~= ''",
    "tick ~= ''",
  ]),
  bug('mark at the start without a tick', 'marking at the start without a tick marks nothing', [
    'stores/redis/scripts.ts#ACQUIRE',
    "mark == '1' and tick ~= ''",
    "mark == '1'",
  ]),
];
