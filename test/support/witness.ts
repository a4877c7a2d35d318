import type { Redis } from 'ioredis';

/*
 * What leaders write to, in a Redis: it refuses a write of an older term than it has seen, as a resource should, and
 * keeps record of all of them. Terms and instants come in one order, since a script runs alone.
 */

/** `term candidate assertedAtMs` or, for a write that nobody has asserted, an empty instant. */
const WRITE = `
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local seen = redis.call('HGET', KEYS[1], 'term') or '0'
local word = 'refused'
if tonumber(ARGV[1]) >= tonumber(seen) then
  word = 'accepted'
  if ARGV[1] ~= seen then redis.call('HSET', KEYS[1], 'term', ARGV[1], 'candidate', ARGV[2], 'since', now) end
end
redis.call('RPUSH', KEYS[2], table.concat({ word, ARGV[1], ARGV[2], ARGV[3], now }, ' '))
return word
`;

export interface WitnessedWrite {
  readonly isAccepted: boolean;
  readonly term: number;
  readonly candidate: string;
  /** When the writer had last made sure that it leads; absent when it had not. */
  readonly assertedAtMs?: number;
  /** When the write was applied. */
  readonly atMs: number;
}

/** The newest term that has written. */
export interface Reign {
  readonly term: number;
  readonly candidate: string;
  readonly sinceMs: number;
}

export interface Witness {
  write(term: number, candidate: string, assertedAtMs: number | undefined): Promise<'accepted' | 'refused'>;
  reign(): Promise<Reign | undefined>;
  writes(): Promise<WitnessedWrite[]>;
}

export function witness(redis: Redis, name: string): Witness {
  const state = `witness:${name}`;
  const log = `witness-log:${name}`;
  return {
    async write(term, candidate, assertedAtMs) {
      const word = await redis.eval(WRITE, 2, state, log, String(term), candidate, String(assertedAtMs ?? '-'));
      return word === 'accepted' ? 'accepted' : 'refused';
    },
    async reign() {
      const [term, candidate, since] = await redis.hmget(state, 'term', 'candidate', 'since');
      return term && candidate ? { term: Number(term), candidate, sinceMs: Number(since) } : undefined;
    },
    async writes() {
      return (await redis.lrange(log, 0, -1)).map((line) => {
        const [word, term, candidate = '', asserted, at] = line.split(' ');
        const assertedAtMs = asserted === '-' ? {} : { assertedAtMs: Number(asserted) };
        return { isAccepted: word === 'accepted', term: Number(term), candidate, ...assertedAtMs, atMs: Number(at) };
      });
    },
  };
}

/** What a record of writes says of those who led. */
export interface Tally {
  readonly accepted: number;
  readonly refused: number;
  readonly terms: number;
  /** Pairs of terms with a moment at which both had made sure that they lead, and both got a write in. */
  readonly twoLeaders: number;
  /** Whether each accepted write's term is not smaller than the one before. */
  readonly termsRise: boolean;
}

export function tally(writes: readonly WitnessedWrite[]): Tally {
  const accepted = writes.filter(({ isAccepted }) => isAccepted);
  const pairs = new Set<string>();
  /** The last instant at which each term got a write in. */
  const lastAtMs = new Map<number, number>();
  let termsRise = true;
  let newest = 0;
  for (const { term, assertedAtMs, atMs } of accepted) {
    if (term < newest) termsRise = false;
    newest = Math.max(newest, term);
    if (assertedAtMs === undefined) continue;
    for (const [other, otherAtMs] of lastAtMs) {
      if (other !== term && otherAtMs > assertedAtMs) pairs.add(`${other} ${term}`);
    }
    lastAtMs.set(term, atMs);
  }
  return {
    accepted: accepted.length,
    refused: writes.length - accepted.length,
    terms: new Set(accepted.map(({ term }) => term)).size,
    twoLeaders: pairs.size,
    termsRise,
  };
}
