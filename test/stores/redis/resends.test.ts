import { Redis as UpstashRedis } from '@upstash/redis';
import { Cluster, Redis } from 'ioredis';
import { createClient } from 'redis';
import { redisAdminStore, redisStore } from 'single-execution/redis';
import { upstashStore } from 'single-execution/upstash';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { packagesOf } from '../../support/package-sets.js';

/* One warning for a client whose own options let it send a request after its call has given up. */

const oldest = await packagesOf('test/oldest-sdk');
const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
afterEach(() => warned.mockClear());

const warnings = () => warned.mock.calls.map(([line]) => (JSON.parse(String(line)) as { message: string }).message);

const ioredis = (options: object, Its = Redis) => {
  const client = new Its({ port: 1, lazyConnect: true, enableOfflineQueue: false, ...options });
  client.on('error', () => undefined);
  onTestFinished(() => client.disconnect());
  return redisStore({ client });
};
const upstash = (options: object) =>
  upstashStore({ redis: new UpstashRedis({ url: 'https://x.y', token: 'z', ...options }) });

const SENDS = 'so it can send a request after its call has given up';
const cluster = (options: object) =>
  redisStore({ client: new Cluster([{ port: 1 }], { lazyConnect: true, ...options }) as never });

test.each<[string, () => unknown, string?]>([
  [
    'ioredis as it comes',
    () => ioredis({}),
    `has maxRetriesPerRequest: 20, ${SENDS}: pass the store a client of its own, with maxRetriesPerRequest: 0`,
  ],
  ['ioredis as BullMQ has it', () => ioredis({ maxRetriesPerRequest: null }), 'has maxRetriesPerRequest: null,'],
  ['ioredis that retries once', () => ioredis({ maxRetriesPerRequest: 1 }), 'has maxRetriesPerRequest: 1,'],
  [
    'ioredis that connects at its first command and keeps it',
    () => ioredis({ maxRetriesPerRequest: 0, enableOfflineQueue: true }),
    `has lazyConnect: true, ${SENDS}: await client.connect() before the first run, or set enableOfflineQueue: false`,
  ],
  ['a cluster of ioredis', () => cluster({}), `has retryDelayOnFailover: 100, ${SENDS}: set retryDelayOnFailover: 0`],
  ['@upstash/redis as it comes', () => upstash({}), `has retries of its own (5), ${SENDS}: set retry: { retries: 0 }`],
  ['@upstash/redis with retry: false', () => upstash({ retry: false }), 'has retries of its own (1),'],
  [
    'two clients of one kind, of two versions',
    () => {
      ioredis({ maxRetriesPerRequest: 7 });
      return ioredis({ maxRetriesPerRequest: 7 }, (oldest('ioredis') as { default: typeof Redis }).default);
    },
    'has maxRetriesPerRequest: 7,',
  ],
  ['ioredis that is told', () => ioredis({ maxRetriesPerRequest: 0 })],
  ['ioredis that never connects again', () => ioredis({ maxRetriesPerRequest: 9, retryStrategy: null })],
  ['ioredis that resends nothing', () => ioredis({ maxRetriesPerRequest: 9, autoResendUnfulfilledCommands: false })],
  ['ioredis for operators', () => redisAdminStore({ client: new Redis({ lazyConnect: true }) })],
  ['a cluster of ioredis that is told', () => cluster({ retryDelayOnFailover: 0 })],
  ['node-redis', () => redisStore({ client: createClient() })],
  ['@upstash/redis that is told', () => upstash({ retry: { retries: 0 } })],
  ['a client of your own', () => redisStore({ client: { eval: async () => 1, evalsha: async () => 1 } })],
])('%s: one warning, with the option and the remedy, if there is any', (_, make, message) => {
  make();
  make();
  expect(warnings()).toEqual(message === undefined ? [] : [expect.stringContaining(message)]);
});
