import { type Mutant, mutantsOf } from './mutant.js';

const SCRIPTS = 'stores/redis/scripts.ts';
const ADMIN_SCRIPTS = 'stores/redis/admin-scripts.ts';
const STILL_UNTIL = 'untilMs > now and not givenBack';
const HAS_ENDED = "string.find(',' .. (lock.barredAttempts or '') .. ',', ',' .. id .. ',', 1, true)";

const mutant = mutantsOf('redis');

export const REDIS_MUTANTS: readonly Mutant[] = [
  mutant(
    'an attempt whose answer was lost is not known again',
    'synchronised',
    1,
    [SCRIPTS, "if holds(id) then return answer('own') end", ''],
    [SCRIPTS, "if holds(ARGV[1]) then return answer('own') end", ''],
  ),
  mutant('a lease counts for nothing', 'synchronised', 2, [
    SCRIPTS,
    STILL_UNTIL,
    "untilMs > now and not givenBack and lock.state ~= 'held'",
  ]),
  mutant('lockAtLeastFor counts for nothing', 'synchronised', 2, [
    SCRIPTS,
    STILL_UNTIL,
    "untilMs > now and lock.state == 'held'",
  ]),
  mutant('a release forgets lockAtLeastFor', 'synchronised', 2, [
    SCRIPTS,
    "if atLeast ~= '0' then",
    "if atLeast == '' then",
  ]),
  mutant('an operator frees whatever lock there is', 'hostile', 24, [
    ADMIN_SCRIPTS,
    "if lock.state ~= 'held' or lock.fencingToken ~= ARGV[2] then return answer('changed') end",
    "if lock.state ~= 'held' then return answer('changed') end",
  ]),
  mutant('an operator deletes a lock that has been used since it was seen', 'hostile', 18, [
    ADMIN_SCRIPTS,
    "if text(count(lock.fencingToken or '0') or -1) ~= ARGV[2] then",
    'if false then',
  ]),
  mutant('an operator deletes a lock that is held', 'hostile', 9, [
    ADMIN_SCRIPTS,
    "if lock.state == 'held' then",
    'if false then',
  ]),
  mutant('an attempt that is over is granted', 'synchronised', 12, [
    SCRIPTS,
    `if lock.attemptId == id or ${HAS_ENDED} then`,
    'if false then',
  ]),
  mutant('an attempt that was released is not written down', 'synchronised', 22, [
    SCRIPTS,
    "ended(id)\nreturn answer('released')",
    "return answer('released')",
  ]),
  mutant('an attempt that was taken over from is not written down', 'suspended', 143, [
    SCRIPTS,
    "if lock.attemptId and lock.state == 'held' then ended(lock.attemptId) end",
    '',
  ]),
  mutant('an attempt that was cancelled is not written down', 'synchronised', 12, [
    SCRIPTS,
    "ended(ARGV[1])\nreturn answer('cancelled')",
    "return answer('cancelled')",
  ]),
  mutant('one ended attempt is remembered, not twenty', 'synchronised', 1, [
    SCRIPTS,
    'and #ids < 20 then',
    'and #ids < 1 then',
  ]),
  mutant('the fencing token does not rise', 'synchronised', 1, [
    SCRIPTS,
    'math.max(now, tonumber(lock.fencingToken or 0) + 1)',
    'tonumber(lock.fencingToken or now)',
  ]),
  mutant('a done tick is granted again', 'synchronised', 1, [
    SCRIPTS,
    "if tick ~= '' and lock.doneTick and tonumber(lock.doneTick) >= tonumber(tick) then return answer('refused') end",
    '',
  ]),
  mutant('an attempt for a done tick is cancelled all the same', 'synchronised', 4, [
    'stores/redis/lock.ts',
    'if (answer.ambiguous && !isDone) {',
    'if (answer.ambiguous) {',
  ]),
  mutant('an attempt that was refused for whatever reason is not cancelled', 'synchronised', 41, [
    'stores/redis/lock.ts',
    "const isDone = 'reply' in answer && doneReason(claim, answer.reply.item?.['doneTick']) !== undefined;",
    "const isDone = 'reply' in answer;",
  ]),
  mutant('with tickMark start a tick is not marked', 'synchronised', 1, [
    SCRIPTS,
    "if mark == '1' and",
    "if mark == '2' and",
  ]),
  mutant('a success does not mark its tick', 'synchronised', 6, [SCRIPTS, "if done ~= '' then", "if done == '-' then"]),
  mutant('anybody may release', 'hostile', 2, [
    SCRIPTS,
    "if not holds(id) then return answer(lock.attemptId == id and lock.state == 'released' and 'released' or 'other') end",
    '',
  ]),
  mutant('anybody may extend', 'hostile', 3, [SCRIPTS, "if not holds(ARGV[1]) then return answer('lost') end", '']),
  mutant('the deadline counts from an answer that took its time', 'synchronised', 2, [
    'core/run/hold.ts',
    'endMono: firstSentMono + leaseMs,',
    'endMono: firstSentMono + leaseMs + 6_000,',
  ]),
  mutant('the deadline counts from the latest try', 'synchronised', 24, [
    'stores/redis/connection.ts',
    'sent ??= sentNow(call.clock);',
    'sent = sentNow(call.clock);',
  ]),
  mutant('a signal that is asked does not look at the clocks', 'hostile', 52, [
    'core/run/watched-signal.ts',
    '        look();\n',
    '',
  ]),
];
