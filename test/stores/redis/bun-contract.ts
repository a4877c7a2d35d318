import { redisAdminStore, redisStore } from 'single-execution/redis';
import { lockStoreContract } from 'single-execution/testing';
import { redisHarness } from '../../support/contract-harness.js';
import { memberCases } from '../../support/member-cases.js';
import { redisCases } from '../../support/redis-cases.js';

/* Runs in Bun: plays the contract of all stores over Bun's own client, and prints how many cases passed. */

// Bun has no types beside it here.
const { RedisClient, version } = (
  globalThis as never as { Bun: { RedisClient: new (url: string) => Client; version: string } }
).Bun;
type Client = Parameters<typeof redisStore>[0]['client'] & {
  send(command: string, args: string[]): Promise<unknown>;
};

const client = new RedisClient(process.env['REDIS_URL'] ?? '');
const keyPrefix = 'bun:';
const options = { client, keyPrefix };
const harness = redisHarness({
  store: redisStore(options),
  admin: redisAdminStore(options),
  keyPrefix,
  hset: (key, fields) => client.send('HSET', [key, ...Object.entries(fields).flat()]),
});
const cases = [...lockStoreContract, ...redisCases, ...memberCases];
const failed: string[] = [];
for (const { name, check } of cases) await check(harness).catch((error: unknown) => failed.push(`${name}: ${error}`));
process.stdout.write(JSON.stringify({ version, failed, passed: cases.length - failed.length, cases: cases.length }));
process.exit();
