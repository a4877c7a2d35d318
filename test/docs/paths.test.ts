import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { bundleWorker, startWorker } from '../edge/workerd.js';
import { startPostgresServer } from '../support/postgres-server.js';
import { startRedisServer } from '../support/redis-server.js';
import { startUpstashBridge } from '../support/upstash-bridge.js';
import { examplesOf } from './examples.js';
import { type ReadersProject, readersProject } from './readers-project.js';

/*
 * Types in the files of docs/paths, unchanged, beside the published package, and sees the skips that the pages show.
 * Next.js, wrangler and pm2 themselves were tried by hand: they are too large to install for a test. The route is called
 * as Next.js calls it, the Worker runs in the workerd that wrangler starts, and two processes run as pm2 starts them.
 */

let project: ReadersProject;
beforeAll(async () => {
  project = await readersProject(['croner', 'pg']);
}, 300_000);
afterAll(() => project?.remove());

const codeOf = (page: string, language: string, part: string) => {
  const [code = '', ...more] = examplesOf(`docs/paths/${page}.md`, language)
    .map((block) => block.code)
    .filter((text) => text.includes(part));
  expect([code !== '', more.length], `${page}: ${part}`).toEqual([true, 0]);
  return code;
};

async function database() {
  const { url, stop } = await startPostgresServer();
  onTestFinished(() => stop());
  const env = { DATABASE_URL: url };
  expect(await project.tool(['table', 'create'], env).ended).toBe(0);
  return env;
}

test('docs/paths/croner-pm2.md: of two processes one works for each tick, and the tool shows its runs', async () => {
  const env = await database();
  await project.write('worker.js', codeOf('croner-pm2', 'js', 'new Cron('));
  const workers = [0, 1].map(() => project.start(['worker.js'], env));
  onTestFinished(() => {
    for (const { child } of workers) child.kill('SIGKILL');
  });
  const lines = () => workers.flatMap((worker) => worker.lines());
  const worked = () => lines().flatMap((line) => /imports the prices of (\S+)$/.exec(line)?.[1] ?? []);

  await expect.poll(() => worked().length > 1 && lines().some((line) => line.includes('skipped, '))).toBe(true);
  for (const { child } of workers) child.kill('SIGINT');
  await Promise.all(workers.map(({ ended }) => ended));
  const runs = project.tool(['runs', 'import-prices'], env);
  await runs.ended;

  expect(new Set(worked()).size).toBe(worked().length);
  expect(runs.lines().join('\n')).toContain(String(worked()[0]).replace('.000Z', 'Z'));
});

test('docs/paths/crontab.md: of two calls one runs, and a third is skipped', async () => {
  const env = await database();
  const [, line = ''] =
    /^\$ node_modules\/.bin\/single-execution (.*)$/m.exec(codeOf('crontab', 'console', '\n0\n')) ?? [];
  const [words = '', command = ''] = line.replace('sleep 5', 'sleep 1').split(" -- sh -c '");
  const args = words.split(/ (?=--)/).flatMap((word) => word.split(/ (.*)/s).filter(Boolean));
  const call = [...args.map((word) => word.replaceAll("'", '')), '--', 'sh', '-c', command.slice(0, -1)];

  const racers = [0, 1].map(() => project.tool(call, env));
  const codes = await Promise.all(racers.map(({ ended }) => ended));
  const third = project.tool(call, env);

  expect(codes.sort()).toEqual([0, 75]);
  expect(racers.flatMap(({ lines }) => lines()).filter((text) => text === 'working')).toHaveLength(1);
  expect(await third.ended).toBe(75);
  expect(third.lines().join()).toMatch(/this tick is done/);
});

test('docs/paths/worker-d1.md: the second event of one scheduled time is skipped', async () => {
  const file = 'worker-of-the-page.js';
  await project.write(file, codeOf('worker-d1', 'js', 'scheduled:'));
  const worker = await startWorker(await bundleWorker(join(project.folder, file)), {});
  await worker.database
    .prepare(codeOf('worker-d1', 'sql', 'CREATE TABLE').replaceAll('\n', ' '))
    .bind()
    .run();
  const outcomes = [await worker.trigger('2026-11-21T02:00:00Z'), await worker.trigger('2026-11-21T02:00:00Z')];
  const printed = await worker.stop();

  expect(outcomes).toEqual(['ok', 'ok']);
  expect(printed.match(/refreshing the rates of 2026-11-21T02:00:00.000Z/g)).toHaveLength(1);
  expect(printed).toContain('skipped, this tick is done');
});

const CALLER = `
import { GET } from './route.js';
for (let n = 0; n < 2; n++) {
  const request = new Request('http://localhost:3000/api/weekly-digest', { headers: { authorization: 'Bearer s3cret' } });
  console.log(JSON.stringify(await (await GET(request, {})).json()));
}
`;

test('docs/paths/nextjs-vercel.md: the second call of the route is skipped', async () => {
  const redis = await startRedisServer();
  const bridge = await startUpstashBridge({ redisPort: redis.port });
  onTestFinished(async () => {
    await bridge.stop();
    await redis.stop();
  });
  await project.write('route.js', codeOf('nextjs-vercel', 'js', 'export const GET'));
  await project.write('caller.js', CALLER);
  const env = { CRON_SECRET: 's3cret', UPSTASH_REDIS_REST_URL: bridge.url, UPSTASH_REDIS_REST_TOKEN: bridge.token };
  const caller = project.start(['caller.js'], env);

  expect(await caller.ended).toBe(0);
  const answers = caller.lines().flatMap((line) => (line.startsWith('{"s') ? [JSON.parse(line)] : []));
  expect(answers).toEqual([{ sent: expect.any(String) }, expect.objectContaining({ reason: 'already-executed' })]);
});
