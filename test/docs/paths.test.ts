import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { createPool } from 'mysql2/promise';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { bundleWorker, startWorker } from '../edge/workerd.js';
import { startMariaDB } from '../support/mariadb.js';
import { startPostgresServer } from '../support/postgres-server.js';
import { startRedisServer } from '../support/redis-server.js';
import { startUpstashBridge } from '../support/upstash-bridge.js';
import { onlyExample } from './examples.js';
import { type ReadersProject, readersProject } from './readers-project.js';

/*
 * Types in the files of docs/paths, unchanged, beside the published package, and sees the skips that the pages show.
 * Next.js, wrangler and pm2 themselves were tried by hand: they are too large to install for a test. The route is called
 * as Next.js calls it, the Worker runs in the workerd that wrangler starts, and two processes run as pm2 starts them.
 * There is no cluster here: what its CronJob runs is run with the name of the Job in JOB_NAME, as the page says too.
 */

let project: ReadersProject;
beforeAll(async () => {
  const nest = ['@nestjs/common', '@nestjs/core', '@nestjs/schedule', 'ioredis', 'typescript', '@types/node'];
  project = await readersProject(['croner', 'pg', 'node-cron', 'mysql2', ...nest]);
}, 300_000);
afterAll(() => project?.remove());

const codeOf = (page: string, language: string, part: string) => onlyExample(`docs/paths/${page}.md`, [language], part);

async function database() {
  const { url, stop } = await startPostgresServer();
  onTestFinished(() => stop());
  const env = { DATABASE_URL: url };
  expect(await project.tool(['table', 'create'], env).ended).toBe(0);
  return env;
}

type Env = Readonly<Record<string, string>>;

/** What a command of the tool prints. */
async function printed(args: readonly string[], env: Env): Promise<string> {
  const { ended, lines } = project.tool(args, env);
  await ended;
  return lines().join('\n');
}

/** Starts processes until two ticks are done and each other process was skipped. @returns the ticks, each once */
async function importedBy(processes: number, program: string, env: Env): Promise<readonly string[]> {
  const fleet = Array.from({ length: processes }, () => project.start([program], env));
  onTestFinished(() => {
    for (const { child } of fleet) child.kill('SIGKILL');
  });
  const lines = () => fleet.flatMap((its) => its.lines());
  const worked = () => lines().flatMap((line) => /imports the prices of (\S+)$/.exec(line)?.[1] ?? []);
  const skips = () => lines().filter((line) => line.includes('skipped, ')).length;

  await expect.poll(() => worked().length > 1 && skips() > processes - 2).toBe(true);
  for (const { child } of fleet) child.kill('SIGINT');
  await Promise.all(fleet.map(({ ended }) => ended));
  const ticks = worked();
  expect(new Set(ticks).size).toBe(ticks.length);
  return ticks;
}

test('docs/paths/croner-pm2.md: of two processes one works for each tick, and the tool shows its runs', async () => {
  const env = await database();
  await project.write('worker.js', codeOf('croner-pm2', 'js', 'new Cron('));
  const worked = await importedBy(2, 'worker.js', env);

  expect(await printed(['runs', 'import-prices'], env)).toContain(worked[0]?.replace('.000Z', 'Z'));
});

test('docs/paths/node-cron-mariadb.md: the user of the page makes the table, and of two processes one works for each tick', async () => {
  const server = await startMariaDB({ checksRights: true });
  const root = createPool(server.url);
  onTestFinished(async () => {
    await root.end();
    await server.stop();
  });
  const statements = codeOf('node-cron-mariadb', 'sql', 'GRANT').split(';\n').filter(Boolean);
  // The server of the tests has this database.
  for (const text of statements) await root.query(text.replace('DATABASE jobs', 'DATABASE IF NOT EXISTS jobs'));
  const [, url = ''] = /MYSQL_URL=(\S+)/.exec(codeOf('node-cron-mariadb', 'sh', 'MYSQL_URL')) ?? [];
  const env = { MYSQL_URL: url.replace('3306', String(server.port)) };
  expect(await project.tool(['table', 'create'], env).ended).toBe(0);
  await project.write('package.json', '{ "type": "module" }');
  await project.write('worker.js', codeOf('node-cron-mariadb', 'js', 'cron.schedule('));
  await importedBy(2, 'worker.js', env);

  expect(await printed(['ls'], env)).toMatch(/^import-prices +free /m);
});

/** In place of the night of the page: its tick does not come between two calls. */
const LEAP_DAY = '0 2 29 2 *';

test('docs/paths/crontab.md: of two calls one runs, and a third is skipped', async () => {
  const env = await database();
  const [, line = ''] =
    /^\$ node_modules\/.bin\/single-execution (.*)$/m.exec(codeOf('crontab', 'console', '\n0\n')) ?? [];
  const [words = '', command = ''] = line
    .replace('sleep 5', 'sleep 1')
    .replace('0 2 * * *', LEAP_DAY)
    .split(" -- sh -c '");
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
  const output = await worker.stop();

  expect(outcomes).toEqual(['ok', 'ok']);
  expect(output.match(/refreshing the rates of 2026-11-21T02:00:00.000Z/g)).toHaveLength(1);
  expect(output).toContain('skipped, this tick is done');
});

