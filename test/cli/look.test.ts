import { acquireLock, executeWithLock } from 'single-execution';
import { expect, test } from 'vitest';
import { cliStage, freshName, KINDS, ran, taken } from './stage.js';

const stage = cliStage();
const tickAt = (hour: string) => new Date(`2026-11-20T${hour}:00:00Z`);
const [NINE, TEN, ELEVEN] = [tickAt('09'), tickAt('10'), tickAt('11')];
const rows = (stdout: string) => stdout.split('\n').map((line) => line.split(/ {2,}/));

test.each(KINDS)('on %s ls, show, runs and why tell of a lock, as text and as JSON', async (kind) => {
  const { run, json, store } = stage().on(kind);
  const name = freshName();
  await ran(store, name, NINE, 'failed');
  await ran(store, name, TEN);
  const idle = { state: 'free', doneTick: TEN.toISOString(), openTicks: [NINE.toISOString()], missedTicks: [] };
  const result = { lastResult: 'succeeded', failuresInARow: 0 };
  expect(await json('ls')).toContainEqual(expect.objectContaining({ name, ...idle, ...result }));
  const { fencingToken } = await taken(store, name, { tick: ELEVEN.getTime(), lockedBy: 'web-2' });

  const [age, left] = [expect.stringMatching(/^\d+m?s/), expect.stringMatching(/^59m|^1h/)];
  const last = ['succeeded', '2026-11-20T10:00:00Z', '1', '-', '-'];
  expect(rows((await run('ls')).stdout).find(([its]) => its === name)).toEqual([
    ...[name, 'held', 'web-2', '2026-11-20T11:00:00Z', age, left],
    ...last,
  ]);
  const { code, stdout } = await run('show', name);
  expect(code).toBe(0);
  for (const words of [
    /^name +job/m,
    /^state +held$/m,
    /^holder +web-2$/m,
    /^locked until .* from now$/m,
    new RegExp(`^fencing token +${fencingToken}$`, 'm'),
    /^tick +2026-11-20T11:00:00Z$/m,
    /^last result +succeeded at .* ago \(tick 2026-11-20T10:00:00Z\)$/m,
    /^open ticks +2026-11-20T09:00:00Z$/m,
  ]) {
    expect(stdout).toMatch(words);
  }
  expect(await json('show', name)).toMatchObject({ name, state: 'held', lockedBy: 'web-2', fencingToken });
  expect(rows((await run('runs', name)).stdout.trimEnd()).map((row) => row.slice(0, 2))).toEqual([
    ['STATUS', 'TICK'],
    ['succeeded', '2026-11-20T10:00:00Z'],
    ['failed', '2026-11-20T09:00:00Z'],
  ]);
  expect(await json('runs', name)).toMatchObject([
    { status: 'succeeded', tick: TEN.toISOString() },
    { status: 'failed' },
  ]);
  expect((await run('why', name)).stdout).toMatch(
    /would be skipped as locked: web-2 has held the lock for .*; its lease/,
  );
});

test('ls has a head, and shows failures in a row, open ticks, and a pause before the state below it', async () => {
  const { run, store, admin } = stage().on('redis');
  const [done, paused] = [freshName('done'), freshName('paused')];
  await ran(store, done, NINE, 'failed');
  await ran(store, done, TEN);
  await ran(store, done, ELEVEN, 'failed');
  await taken(store, paused);
  await admin.pause(paused, { by: 'ada' });
  const all = rows((await run('ls')).stdout);
  const rowOf = (name: string) => all.find(([its]) => its === name);

  const head = 'NAME,STATE,HOLDER,TICK,AGE,LEFT,LAST,LAST TICK,OPEN,FAILURES,NEXT';
  expect(all[0]).toEqual(head.split(','));
  expect(rowOf(done)?.join()).toBe(`${done},free,-,-,-,-,failed,2026-11-20T11:00:00Z,2,1,-`);
  expect(rowOf(paused)?.slice(0, 3)).toEqual([paused, 'paused (held)', 'web-1']);
});

test('ls --idle leaves out what was used lately', async () => {
  const { json, store, admin } = stage().on('redis');
  const [used, unused] = [freshName('used'), freshName('unused')];
  await ran(store, used, NINE);
  await admin.pause(unused);
  const names = async (idle: string) => ((await json('ls', '--idle', idle)) as { name: string }[]).map((it) => it.name);

  const idle = await names('90d');
  expect([idle.includes(unused), idle.includes(used)]).toEqual([true, false]);
  expect(await names('0s')).toContain(used);
});

test('row 190: a run by hand is now, in ls, show and runs, while it runs, when it has ended and when it was forced', async () => {
  const { run, json, store, admin } = stage().on('redis');
  const name = freshName();
  const byHand = { name, store, lockAtMostFor: '1h', isManual: true, observers: [] } as const;
  await executeWithLock(() => {}, byHand);
  const lock = await acquireLock({ ...byHand, lockedBy: 'ann' });
  expect((await run('show', name)).stdout).toMatch(/^tick +now$/m);
  expect((await run('ls')).stdout).toMatch(new RegExp(`^${name} +held +ann +now .*succeeded +now`, 'm'));
  await admin.forceRelease(name, { fencingToken: lock.fencingToken });

  expect((await run('runs', name)).stdout).toMatch(/^forced +now .*\nsucceeded +now /m);
  expect(await json('runs', name)).toMatchObject([
    { status: 'forced', isManual: true },
    { status: 'succeeded', isManual: true },
  ]);
  await lock.release();
});

test.each(['show', 'runs', 'open', 'resume'])('%s of a name without a lock exits with 3', async (command) => {
  const stderr = expect.stringMatching(/^single-execution: no lock 'job-.*see single-execution ls\n$/);

  expect(await stage().on('redis').run(command, freshName())).toMatchObject({ code: 3, stdout: '', stderr });
});

// test/operate/verdict.test.ts has every answer.
test('why says in a sentence what a run of now, or of a tick, would meet', async () => {
  const { run, json, store, admin } = stage().on('redis');
  const name = freshName();
  const why = async (...args: string[]) => (await run('why', name, ...args)).stdout;

  expect((await run('why', name)).code).toBe(3);
  await ran(store, name, TEN);
  expect(await why()).toBe(
    `A run of "${name}" now would not be skipped: the lock is free. A call for 2026-11-20T10:00:00Z would be skipped: that tick is done.\n`,
  );
  expect(await why('--tick', '2026-11-20T10:00:00Z')).toMatch(/skipped as already-executed: this tick is done/);
  await admin.pause(name, { by: 'ada' });
  expect(await why()).toMatch(/skipped as paused: paused by ada without an end; .*single-execution resume job/);
  const refused = { name, tick: ELEVEN.toISOString(), outcome: 'skipped', reason: 'paused' };
  expect(await json('why', name, '--tick', '2026-11-20T11:00:00Z')).toMatchObject(refused);
});
