/*
 * The verbs as Lua scripts over one hash a lock, constant and complete: a call passes its values as KEYS and ARGV. A
 * script runs alone, and reads the server's clock, so that each verb is one conditional write and no client's clock
 * decides. See docs/protocol.md, "On Redis".
 *
 * Each answers with one JSON text: a list of a word, the server's time, a number that depends on the script and, if its
 * caller needs it, the record as it was before. @upstash/redis parses each answer as JSON; other texts cost it an
 * error. All values are texts, so that no client rounds a number. A list cannot be mistaken for base64: @upstash/redis
 * asks for base64, and decodes any text that looks like it, even if the server sent plain text.
 */

/*
 * The start of each script. Comments are outside the scripts, so that bundles leave them out.
 *
 * - `tell` leaves out the history, r0 to r9, and the ended attempts: they are most of a record, and no verdict needs
 *   them.
 * - `count`: Lua also reads 'inf' and '0x10' as numbers, and from 2^53 - 1 on cannot distinguish one from the next.
 * - `ended`: a request of an ended attempt may still be under way, so the last twenty ended attempts are refused.
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

local lock = read()

local function text(number) return string.format('%.0f', number) end

local function answer(word, number, record) return cjson.encode({ word, text(now), text(number or 0), record }) end

local function tell(word, number)
  local told = {}
  for field, value in pairs(lock) do
    if #field ~= 2 and field ~= 'barredAttempts' then told[field] = value end
  end
  return answer(word, number, told)
end

local function count(value)
  local number = value and string.match(value, '^%d+$') and tonumber(value)
  return number and number < 9007199254740991 and number or nil
end

local function instant(value)
  local ms = count(value)
  return ms and ms >= 1e12 and ms < 1e14 and ms or nil
end

local function holds(id) return lock.attemptId == id and lock.state == 'held' end

local function ended(id)
  local ids = { id }
  for other in string.gmatch(lock.barredAttempts or '', '[^,]+') do
    if other ~= id and #ids < 20 then ids[#ids + 1] = other end
  end
  redis.call('HSET', key, 'barredAttempts', table.concat(ids, ','))
end
`;

/** A script, with the text for `EVAL`. */
export interface RedisScript {
  readonly text: string;
}

/** A script over one lock. */
export const script = (body: string): RedisScript => ({ text: PRELUDE + body });

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
  redis.call('HSET', key, 'failedTicks', ',' .. table.concat(ticks, ',') .. ',')
end
`;

/** For scripts that ask for a tick: whether it is open. `listed` is the tick as `openTicks` contains it, or empty. */
const IS_OPEN = `
local function isOpen(tick, listed)
  local done = tonumber(lock.doneTick or 0)
  local isListed = listed ~= '' and string.find(lock.openTicks or '', listed, 1, true)
  return done < tonumber(tick) or done > tonumber(tick) and isListed
end
`;

/**
 * `attemptId leaseMs lockedBy tick markTickAtStart listed`: `granted` (the fencing token), `own`, or `refused`.
 * `listed` is the tick as `openTicks` would list it.
 *
 * An end in seconds or microseconds is never read as a time. A released lock is free even if the clock has stepped back
 * since.
 */
export const ACQUIRE: RedisScript = script(`${FAIL_TICK}${IS_OPEN}
local id, lease, who, tick, mark, listed = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5], ARGV[6]
if holds(id) then return tell('own') end

local function isCount(value) return value == nil or count(value) ~= nil end
local readable = isCount(lock.lockUntil) and isCount(lock.pausedUntil) and isCount(lock.doneTick)
  and isCount(lock.fencingToken)
if not readable then return tell('refused') end
local untilMs = tonumber(lock.lockUntil)
if untilMs and (untilMs < 1e12 or untilMs >= 1e14) then return tell('refused') end
local givenBack = lock.state == 'forced' or lock.state == 'released' and lock.lockUntil == lock.releasedAt
if untilMs and untilMs > now and not givenBack then return tell('refused') end
if lock.attemptId == id or string.find(',' .. (lock.barredAttempts or '') .. ',', ',' .. id .. ',', 1, true) then
  return tell('refused')
