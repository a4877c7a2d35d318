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
    /** Starts runs at the same time; once more, for the tick `step` days later, if the store did not answer one in time. */
    const played = async (count: number, day: number, step: number) => {
      for (let tick = day; ; tick += step) {
        const job = ['job.mjs', `2026-11-${tick}T02:00:00Z`];
        const runs = Array.from({ length: count }, () => project.start(job, env));
        await Promise.all(runs.map(({ ended }) => ended));
        const lines = runs.map((run) => run.lines());
        const works = lines.flat().filter((line) => line.startsWith('working'));
        expect(works.length).toBeLessThanOrEqual(1);
        if (!lines.flat().some((line) => line.includes('UNAVAILABLE'))) return { tick, lines, works };
      }
    };

    const { tick, lines, works } = await played(2, 11, 1);
    const third = await played(1, tick, 0);

    expect(lines.map((said) => said.at(-1)).sort()).toEqual(['executed', 'skipped']);
    expect(works).toEqual([`working for 2026-11-${tick}T02:00:00.000Z`]);
    expect(third.lines).toEqual([[expect.stringContaining('skipped, this tick is done'), 'skipped']]);
  },
  300_000,
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
