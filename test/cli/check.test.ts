import { Redis } from 'ioredis';
import { executeWithLock, type LockStore } from 'single-execution';
import { type Health, healthRoute, lockAdmin } from 'single-execution/admin';
import { cron } from 'single-execution/schedule';
import { expect, test } from 'vitest';
import { shiftedClock } from '../support/clocks.js';
import { innerCli } from '../support/inner-cli.js';
import { realChromium } from './console/browser.js';
import { servedConsole } from './console/stage.js';
import { cliStage, freshName, KINDS, ran } from './stage.js';

const stage = cliStage();
const open = realChromium();

const DAY_MS = 86_400_000;
/** Far from now, so that no tick is due while a test runs. */
const TICK_HOUR = (new Date().getUTCHours() + 12) % 24;
const DAILY = `0 ${TICK_HOUR} * * *`;
const daily = cron(DAILY);
/** Each year, half a year from now. */
const YEARLY = `0 2 1 ${((new Date().getUTCMonth() + 6) % 12) + 1} *`;
/** The daily tick that is due, or an older one. */
const tickOf = (daysAgo = 0) => daily.previous(new Date(Date.now() - daysAgo * DAY_MS)) as Date;
const words = (tick: Date) => tick.toISOString().replace('.000Z', 'Z');

/** Makes a run of a job that has a schedule, as its scheduler would. */
async function didRun(store: LockStore, name: string, tick: Date) {
  const run = { name, store, schedule: daily, tick, lockAtMostFor: '1m', observers: [] } as const;
  expect(await executeWithLock(() => 'done', run)).toMatchObject({ status: 'executed' });
}

async function didFail(store: LockStore, name: string, tick: Date) {
  const run = { name, store, schedule: daily, tick, lockAtMostFor: '1m', observers: [] } as const;
  await expect(executeWithLock(() => Promise.reject(new Error('boom')), run)).rejects.toThrow('boom');
}

const rows = (stdout: string) => stdout.split('\n').map((line) => line.split(/ {2,}/));

/** Two jobs: one has stopped three days ago, the other has not. */
async function twoJobs(store: LockStore) {
  const [dead, alive] = [freshName('digest'), freshName('backup')];
  await didRun(store, alive, tickOf());
  await didRun(store, dead, tickOf(3));
  return { dead, alive };
}

test.each(KINDS)(
  "rows 178, 179: F165, F167 on %s a stopped job is found by the store's own time, until it runs",
  async (kind) => {
    const { run, store, adminStore } = stage().on(kind);
    const { dead, alive } = await twoJobs(store);
    const found = await run('check', dead, alive);
    const [, first, second] = rows(found.stdout);

    expect([found.code, found.stderr]).toEqual([1, '']);
    const overdue = expect.stringMatching(new RegExp(`^2d.*, since ${words(tickOf(2))}$`));
    expect(first).toEqual([dead, 'free', overdue, words(tickOf(3)), words(tickOf(-1))]);
    expect(second?.slice(0, 3)).toEqual([alive, 'free', '-']);
    await didRun(store, dead, tickOf());
    expect((await run('check', dead, alive)).code).toBe(0);

    const nextMonth = lockAdmin(adminStore, { clock: shiftedClock(30 * DAY_MS) });
    await nextMonth.pause(dead, { until: Date.now() + DAY_MS });
    const lock = await nextMonth.get(dead);
    expect(lock).toMatchObject({ state: 'paused', readAt: expect.any(Date) });
    expect(Math.abs(Date.now() - Number(lock?.readAt))).toBeLessThan(60_000);
  },
);

const redis = () => stage().on('redis');

test('row 178: F165 a stopped job is named by ls, show, why, doctor, the route and the console, until it runs', async () => {
  const { run, store } = redis();
  const { dead } = await twoJobs(store);
  const admin = {
    ...redis().admin,
    list: async () => [await redis().admin.get(dead)].filter((one) => one !== undefined),
  };
  const route = healthRoute({ admin, secret: false });
  const ask = () => route(new Request('https://jobs.example/health'));
  const page = await open((await servedConsole(stage(), 'redis', { admin })).url);

  const answer = await ask();
  expect([answer.status, ((await answer.json()) as Health).jobs[0]?.name]).toEqual([503, dead]);
  await expect.poll(() => page.getByRole('row').nth(1).textContent()).toMatch(new RegExp(`^${dead}free.*overdue 2d`));
  const listed = rows((await run('ls')).stdout).find(([name]) => name === dead);
  expect(listed?.at(-1)).toMatch(/^overdue 2d/);
  expect((await run('show', dead)).stdout).toMatch(/^overdue +\S+Z, for 2d/m);
  expect((await run('why', dead)).stdout).toContain(`The job is overdue: its tick ${words(tickOf(2))}, for 2d`);
  expect((await run('doctor')).stdout).toMatch(new RegExp(`^warning +jobs .*overdue: .*${dead}`, 'm'));

  await didRun(store, dead, tickOf());
  expect((await ask()).status).toBe(200);
  expect((await run('doctor')).stdout).not.toContain(dead);
  expect((await run('why', dead)).stdout).not.toContain('overdue');
});

test('F221 a job that fails from its first run on is overdue from the tick of that run', async () => {
  const { run, store } = redis();
  const name = freshName();
  for (const daysAgo of [3, 2, 1]) await didFail(store, name, tickOf(daysAgo));

  const { stdout } = await run('check', name);
  expect(rows(stdout)[1]?.[2]).toMatch(new RegExp(`^3d.*, since ${words(tickOf(3))}$`));
  expect((await run('why', name)).stdout).toContain(`The job is overdue: its tick ${words(tickOf(3))}, for 3d`);
});

