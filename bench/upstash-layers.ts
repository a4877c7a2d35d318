/**
 * Breaks down the cost of a skip over Upstash. Compares each layer, from a script that does nothing to a whole skip,
 * with a refused SET NX PX. `upstash.ts [rounds] [20|22|24] layers` runs this file in its own process.
 */
import { Redis } from '@upstash/redis';
import { upstashStore } from 'single-execution/upstash';
import { listedTick } from '../src/core/record/open-ticks.js';
import { grantFields } from '../src/core/record/transition.js';
import { systemClock } from '../src/core/values/clock.js';
import { newAttemptId } from '../src/core/values/names.js';
import { ACQUIRE } from '../src/stores/redis/scripts.js';
import { LEASE_MS, worksOf } from './redis-locks.js';
import { compare, type Work } from './side-by-side.js';

const OLD_TICK = Date.UTC(2026, 0, 1);
const LOCKED_BY = 'a function 1 us-east-1 of the benchmark';

const claim = { name: 'done', leaseMs: LEASE_MS, lockedBy: LOCKED_BY, tickMs: OLD_TICK, markTickAtStart: false };

const [url = '', token = '', rounds] = process.argv.slice(2);
const redis = new Redis({ url, token, retry: { retries: 0 } });
const store = upstashStore({ redis });
const { skip } = await worksOf({
  store,
  take: async (key, id) => (await redis.set(key, id, { nx: true, px: LEASE_MS })) === 'OK',
  give: async (key) => (await redis.del(key)) === 1,
});

/** Makes work that sends a script with the arguments of an acquire that is skipped. */
async function sending(script: string): Promise<Work> {
  const hash = await redis.scriptLoad(script);
  const fields = Object.entries(grantFields({ ...claim, attemptId: '' }, 0, 0))
    .flat()
    .map(String);
  const args = [String(LEASE_MS), String(OLD_TICK), listedTick(OLD_TICK), ...fields];
  return () => redis.evalsha(hash, ['lock:done'], [newAttemptId(), ...args]);
}

const acquire = () => {
  const { signal } = new AbortController();
  const call = { clock: systemClock, signal, tryMs: 1_000, budgetMs: 5_000, maxClockSkewMs: 1_000 };
  return store.acquire({ ...claim, attemptId: newAttemptId() }, call);
};

const acquiring = await sending(ACQUIRE.text);
const refusal = JSON.stringify(await acquiring());
const layers: Record<string, Work> = {
  'a script that does nothing': await sending('return 1'),
  'a script that gives a constant answer, as long as ours': await sending(`return '${refusal}'`),
  'a script that reads the time and the record': await sending(
    `redis.call('TIME') redis.call('HGETALL', KEYS[1]) return '${refusal}'`,
  ),
  'the script of an acquire': acquiring,
  'an acquire by the store': acquire,
  'a skip': skip.ours,
};
for (const [layer, ours] of Object.entries(layers)) {
  await compare(`${layer}, against a refused SET NX PX`, { rounds: Number(rounds) }, { bare: skip.bare, ours });
}
