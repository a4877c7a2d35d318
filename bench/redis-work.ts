/**
 * The work of `redis.ts`, in a process of its own. Its arguments are the address of a Redis, how many rounds to
 * measure, and the client.
 */
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { redisStore } from 'single-execution/redis';
import { COMPARE_AND_DELETE, compareAll, LEASE_MS, type Locks, worksOf } from './redis-locks.js';

const [url = '', rounds, kind] = process.argv.slice(2);
const keyPrefix = `${kind}:`;
const { locks, close } = kind === 'ioredis' ? await ofIoredis() : await ofNodeRedis();
process.stdout.write(`over ${kind}\n`);
await compareAll(await worksOf(locks), Number(rounds));
close();

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