test('row 180: F168 a name without a record is overdue, with the name that was meant', async () => {
  const { run, store } = redis();
  await didRun(store, 'import-prices', tickOf());

  const { code, stdout, stderr } = await run('check', 'imprt-prices', 'import-prices');
  expect([code, rows(stdout)[1]?.slice(0, 3)]).toEqual([1, ['imprt-prices', 'unused', 'never ran']]);
  expect(stderr).toBe(
    "single-execution: no lock 'imprt-prices': it never ran, or is deleted; did you mean import-prices?\n",
  );
});

test('row 180: a paused job is shown as paused, not as overdue', async () => {
  const { run, store, admin } = redis();
  const [name, unused] = [freshName(), freshName()];
  await admin.pause(unused, { by: 'ada' });
  await admin.resume(unused);
  const never = await run('check', unused, '--schedule', DAILY);
  expect([never.code, rows(never.stdout)[1]?.slice(0, 3)]).toEqual([1, [unused, 'unused', 'never ran']]);
  await didRun(store, name, tickOf(3));
  await admin.pause(name, { by: 'ada' });

  const { code, stdout } = await run('check', name);
  expect([code, rows(stdout)[1]?.slice(0, 3)]).toEqual([0, [name, 'paused (free)', '-']]);
});

test('row 180: F172 wrong use exits with 2, and nothing to check with 3', async () => {
  const { run, store } = redis();
  const name = freshName();
  await ran(store, name, tickOf());

  expect(await run('check', name)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: `single-execution: the record of '${name}' has no schedule: pass --schedule, such as '0 9 * * *' or 1h\n`,
  });
  expect((await run('check', name, '--schedule', DAILY)).code).toBe(0);
  expect(await run('check', '--prefix', 'nobody-here:')).toMatchObject({
    code: 3,
    stderr: 'nothing to check: no record has a schedule; see single-execution ls\n',
  });
});

test('row 180: F174 a record that nobody can judge is told once by the name of its job, and hides no other job', async () => {
  const { run, store, args } = redis();
  const [torn, moon, fine] = [freshName('torn'), freshName('moon'), freshName('fine')];
  for (const name of [torn, moon, fine]) await didRun(store, name, tickOf());
  const client = new Redis(String(args[1]));
  await client.hset(`lock:${torn}`, 'doneTick', 'yesterday');
  await client.hset(`lock:${moon}`, 'schedule', 'each full moon');
  await client.quit();

  const { code, stdout, stderr } = await run('check', torn, moon, fine);
  const judged = rows(stdout.trimEnd()).map(([name, , overdue]) => `${name} ${overdue}`);
  expect([code, ...judged]).toEqual([1, 'NAME OVERDUE', `${torn} unknown`, `${moon} unknown`, `${fine} -`]);
  expect(stderr.match(/^single-execution: .*$/gm)).toEqual([
    expect.stringContaining(torn),
    expect.stringMatching(`"${moon}": its health is unknown: schedule is 'each full moon': has 3 fields`),
  ]);
  expect((await run('ls')).stdout).toMatch(new RegExp(`^${moon}.*unreadable$`, 'm'));
});

test('row 180: a given schedule, its time zone, the grace and since decide', async () => {
  const { run, store } = redis();
  const name = freshName();
  await didRun(store, name, tickOf(2));

  expect((await run('check', name)).code).toBe(1);
  for (const options of [
    ['--grace', '49h'],
    ['--schedule', '3d'],
    ['--schedule', YEARLY, '--time-zone', 'Europe/Berlin'],
  ]) {
    expect((await run('check', name, ...options)).code).toBe(0);
  }
  expect((await run('check', freshName(), '--since', new Date().toISOString(), '--schedule', '1h')).code).toBe(0);
});

test('row 180: the JSON is that of the route', async () => {
  const { run, store, admin } = redis();
  const name = freshName();
  await didRun(store, name, tickOf(3));
  const route = healthRoute({ admin, secret: false, jobs: [{ name }] });

  const { code, stdout } = await run('check', name, '--json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual(await (await route(new Request('https://jobs.example/'))).json());
});

test.each<[args: readonly string[], stderr: string]>([
  [['--schedule', '1h'], '--schedule needs a NAME: name its jobs'],
  [['a', '--time-zone', 'Europe/Berlin'], '--time-zone needs --schedule: pass both'],
  [['a', '--grace', '15'], "--grace is '15', which has no unit"],
  [['a', '--since', 'monday'], "--since is 'monday': pass an instant with its offset"],
  [['a', '--schedule', 'each full moon'], "schedule is 'each full moon': has 3 fields"],
  [['a', '--schedule', '1h', '--time-zone', 'UTC'], "--time-zone is for crons, and the schedule is '1h'"],
  [['a', '--schedule', '0 9 * * * in Europe/Rome', '--time-zone', 'UTC'], 'which names its time zone: leave out UTC'],
  [['x'.repeat(129)], 'shorten it to at most 128'],
])('row 180: %j is wrong use', async (args, stderr) => {
  const end = await redis().run('check', ...args);

  expect([end.code, end.stdout]).toEqual([2, '']);
  expect(end.stderr).toContain(stderr);
});

test('row 180: F173 a store that does not answer exits with 69, so that nobody takes it for an overdue job', async () => {
  const end = await innerCli(['check', '--redis-url', 'redis://127.0.0.1:1'], process.env);

  expect([end.code, end.stdout]).toEqual([69, '']);
  expect(end.stderr).toMatch(/^single-execution: nothing was checked: .*ECONNREFUSED/);
});