test('docs/paths/worker-durable-objects.md: two of three events of one scheduled time are skipped, and the route shows the job', async () => {
  const file = 'worker-with-objects.js';
  await project.write(file, codeOf('worker-durable-objects', 'js', 'LockObject'));
  const { durable_objects } = JSON.parse(codeOf('worker-durable-objects', 'json', 'new_sqlite_classes'));
  const [{ name, class_name }] = durable_objects.bindings;
  const bundle = await bundleWorker(join(project.folder, file));
  const worker = await startWorker(bundle, { CRON_SECRET: 'choose-one' }, { objects: { [name]: class_name } });
  const tick = new Date(Math.floor(Date.now() / 900_000) * 900_000).toISOString();
  const outcomes = await Promise.all([worker.trigger(tick), worker.trigger(tick)]);
  outcomes.push(await worker.trigger(tick));
  const route = await fetch(worker.url, { headers: { authorization: 'Bearer choose-one' } });
  const job = { name: 'refresh-rates', state: 'free', doneTick: tick, nextTick: expect.any(String) };
  expect(await route.json()).toEqual({ status: 'ok', jobs: [job] });
  const output = await worker.stop();

  expect(outcomes).toEqual(['ok', 'ok', 'ok']);
  expect(output.split(`refreshing the rates of ${tick}`)).toHaveLength(2);
  expect(output).toContain('skipped, locked by worker');
  expect(output).toContain('skipped, this tick is done');
});

test('docs/paths/kubernetes.md: the second pod of one Job is skipped, and ls shows its tick', async () => {
  const minutes = Math.floor(Date.now() / 60_000);
  const tick = new Date(minutes * 60_000).toISOString();
  const env = { ...(await database()), JOB_NAME: `backup-${minutes}` };
  await project.write('backup.sh', codeOf('kubernetes', 'sh', 'set -e'));
  await chmod(join(project.folder, 'backup.sh'), 0o755);
  const { command, args } = parse(codeOf('kubernetes', 'yaml', 'kind: CronJob')).spec.jobTemplate.spec.template.spec
    .containers[0];
  const pods = [project.tool(args, env)];
  const codes = [await pods[0]?.ended];
  pods.push(project.tool(args, env));
  codes.push(await pods[1]?.ended);

  expect(command.at(-1)).toBe('node_modules/.bin/single-execution');
  expect(codes).toEqual([0, 75]);
  // The command and the tool write to two streams, whose lines may come in another order.
  expect(pods.map(({ lines }) => lines())).toEqual([
    expect.arrayContaining([`the backup of ${tick}`]),
    expect.arrayContaining([expect.stringContaining('skipped, this tick is done')]),
  ]);
  expect(await printed(['ls'], env)).toContain(`succeeded  ${tick.replace('.000Z', 'Z')}`);
});

test('docs/paths/nestjs.md: of three processes one works for each tick, and ls shows the lock', async () => {
  const redis = await startRedisServer();
  onTestFinished(() => redis.stop());
  const env = { REDIS_URL: redis.url };
  await project.write('package.json', '{ "type": "module" }');
  await project.write('tsconfig.json', codeOf('nestjs', 'json', 'emitDecoratorMetadata'));
  await project.write('main.ts', codeOf('nestjs', 'typescript', '@Cron('));
  // The package has no declarations here: examples.test.ts checks the types.
  const compiler = project.start(['node_modules/typescript/bin/tsc', '--noCheck']);
  expect([await compiler.ended, compiler.lines()]).toEqual([0, []]);
  await importedBy(3, 'main.js', env);

  expect(await printed(['ls'], env)).toMatch(/^import-prices +free /m);
});

const CALLER = `
import { GET } from './route.js';
for (let n = 0; n < 2; n++) {
  const request = new Request('http://localhost:3000/api/weekly-digest', { headers: { authorization: 'Bearer s3cret' } });
  console.log(JSON.stringify(await (await GET(request, {})).json()));
}
`;

async function upstash() {
  const redis = await startRedisServer();
  const bridge = await startUpstashBridge({ redisPort: redis.port });
  onTestFinished(async () => {
    await bridge.stop();
    await redis.stop();
  });
  return { UPSTASH_REDIS_REST_URL: bridge.url, UPSTASH_REDIS_REST_TOKEN: bridge.token };
}

test.each([
  ['js', 'upstashStore({', upstash],
  // The test of restarts runs each `js` that opens a connection; a route waits there for a call that never comes.
  ['javascript', 'postgresStore({', database],
] as const)(
  'docs/paths/nextjs-vercel.md: the second call of the route in %s with %s is skipped',
  async (language, part, store) => {
    await project.write('package.json', '{ "type": "module" }');
    await project.write('route.js', codeOf('nextjs-vercel', language, part));
    await project.write('caller.js', CALLER);
    const caller = project.start(['caller.js'], { CRON_SECRET: 's3cret', ...(await store()) });

    await expect.poll(() => caller.lines().filter((line) => line.startsWith('{"s'))).toHaveLength(2);
    const answers = caller.lines().flatMap((line) => (line.startsWith('{"s') ? [JSON.parse(line)] : []));
    expect(answers).toEqual([{ sent: expect.any(String) }, expect.objectContaining({ reason: 'already-executed' })]);
    caller.child.kill();
  },
);
