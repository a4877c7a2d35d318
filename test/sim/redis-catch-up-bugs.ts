import { bugsOf, type SimBug } from './sim-bug.js';

const bug = bugsOf('redis');

// biome-ignore format: each bug in a few rows, not each text in one
export const REDIS_CATCH_UP_BUGS: readonly SimBug[] = [
  bug('anybody may mark', 'hostile', 8,
    ['stores/redis/scripts.ts#MARK', 'if not holds(id) or not count(', 'if not count(']),
  bug('a mark moves the end of the lease for its run alone', 'synchronised', 262,
    ['stores/redis/scripts.ts#MARK', "redis.call('HSET', key, 'lockUntil', text(untilMs))", '']),
  bug('a mark does not write the newest tick done', 'synchronised', 15,
    ['stores/redis/scripts.ts#MARK', "redis.call('HSET', key, 'doneTick', done)", '']),
  bug('a mark does not write the open ticks', 'synchronised', 15,
    ['stores/redis/scripts.ts#MARK', "if open ~= '' then", "if open == '-' then"]),
];
