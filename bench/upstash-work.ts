/**
 * The work of `upstash.ts`, in a process of its own. Its arguments are the address and the token of a Redis behind
 * Upstash's REST API, and the number of rounds to measure.
 */
import { Redis } from '@upstash/redis';
import { upstashStore } from 'single-execution/upstash';
import { AT_ONCE, COMPARE_AND_DELETE, compareAll, LEASE_MS, runsOf, worksOf } from './redis-locks.js';
import type { Work } from './side-by-side.js';

const [url = '', token = '', rounds] = process.argv.slice(2);
const clientOf = () => new Redis({ url, token, retry: { retries: 0 } });
const redis = clientOf();

/** Counts what a piece of work sends and receives: requests, and the bytes of their bodies. */
async function counted(work: Work): Promise<Record<'requests' | 'sent, bytes' | 'received, bytes', number>> {
  const { fetch } = globalThis;
  const traffic = { requests: 0, 'sent, bytes': 0, 'received, bytes': 0 };
  globalThis.fetch = async (input, init) => {
    traffic.requests++;
    traffic['sent, bytes'] += String(init?.body).length;
    const response = await fetch(input, init);
    traffic['received, bytes'] += (await response.clone().arrayBuffer()).byteLength;
    return response;
  };
  await work();
  globalThis.fetch = fetch;
  return traffic;
}

const works = await worksOf({
  store: upstashStore({ redis }),
  take: async (key, id) => (await redis.set(key, id, { nx: true, px: LEASE_MS })) === 'OK',
  give: async (key, id) => (await redis.eval(COMPARE_AND_DELETE, [key], [id])) === 1,
});
const { run, skip, runs } = works;
console.table({
  'a bare run': await counted(run.bare),
  'our run': await counted(run.ours),
  'a bare skip': await counted(skip.bare),
  'our skip': await counted(skip.ours),
  [`${AT_ONCE} bare runs`]: await counted(runs.bare),
  [`${AT_ONCE} runs of ours`]: await counted(runs.ours),
});
await redis.scriptFlush();
const fresh = runsOf(upstashStore({ redis: clientOf() }));
console.table({
  [`${AT_ONCE} runs of ours, by a fresh client, of scripts that Redis does not know`]: await counted(fresh),
});
await compareAll(works, Number(rounds));
