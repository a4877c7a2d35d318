import { FORCE_STEP } from '../../core/record/lock-record.js';
import { NOW } from '../../core/record/run-ring.js';
import { BY_HAND } from '../../core/values/names.js';
import { BASE_36, type RedisScript, script } from './scripts.js';

/*
 * The operators' verbs, as Lua scripts like those of `scripts.ts`. This file keeps them apart, so that no function's
 * bundle contains them.
 */

/** Answers `unknown` for a name without a record, or with a deleted record. */
const UNLESS_KNOWN = `if not next(lock) or lock.state == 'deleted' and not lock.pausedUntil then return answer('unknown') end`;

/**
 * Arguments: `adminId fencingToken failedTicks`; `failedTicks` is empty if the list does not change. Answers: `forced`;
 * `changed` if the lock is not held under that token. The script writes the same row of the history as `rowOfForce` in
 * run-ring.ts.
 */
export const FORCE_RELEASE: RedisScript = script(`${BASE_36}
local lock = read()
if lock.attemptId == ARGV[1] then return answer('forced') end
if lock.state ~= 'held' or lock.fencingToken ~= ARGV[2] then return answer('changed') end
ended(lock.attemptId)
local token, tick, lockedAt = count(lock.fencingToken) or 0, instant(lock.tick), instant(lock.lockedAt) or now
local byHand = string.sub(lock.attemptId, 1, 1) == '${BY_HAND}' and '${NOW}' or ''
local row = { 'x', tick and base36(tick) or byHand, base36(lockedAt), base36(math.max(0, now - lockedAt)), base36(token) }
local seq = count(lock.runSeq) or 0
set('r' .. (seq % 10), table.concat(row, '|'))
set('runSeq', text(seq + 1))
set('state', 'forced')
set('attemptId', ARGV[1])
set('lockUntil', text(now))
set('fencingToken', text(token + ${FORCE_STEP}))
if ARGV[3] ~= '' then set('failedTicks', ARGV[3]) end
write()
return answer('forced')
`);

/** Arguments: `pausedUntil pausedBy`. Answers: `paused`, with the new record. */
export const PAUSE: RedisScript = script(`
redis.call('HSET', key, 'pausedUntil', ARGV[1], 'pausedBy', ARGV[2], 'v', '1')
return answer('paused', 0, read())
`);

/** No arguments. Answers: `resumed`; `not-paused` if no pause was in force; `unknown` if there is no lock. */
export const RESUME: RedisScript = script(`
local lock = read()
${UNLESS_KNOWN}
redis.call('HDEL', key, 'pausedUntil', 'pausedBy')
local untilMs = lock.pausedUntil and (count(lock.pausedUntil) or now + 1) or 0
return answer(untilMs > now and 'resumed' or 'not-paused', 0, lock)
`);

/**
 * Arguments: `adminId fencingToken`. Answers: `deleted`; `held` while a lease lasts; `changed` if the token differs;
 * `unknown` if there is no lock. A corrupt token counts as different, and a lease with a corrupt `lockUntil` as a
 * lease that lasts.
 */
export const DELETE: RedisScript = script(`
local lock = read()
if lock.attemptId == ARGV[1] then return answer('deleted') end
${UNLESS_KNOWN}
if text(count(lock.fencingToken or '0') or -1) ~= ARGV[2] then return answer('changed', 0, lock) end
if lock.state == 'held' then
  if (instant(lock.lockUntil) or now + 1) > now then return answer('held', 0, lock) end
  ended(lock.attemptId)
end
for field in pairs(lock) do
  if field ~= 'fencingToken' and field ~= 'barredAttempts' then redis.call('HDEL', key, field) end
end
set('attemptId', ARGV[1])
set('state', 'deleted')
set('v', '1')
write()
return answer('deleted')
`);

/**
 * Arguments: the new `openTicks failedTicks`, then `fencingToken doneTick openTicks failedTicks` as they were read,
 * each empty if absent. Answers: `listed`; `changed` if the lock is held, has never run, was deleted, or has changed
 * since the read.
 */
export const LIST_TICKS: RedisScript = script(`
local lock = read()
local function has(field, value) return (lock[field] or '') == value end
if lock.state ~= 'released' and lock.state ~= 'forced' then return answer('changed') end
if not has('fencingToken', ARGV[3]) or not has('doneTick', ARGV[4]) then return answer('changed') end
if has('openTicks', ARGV[1]) and has('failedTicks', ARGV[2]) then return answer('listed') end
if not has('openTicks', ARGV[5]) or not has('failedTicks', ARGV[6]) then return answer('changed') end
redis.call('HSET', key, 'openTicks', ARGV[1], 'failedTicks', ARGV[2])
return answer('listed')
`);

export const GET: RedisScript = script(`
return answer('read', 0, read())
`);

/**
 * Arguments: `cursor`, and the prefix unless it is passed as a key. Answers: `page`, the next cursor, what this node of
 * a cluster serves (empty for a Redis without a cluster), and the names of a page. The prefix is passed as a key, so
 * that a client that adds its own prefix to each key adds it here too; but a node of a cluster may not own that key.
 */
const listScript = (own: string): RedisScript => ({
  text: `
local prefix = KEYS[1] or ARGV[2]
${own}
local pattern = string.gsub(prefix, '[\\\\*?%[%]]', '\\\\%0') .. '*'
local page = redis.call('SCAN', ARGV[1], 'MATCH', pattern, 'COUNT', 500, 'TYPE', 'hash')
local answer = { 'page', page[1], own }
for i, found in ipairs(page[2]) do answer[i + 3] = string.sub(found, #prefix + 1) end
return cjson.encode(answer)
`,
});

/** For a Redis that is never a node of a cluster, as far as its clients can see. */
export const LIST: RedisScript = listScript("local own = ''");

/** The list of one node. A missing right is an error. After any other error, this Redis is not a node of a cluster. */
export const LIST_NODE: RedisScript = listScript(`
local nodes = redis.pcall('CLUSTER', 'NODES')
local err = type(nodes) == 'table' and nodes.err or ''
if string.find(err, 'user executing') or string.find(err, 'ACL failure') then return nodes end
local own = type(nodes) == 'string' and string.match(nodes, '[^\\n]*myself[^\\n]*') or ''
`);

/** No arguments. Answers with the prefix, which a client may have lengthened. */
export const WHOLE_PREFIX: RedisScript = { text: 'return KEYS[1]' };
