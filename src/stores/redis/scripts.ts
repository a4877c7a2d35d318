import { LOCK_ATTRIBUTES } from '../../core/record/lock-record.js';

/*
 * The verbs as Lua scripts over one hash for each lock. The scripts are constant and complete: a call passes its values
 * as KEYS and ARGV. A script runs alone, and reads the server's clock, so that each verb is one conditional write and
 * no client's clock decides. See docs/protocol.md, "On Redis".
 *
 * Each script answers with one JSON text. It is a list: a word, the server's time, a number that depends on the script
 * and, if the caller needs it, the record as it was before. The record is an object, or from `tell` a list: the values
 * of `LOCK_ATTRIBUTES` in their order, with 0 for an absent value, and without the absent values at the end. All values
 * are texts, so that no client rounds a number. The comment above a script lists its arguments and the words that it
 * can answer with. A number that belongs to a word stands in parentheses.
 *
 * The answer is a list, because a list cannot be mistaken for base64: @upstash/redis asks for base64, and decodes any
 * text that looks like it, even if the server sent plain text. It also parses each answer as JSON, and other texts cost
 * it an error.
 */

/*
 * The start of each script. Comments are outside the scripts, so that bundles leave them out.
 *
 * - `count` reads a whole number. Lua alone also reads 'inf' and '0x10' as numbers, and from 2^53 - 1 on cannot
 *   distinguish a number from the next one.
 * - `set` collects fields, and `write` writes them in one command.
 * - `ended` notes that an attempt has ended. Requests of such an attempt may still be under way, so the scripts refuse
 *   requests of the last twenty ended attempts.
 */
const PRELUDE = `
local key = KEYS[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function read()
  local record, flat = {}, redis.call('HGETALL', key)
  for i = 1, #flat, 2 do record[flat[i]] = flat[i + 1] end
  return record
end

local function text(number) return string.format('%.0f', number) end

local function answer(word, number, record) return cjson.encode({ word, text(now), text(number or 0), record }) end

local function count(value)
  local number = value and string.match(value, '^%d+$') and tonumber(value)
  return number and number < 9007199254740991 and number or nil
end

local function instant(value)
  local ms = count(value)
  return ms and ms >= 1e12 and ms < 1e14 and ms or nil
end

local changes = {}
local function set(field, value)
  changes[#changes + 1] = field
  changes[#changes + 1] = value
end

local function write() redis.call('HSET', key, unpack(changes)) end

local function barred() return ',' .. (redis.call('HGET', key, 'barredAttempts') or '') .. ',' end

local function ended(id)
  local others = barred()
  local from, to = string.find(others, ',' .. id .. ',', 1, true)
  if from then others = string.sub(others, 1, from) .. string.sub(others, to + 1) end
  local ids = id .. others
  local kept = string.match(ids, '^${'[^,]+,'.repeat(20)}') or ids
  set('barredAttempts', string.match(kept, '^.*[^,]'))
end
`;

/** Sets the fields that a call names, each name before its value, from an argument on. */
const setPairsFrom = (first: number) => `for i = ${first}, #ARGV do changes[#changes + 1] = ARGV[i] end`;

/**
 * For scripts that grant or extend: `isLate` returns whether the call is over. `callEnd` is the instant at which it ends
 * by this server's clock, or empty if the caller does not know this clock yet. A script that ends a run, marks a tick or
 * cancels has no such instant: it is right however late it comes.
 */
const IS_LATE = `
local function isLate(callEnd) return callEnd ~= '' and now >= tonumber(callEnd) end
`;

/** A script, with the text for `EVAL`. */
export interface RedisScript {
  readonly text: string;
}

/** Makes a script whose body reads the parts of the record that it needs. */
export const script = (body: string): RedisScript => ({ text: PRELUDE + body });

/**
 * Makes a script that begins by reading these attributes of a lock into `lock`. Its function `tell` answers with their
 * values.
 */
