import type { Redis } from 'ioredis';

/*
 * A resource in a Redis to which leaders write. It refuses a write with an older term than it has seen, as a resource
 * should, and records all writes. A script runs alone, so terms and instants come in one order.
 */

/**
 * Arguments: `term candidate assertedAtMs`. If nobody has asserted the lead for this write, `-` replaces the instant.
 */
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
  /** An instant at which the writer led, by its assertion before the write. Absent if it wrote without asserting. */
  readonly assertedAtMs?: number;
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

/** What the recorded writes say about the leaders. */
export interface Tally {
  readonly accepted: number;
  readonly refused: number;
  readonly terms: number;
  /**
   * The number of pairs of terms of which the older one led, by its own assertion, after the newer one had led. When a
   * write came to the witness does not matter: it may have waited there.
   */
  readonly twoLeaders: number;
  /** Whether no accepted write has a smaller term than the accepted write before it. */
  readonly termsRise: boolean;
}

export function tally(writes: readonly WitnessedWrite[]): Tally {
  const accepted = writes.filter(({ isAccepted }) => isAccepted);
  const termsRise = accepted.every(({ term }, n) => term >= (accepted[n - 1]?.term ?? 0));
  /** For each term, the first and the last instant at which it led. */
  const reigns = new Map<number, { readonly fromMs: number; readonly toMs: number }>();
  for (const { term, assertedAtMs } of writes) {
    if (assertedAtMs === undefined) continue;
    const { fromMs = assertedAtMs, toMs = assertedAtMs } = reigns.get(term) ?? {};
    reigns.set(term, { fromMs: Math.min(fromMs, assertedAtMs), toMs: Math.max(toMs, assertedAtMs) });
  }
  const inOrder = [...reigns].sort(([one], [other]) => one - other).map(([, reign]) => reign);
  const twoLeaders = inOrder.reduce(
    (sum, { fromMs }, n) => sum + inOrder.slice(0, n).filter(({ toMs }) => toMs > fromMs).length,
    0,
  );
  return {
    accepted: accepted.length,
    refused: writes.length - accepted.length,
    terms: new Set(accepted.map(({ term }) => term)).size,
    twoLeaders,
    termsRise,
  };
}
