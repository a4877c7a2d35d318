import { bugsOf, type SimBug } from './sim-bug.js';

const bug = bugsOf('redis');

// biome-ignore format: each bug in a few rows, not each text in one
export const REDIS_TICK_BUGS: readonly SimBug[] = [
  bug('the tick of a dead holder is forgotten', 'synchronised', 8,
    ['stores/redis/scripts.ts#ACQUIRE', 'failTick()', '']),
  bug('the tick of a dead holder is open although it is done', 'synchronised', 1,
    ['stores/redis/scripts.ts#FAIL_TICK', 'if not tick or tick <= (count(lock.doneTick) or 0) then return end',
      'if not tick then return end']),
  bug('the tick of a dead holder replaces those that failed before', 'synchronised', 17,
    ['stores/redis/scripts.ts#FAIL_TICK', "string.gmatch(lock.failedTicks or '', '[^,]+')",
      "string.gmatch('', '[^,]+')"]),
  bug('the tick of a dead holder is listed twice', 'synchronised', 17,
    ['stores/redis/scripts.ts#FAIL_TICK', 'if other ~= ticks[1] then', 'if true then']),
  bug('the oldest failed ticks are kept, and not the newest', 'synchronised', 186,
    ['stores/redis/scripts.ts#FAIL_TICK', 'table.remove(ticks, 1)', 'table.remove(ticks)']),
  bug('the tick that a force release ends is forgotten', 'hostile', 3,
    ['stores/redis/admin-scripts.ts#FORCE_RELEASE', "if ARGV[3] ~= '' then", "if ARGV[3] == '-' then"]),
  bug('a release does not write the open ticks', 'synchronised', 6,
    ['stores/redis/scripts.ts#RELEASE', "if open ~= '' then", "if open == '-' then"]),
  bug('a release does not write the ticks that failed', 'synchronised', 6,
    ['stores/redis/scripts.ts#RELEASE', "if failed ~= '' then", "if failed == '-' then"]),
  bug('an older tick is granted while another one is open', 'synchronised', 6,
    ['stores/redis/scripts.ts#IS_OPEN', "string.find(lock.openTicks or '', listed, 1, true)", 'lock.openTicks']),
  bug('no older tick is granted', 'synchronised', 6,
    ['stores/redis/scripts.ts#IS_OPEN', 'or done > tonumber(tick) and isListed', '']),
  bug('the success of an older tick lowers the newest one done', 'synchronised', 6,
    ['core/record/open-ticks.ts#ticksAfterRun', 'const doneTick = Math.max(tickMs, doneTickMs);',
      'const doneTick = tickMs;']),
  bug('an attempt for an older tick that is open is not cancelled', 'synchronised', 29,
    ['core/request/attempt.ts#settleAttempt',
      'isDone = record !== undefined && doneReason(claim, record) !== undefined;',
      "isDone = Number(record?.['doneTick']) >= Number(claim.tickMs);"]),
];