const scriptOver = (attributes: readonly string[], body: string): RedisScript =>
  script(`
local names = { '${attributes.join("', '")}' }
local lock, found = {}, redis.call('HMGET', key, unpack(names))
for i, name in ipairs(names) do
  if found[i] then lock[name] = found[i] else found[i] = 0 end
end

while found[#found] == 0 do found[#found] = nil end

local function reply(word, number) return answer(word, number, found) end

local function holds(id) return lock.attemptId == id and lock.state == 'held' end
${body}`);

/** Writes a whole number of 0 or more in base 36, as in lists of ticks and rows of the history. */
export const BASE_36 = `
local function base36(number)
  local digits = ''
  repeat
    local digit = number % 36
    digits = string.sub('0123456789abcdefghijklmnopqrstuvwxyz', digit + 1, digit + 1) .. digits
    number = (number - digit) / 36
  until number == 0
  return digits
end
`;

/**
 * For scripts that end a run without its release: `failTick` lists the run's tick as failed, like
 * `failedTicksAfterCrash` for the other stores. In base 36 every instant has eight or nine digits.
 */
const FAIL_TICK = `${BASE_36}
local function isTick(digits) return (#digits == 8 or #digits == 9) and not string.find(digits, '[^%da-z]') end

local function failTick()
  local tick = instant(lock.tick)
  if not tick or tick <= (count(lock.doneTick) or 0) then return end
  local ticks, listed = { base36(tick) }, 0
  for other in string.gmatch(lock.failedTicks or '', '[^,]+') do
    if isTick(other) then
      listed = listed + 1
      if other ~= ticks[1] then ticks[#ticks + 1] = other end
    end
  end
  table.sort(ticks, function(a, b) return #a < #b or #a == #b and a < b end)
  local most = (listed > 8 or not lock.doneTick) and 100 or 8
  while #ticks > most do table.remove(ticks, 1) end
  set('failedTicks', ',' .. table.concat(ticks, ',') .. ',')
end
`;

/**
 * For scripts that ask for a tick: `isOpen` returns whether the tick is open. `listed` is the tick as `openTicks`
 * contains it, or empty.
 */
const IS_OPEN = `
local function isOpen(tick, listed)
  local done = tonumber(lock.doneTick or 0)
  local isListed = listed ~= '' and string.find(lock.openTicks or '', listed, 1, true)
  return done < tonumber(tick) or done > tonumber(tick) and isListed
end
`;

/**
 * Arguments: `attemptId leaseMs tick listed callEnd field value …`. `listed` is the tick as `openTicks` would list it,
 * or empty. The fields are those that the grant writes, except its token and its times. Answers: `granted` (the fencing
 * token); `own` if this attempt already holds the lock; `refused`; `late` if it would be granted, but its call is over.
 *
 * A `lockUntil` in seconds or microseconds is never read as a time. A released lock is free even if the clock has
 * stepped back since. `passes` and `givenBack` are `isFreeFor` of the other stores.
 */
export const ACQUIRE: RedisScript = scriptOver(
  LOCK_ATTRIBUTES,
  `${FAIL_TICK}${IS_OPEN}${IS_LATE}
local id, lease, tick, listed = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
if holds(id) then return reply('own') end

local function isCount(value) return value == nil or count(value) ~= nil end
if not (isCount(lock.lockUntil) and isCount(lock.pausedUntil) and isCount(lock.doneTick)
  and isCount(lock.fencingToken)) then return reply('refused') end
local untilMs = tonumber(lock.lockUntil)
if untilMs and (untilMs < 1e12 or untilMs >= 1e14) then return reply('refused') end
local givenBack = lock.state == 'forced' or lock.state == 'released' and lock.lockUntil == lock.releasedAt
local due = tonumber(tick)
local passes = due and lock.state == 'released' and lock.result == 'succeeded' and (not lock.tick
  or due <= (instant(lock.lockedAt) or 0) or due < (count(lock.doneTick) or 0)
  or string.find(lock.failedTicks or '', ',' .. base36(due) .. ',', 1, true))
if untilMs and untilMs > now and not givenBack and not passes then return reply('refused') end
if lock.pausedUntil and tonumber(lock.pausedUntil) > now then return reply('refused') end
if tick ~= '' and not isOpen(tick, listed) then return reply('refused') end
if lock.attemptId == id or string.find(barred(), ',' .. id .. ',', 1, true) then return reply('refused') end
if isLate(ARGV[5]) then return answer('late') end

local token = math.max(now, tonumber(lock.fencingToken or 0) + 1)
if lock.attemptId and lock.state == 'held' then
  ended(lock.attemptId)
  failTick()
end
if tick == '' then redis.call('HDEL', key, 'tick') end
${setPairsFrom(6)}
set('fencingToken', text(token))
set('lockedAt', text(now))
set('lockUntil', text(now + lease))
write()
return reply('granted', token)
`,
);

