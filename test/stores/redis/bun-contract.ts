import { redisAdminStore, redisStore } from 'single-execution/redis';
import { lockStoreContract } from 'single-execution/testing';
import { redisHarness } from '../../support/contract-harness.js';
import { memberCases } from '../../support/member-cases.js';
import { redisCases } from '../../support/redis-cases.js';
import { playCases } from '../play-cases.js';

/* Runs in Bun: plays the contract of all stores over Bun's own client, and prints the results. */

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
process.stdout.write(JSON.stringify({ version, ...(await playCases(cases, harness)) }));
process.exit();
