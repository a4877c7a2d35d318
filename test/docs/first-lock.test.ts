import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { dynamoDBLocal, freshTable } from '../support/dynamodb-local.js';
import { type RedisServer, startRedisServer } from '../support/redis-server.js';
import { startUpstashBridge, type UpstashBridge } from '../support/upstash-bridge.js';
import { onlyExample } from './examples.js';
import { type ReadersProject, readersProject } from './readers-project.js';

/*
 * Runs the programs of docs/guides/first-lock.md, unchanged, on the published package.
 */

const PACKAGES = ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb', '@libsql', 'croner', 'ioredis'];

let project: ReadersProject;
let redis: RedisServer;
let bridge: UpstashBridge;
beforeAll(async () => {
  [project, redis] = await Promise.all([readersProject(PACKAGES), startRedisServer()]);
  bridge = await startUpstashBridge({ redisPort: redis.port });
}, 300_000);
afterAll(async () => {
  await bridge?.stop();
  await Promise.all([redis?.stop(), project?.remove()]);
});

const example = (part: string) => onlyExample('docs/guides/first-lock.md', ['ts', 'js'], part);

const stores = {
  sqlite: async () => ({ code: example('sqliteStore({'), env: {} }),
  dynamodb: async () => {
    const { client, endpoint } = dynamoDBLocal();
    const code = example('dynamoDBStore({').replace("'locks'", `'${await freshTable(client)}'`);
    const keys = { AWS_REGION: 'local', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
    const env = { AWS_ENDPOINT_URL_DYNAMODB: endpoint, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' };
    return { code, env: { ...keys, ...env } };
  },
  upstash: async () => ({
    code: example('upstashStore({'),
    env: { UPSTASH_REDIS_REST_URL: bridge.url, UPSTASH_REDIS_REST_TOKEN: bridge.token },
  }),
};

test.each(['sqlite', 'dynamodb', 'upstash'] as const)(
  'of two runs that race on %s one is skipped, and so is a third',
  async (kind) => {
    const { code, env } = await stores[kind]();
    await project.write('store.mjs', code);
    await project.write('job.mjs', example('process.argv[2]'));
    const job = ['job.mjs', '2026-11-21T02:00:00Z'];

    const racers = [project.start(job, env), project.start(job, env)];
    await Promise.all(racers.map(({ ended }) => ended));
    const third = project.start(job, env);
    await third.ended;

    expect(racers.map(({ lines }) => lines().at(-1)).sort()).toEqual(['executed', 'skipped']);
    expect(racers.flatMap(({ lines }) => lines().filter((line) => line.startsWith('working')))).toEqual([
      'working for 2026-11-21T02:00:00.000Z',
    ]);
    expect(third.lines()).toEqual([expect.stringContaining('skipped, this tick is done'), 'skipped']);
  },
  120_000,
);

test('of two processes with one schedule, one works for each tick', async () => {
  await project.write('worker.mjs', example('new Cron('));
  const workers = [0, 1].map(() => project.start(['worker.mjs'], { REDIS_URL: redis.url }));
  onTestFinished(() => {
    for (const { child } of workers) child.kill('SIGKILL');
  });
  const worked = () =>
    workers.flatMap(({ lines }) => lines().flatMap((line) => /works for (\S+)$/.exec(line)?.[1] ?? []));
  const skips = () => workers.flatMap(({ lines }) => lines().filter((line) => line.includes('skipped, ')));

  await expect.poll(() => worked().length > 1 && skips().length > 0, { timeout: 250_000, interval: 200 }).toBe(true);

  expect(new Set(worked()).size).toBe(worked().length);
}, 300_000);