/**
 * Arguments: `attemptId`. Answers: `own` if this attempt holds the lock; `cancelled`, after which no request of the
 * attempt is granted.
 */
export const CANCEL: RedisScript = scriptOver(
  LOCK_ATTRIBUTES,
  `
if holds(ARGV[1]) then return reply('own') end
ended(ARGV[1])
write()
return answer('cancelled')
`,
);

/**
 * Arguments: `attemptId leaseMs callEnd`. Answers: `extended` (the new `lockUntil`, never an earlier one); `lost`;
 * `late`.
 */
export const EXTEND: RedisScript = scriptOver(
  ['attemptId', 'state', 'lockUntil'],
  `${IS_LATE}
if not holds(ARGV[1]) then return answer('lost') end
if isLate(ARGV[3]) then return answer('late') end
local untilMs = math.max(instant(lock.lockUntil) or 0, now + tonumber(ARGV[2]))
set('lockUntil', text(untilMs))
write()
return answer('extended', untilMs)
`,
);

/**
 * Arguments: `attemptId leaseMs tick listed field value …`. The fields are `doneTick` and the lists of ticks, as far as
 * they change. Answers: `marked` (the new `lockUntil`); `lost`. A late copy of the request finds its tick done, and
 * changes none of these fields.
 */
export const MARK: RedisScript = scriptOver(
  ['attemptId', 'state', 'lockUntil', 'doneTick', 'openTicks'],
  `${IS_OPEN}
local id, lease, tick, listed = unpack(ARGV)
if not holds(id) or not count(lock.doneTick or '0') then return answer('lost') end
local untilMs = math.max(instant(lock.lockUntil) or 0, now + tonumber(lease))
set('lockUntil', text(untilMs))
if isOpen(tick, listed) then ${setPairsFrom(5)} end
write()
return answer('marked', untilMs)
`,
);

/**
 * Arguments: `attemptId lockAtLeastForMs row crashedRow field value …`. `row` is the run's row of the history.
 * `crashedRow` is the row of the run before, empty if that run did not crash. The fields are how the run ended, and the
 * ticks that change. Answers: `released`; `other`, with the whole record, if this attempt does not hold the lock.
 */
export const RELEASE: RedisScript = scriptOver(
  ['attemptId', 'state', 'lockedAt', 'runSeq'],
  `
local id, atLeast, row, crashed = unpack(ARGV)
if not holds(id) then return answer('other', 0, read()) end

local untilMs = now
if atLeast ~= '0' then untilMs = math.max(now, math.min(now, instant(lock.lockedAt) or now) + tonumber(atLeast)) end
${setPairsFrom(5)}
set('state', 'released')
set('lockUntil', text(untilMs))
set('releasedAt', text(now))
local seq = count(lock.runSeq) or 0
for _, line in ipairs({ crashed, row }) do
  if line ~= '' then
    set('r' .. (seq % 10), line)
    seq = seq + 1
  end
end
set('runSeq', text(seq))
ended(id)
write()
return answer('released')
`,
);

/**
 * Arguments: `me gone …`. `me` is the attribute of the member that checks in, empty if the caller only reads; `gone …`
 * are attributes of members to take off the list. Answers: `listed`, with the current list.
 */
export const CHECK_IN: RedisScript = script(`
if ARGV[1] ~= '' then redis.call('HSET', key, ARGV[1], text(now)) end
for i = 2, #ARGV do redis.call('HDEL', key, ARGV[i]) end
return answer('listed', 0, read())
`);
