import { bugsOf, type SimBug } from './sim-bug.js';

const bug = bugsOf('redis');

export const REDIS_BUGS: readonly SimBug[] = [
  bug(
    'an attempt whose answer was lost is not known again',
    'synchronised',
    1,
    ['stores/redis/scripts.ts#ACQUIRE', "if holds(id) then return answer('own') end", ''],
    ['stores/redis/scripts.ts#CANCEL', "if holds(ARGV[1]) then return answer('own') end", ''],
  ),
  bug('a lease counts for nothing', 'synchronised', 2, [
    'stores/redis/scripts.ts#ACQUIRE',
    'untilMs > now and not givenBack',
    "untilMs > now and not givenBack and lock.state ~= 'held'",
  ]),
  bug('lockAtLeastFor counts for nothing', 'synchronised', 2, [
    'stores/redis/scripts.ts#ACQUIRE',
    'untilMs > now and not givenBack',
    "untilMs > now and lock.state == 'held'",
  ]),
  bug('a release forgets lockAtLeastFor', 'synchronised', 2, [
    'stores/redis/scripts.ts#RELEASE',
    "if atLeast ~= '0' then",
    "if atLeast == '' then",
  ]),
  bug('an operator frees whatever lock there is', 'hostile', 24, [
    'stores/redis/admin-scripts.ts#FORCE_RELEASE',
    "if lock.state ~= 'held' or lock.fencingToken ~= ARGV[2] then return answer('changed') end",
    "if lock.state ~= 'held' then return answer('changed') end",
  ]),
  bug('an operator deletes a lock that has been used since it was seen', 'hostile', 18, [
    'stores/redis/admin-scripts.ts#DELETE',
    "if text(count(lock.fencingToken or '0') or -1) ~= ARGV[2] then",
    'if false then',
  ]),
  bug('an operator deletes a lock that is held', 'hostile', 9, [
    'stores/redis/admin-scripts.ts#DELETE',
    "if lock.state == 'held' then",
    'if false then',
  ]),
  bug('an attempt that is over is granted', 'synchronised', 12, [
    'stores/redis/scripts.ts#ACQUIRE',
    "if lock.attemptId == id or string.find(',' .. (lock.barredAttempts or '') .. ',', ',' .. id .. ',', 1, true) then",
    'if false then',
  ]),
  bug('an attempt that was released is not written down', 'synchronised', 22, [
    'stores/redis/scripts.ts#RELEASE',
    "ended(id) return answer('released')",
    "return answer('released')",
  ]),
  bug('an attempt that was taken over from is not written down', 'suspended', 143, [
    'stores/redis/scripts.ts#ACQUIRE',
    "if lock.attemptId and lock.state == 'held' then ended(lock.attemptId) end",
    '',
  ]),
  bug('an attempt that was cancelled is not written down', 'synchronised', 12, [
    'stores/redis/scripts.ts#CANCEL',
    "ended(ARGV[1]) return answer('cancelled')",
    "return answer('cancelled')",
  ]),
  bug('one ended attempt is remembered, not twenty', 'synchronised', 1, [
    'stores/redis/scripts.ts#PRELUDE',
    'and #ids < 20 then',
    'and #ids < 1 then',
  ]),
  bug('the fencing token does not rise', 'synchronised', 1, [
    'stores/redis/scripts.ts#ACQUIRE',
    'math.max(now, tonumber(lock.fencingToken or 0) + 1)',
    'tonumber(lock.fencingToken or now)',
  ]),
  bug('a done tick is granted again', 'synchronised', 1, [
    'stores/redis/scripts.ts#ACQUIRE',
    "if tick ~= '' and lock.doneTick and tonumber(lock.doneTick) >= tonumber(tick) then return answer('refused') end",
    '',
  ]),
  bug('an attempt for a done tick is cancelled all the same', 'synchronised', 4, [
    'stores/redis/lock.ts#acquire',
    'if (answer.ambiguous && !isDone) {',
    'if (answer.ambiguous) {',
  ]),
  bug('an attempt that was refused for whatever reason is not cancelled', 'synchronised', 41, [
    'stores/redis/lock.ts#acquire',
    "const isDone = 'reply' in answer && doneReason(claim, answer.reply.item?.['doneTick']) !== undefined;",
    "const isDone = 'reply' in answer;",
  ]),
  bug('with tickMark start a tick is not marked', 'synchronised', 1, [
    'stores/redis/scripts.ts#ACQUIRE',
    "if mark == '1' and",
    "if mark == '2' and",
  ]),
  bug('a success does not mark its tick', 'synchronised', 6, [
    'stores/redis/scripts.ts#RELEASE',
    "if done ~= '' then",
    "if done == '-' then",
  ]),
  bug('anybody may release', 'hostile', 2, [
    'stores/redis/scripts.ts#RELEASE',
    "if not holds(id) then return answer(lock.attemptId == id and lock.state == 'released' and 'released' or 'other') end",
    '',
  ]),
  bug('anybody may extend', 'hostile', 3, [
    'stores/redis/scripts.ts#EXTEND',
    "if not holds(ARGV[1]) then return answer('lost') end",
    '',
  ]),
  bug('the deadline counts from an answer that took its time', 'synchronised', 2, [
    'core/run/hold.ts#holdOf',
    'endMono: firstSentMono + leaseMs,',
    'endMono: firstSentMono + leaseMs + 6_000,',
  ]),
  bug('the deadline counts from the latest try', 'synchronised', 24, [
    'stores/redis/connection.ts#redisConnection',
    'sent ??= sentNow(call.clock);',
    'sent = sentNow(call.clock);',
  ]),
  bug('a signal that is asked does not look at the clocks', 'hostile', 52, [
    'core/run/watched-signal.ts#watchedController',
    'look();',
    '',
  ]),
];
