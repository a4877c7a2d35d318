/**
 * The work of `redis.ts`, in a process of its own. Its arguments are the address of a Redis, the number of rounds to
 * measure, and the name of the client.
 */
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { redisStore } from 'single-execution/redis';
import { COMPARE_AND_DELETE, compareAll, LEASE_MS, type Locks, type Works, worksOf } from './redis-locks.js';
import type { Work } from './side-by-side.js';

/** The number of calls that are measured at the server. */
const SERVED = 4_000;

const [url = '', rounds, kind] = process.argv.slice(2);
const keyPrefix = `${kind}:`;
const { locks, close } = kind === 'ioredis' ? await ofIoredis() : await ofNodeRedis();
process.stdout.write(`over ${kind}\n`);
const works = await worksOf(locks);
await compareAll(works, Number(rounds));
await compareServer(works);
close();

/** Prints what a run and a skip cost the server: bytes that it sends, and microseconds that its commands take. */
async function compareServer({ run, skip }: Works): Promise<void> {
  const watcher = new Redis(url);
  const measured = async (work: Work) => {
    const before = await costs(watcher);
    for (let i = 0; i < SERVED; i++) await work();
    const after = await costs(watcher);
    const idle = await costs(watcher);
    const bytes = after.bytes - before.bytes - (idle.bytes - after.bytes);
    return { bytes: Math.round(bytes / SERVED), µs: ((after.usec - before.usec) / SERVED).toFixed(1) };
  };
  for (const [title, kinds] of Object.entries({ run, skip })) {
    process.stdout.write(`what the server sends and works for a ${title}\n`);
    console.table({ bare: await measured(kinds.bare), ours: await measured(kinds.ours) });
  }
  watcher.disconnect();
}

async function costs(watcher: Redis): Promise<{ bytes: number; usec: number }> {
  const commands = (await watcher.info('commandstats')).matchAll(/cmdstat_(?:evalsha|set):calls=\d+,usec=(\d+)/g);
  const [, bytes] = /total_net_output_bytes:(\d+)/.exec(await watcher.info('stats')) ?? [];
  return { bytes: Number(bytes), usec: [...commands].reduce((sum, [, usec]) => sum + Number(usec), 0) };
}

async function ofIoredis(): Promise<{ locks: Locks; close: () => void }> {
  const client = new Redis(url, { maxRetriesPerRequest: 0 });
  const hash = String(await client.script('LOAD', COMPARE_AND_DELETE));
  const locks = {
    store: redisStore({ client, keyPrefix }),
    take: async (key: string, id: string) => (await client.set(key, id, 'PX', LEASE_MS, 'NX')) === 'OK',
    give: async (key: string, id: string) => (await client.evalsha(hash, 1, key, id)) === 1,
  };
  return { locks, close: () => client.disconnect() };
}

async function ofNodeRedis(): Promise<{ locks: Locks; close: () => void }> {
  const client = await createClient({ url }).connect();
  const hash = await client.scriptLoad(COMPARE_AND_DELETE);
  const locks = {
    store: redisStore({ client, keyPrefix }),
    take: async (key: string, id: string) => (await client.set(key, id, { PX: LEASE_MS, NX: true })) === 'OK',
    give: async (key: string, id: string) => (await client.evalSha(hash, { keys: [key], arguments: [id] })) === 1,
  };
  return { locks, close: () => client.destroy() };
}