end
if lock.pausedUntil and tonumber(lock.pausedUntil) > now then return tell('refused') end
if tick ~= '' and not isOpen(tick, listed) then return tell('refused') end

local token = math.max(now, tonumber(lock.fencingToken or 0) + 1)
if lock.attemptId and lock.state == 'held' then
  ended(lock.attemptId)
  failTick()
end
redis.call('HSET', key, 'attemptId', id, 'fencingToken', text(token), 'state', 'held', 'lockedAt', text(now),
  'lockUntil', text(now + lease), 'leaseMs', text(lease), 'lockedBy', who, 'v', '1')
if tick == '' then redis.call('HDEL', key, 'tick') else redis.call('HSET', key, 'tick', tick) end
if mark == '1' and tick ~= '' then redis.call('HSET', key, 'doneTick', tick) end
return tell('granted', token)
`);

/** `attemptId`: `own`, or `cancelled`, after which no request of the attempt is granted. */
export const CANCEL: RedisScript = script(`
if holds(ARGV[1]) then return tell('own') end
ended(ARGV[1])
return answer('cancelled')
`);

/** `attemptId leaseMs`: `extended` (the new lockUntil, never an earlier one), or `lost`. */
export const EXTEND: RedisScript = script(`
if not holds(ARGV[1]) then return answer('lost') end
local untilMs = math.max(instant(lock.lockUntil) or 0, now + tonumber(ARGV[2]))
redis.call('HSET', key, 'lockUntil', text(untilMs))
return answer('extended', untilMs)
`);

/**
 * `attemptId leaseMs tick listed doneTick openTicks failedTicks`, with empty lists if they do not change: `marked` (the
 * new lockUntil), or `lost`. A late copy finds its tick done, and changes no list.
 */
export const MARK: RedisScript = script(`${IS_OPEN}
local id, lease, tick, listed, done, open, failed = unpack(ARGV)
if not holds(id) or not count(lock.doneTick or '0') then return answer('lost') end
local untilMs = math.max(instant(lock.lockUntil) or 0, now + tonumber(lease))
redis.call('HSET', key, 'lockUntil', text(untilMs))
if not isOpen(tick, listed) then return answer('marked', untilMs) end
redis.call('HSET', key, 'doneTick', done)
if open ~= '' then redis.call('HSET', key, 'openTicks', open) end
if failed ~= '' then redis.call('HSET', key, 'failedTicks', failed) end
return answer('marked', untilMs)
`);

/**
 * `attemptId result error lockAtLeastForMs doneTick openTicks failedTicks row crashedRow`: `released`, or `other`.
 * From `error` on, an argument without a value is empty. The release of a run writes its history.
 */
export const RELEASE: RedisScript = script(`
local id, result, err, atLeast, done, open, failed, row, crashed = unpack(ARGV)
if not holds(id) then
  local isReleased = lock.attemptId == id and lock.state == 'released'
  return answer(isReleased and 'released' or 'other', 0, lock)
end

local untilMs = now
if atLeast ~= '0' then untilMs = math.max(now, math.min(now, instant(lock.lockedAt) or now) + tonumber(atLeast)) end
redis.call('HSET', key, 'state', 'released', 'lockUntil', text(untilMs), 'releasedAt', text(now), 'result', result)
if err ~= '' then redis.call('HSET', key, 'error', err) end
if done ~= '' then redis.call('HSET', key, 'doneTick', done) end
if open ~= '' then redis.call('HSET', key, 'openTicks', open) end
if failed ~= '' then redis.call('HSET', key, 'failedTicks', failed) end
local seq = count(lock.runSeq) or 0
for _, line in ipairs({ crashed, row }) do
  if line ~= '' then
    redis.call('HSET', key, 'r' .. (seq % 10), line)
    seq = seq + 1
  end
end
redis.call('HSET', key, 'runSeq', text(seq))
ended(id)
return answer('released')
`);

/** `me gone…`, the attributes of members; `me` is empty if the caller only reads: `listed`, with the current list. */
export const CHECK_IN: RedisScript = script(`
if ARGV[1] ~= '' then redis.call('HSET', key, ARGV[1], text(now)) end
for i = 2, #ARGV do redis.call('HDEL', key, ARGV[i]) end
return answer('listed', 0, read())
`);
