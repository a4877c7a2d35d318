import { acquireLock, executeWithLock } from 'single-execution';
import { describe, expect, test } from 'vitest';
import { cliStage, freshName, KINDS, ran, taken } from './stage.js';

const stage = cliStage();
const [NINE, TEN, ELEVEN] = ['09', '10', '11'].map((hour) => new Date(`2026-11-20T${hour}:00:00Z`)) as [
  Date,
  Date,
  Date,
];

describe.each(KINDS)('on %s', (kind) => {
  test('ls shows each lock: state with a pause first, holder, times, last result, ticks, failures', async () => {
    const { run, store, admin } = stage().on(kind);
    const [held, done, paused] = ['held', 'done', 'paused'].map(freshName) as [string, string, string];
    await ran(store, held, TEN);
    await taken(store, held, { lockedBy: 'web-1', tick: ELEVEN.getTime() });
    await ran(store, done, NINE, 'failed');
    await ran(store, done, TEN);
    await ran(store, done, ELEVEN, 'failed');
    await taken(store, paused);
    await admin.pause(paused, { by: 'ada' });
    const { code, stdout } = await run('ls');
    const rowOf = (name: string) =>
      stdout
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.split(/ {2,}/);

    expect(code).toBe(0);
    expect(stdout.split('\n')[0]?.split(/ {2,}/)).toEqual([
      'NAME',
      'STATE',
      'HOLDER',
      'TICK',
      'AGE',
      'LEFT',
      'LAST',
      'LAST TICK',
      'OPEN',
      'FAILURES',
      'NEXT',
    ]);
    expect(rowOf(held)).toEqual([
      held,
      'held',
      'web-1',
      '2026-11-20T11:00:00Z',
      expect.stringMatching(/^\d+m?s/),
      expect.stringMatching(/^59m|^1h/),
      'succeeded',
      '2026-11-20T10:00:00Z',
      '-',
      '-',
      '-',
    ]);
    expect(rowOf(done)).toEqual([done, 'free', '-', '-', '-', '-', 'failed', '2026-11-20T11:00:00Z', '2', '1', '-']);
    expect(rowOf(paused)?.slice(0, 3)).toEqual([paused, 'paused (held)', 'web-1']);
  });

  test('ls --json is what lockAdmin lists, with ISO instants and the missed ticks', async () => {
    const { json, store } = stage().on(kind);
    const name = freshName();
    await ran(store, name, NINE, 'failed');
    await ran(store, name, TEN);

    expect(await json('ls')).toContainEqual(
      expect.objectContaining({
        name,
        state: 'free',
        doneTick: '2026-11-20T10:00:00.000Z',
        openTicks: ['2026-11-20T09:00:00.000Z'],
        missedTicks: [],
        lastResult: 'succeeded',
        failuresInARow: 0,
      }),
    );
  });

  test('ls --idle leaves out what was used lately', async () => {
    const { json, store, admin } = stage().on(kind);
    const [used, unused] = [freshName('used'), freshName('unused')];
    await ran(store, used, NINE);
    await admin.pause(unused);
    const names = ((await json('ls', '--idle', '90d')) as { name: string }[]).map(({ name }) => name);

    expect(names).toContain(unused);
    expect(names).not.toContain(used);
    expect(JSON.stringify(await json('ls', '--idle', '0s'))).toContain(used);
  });

  test('show prints all of one lock', async () => {
    const { run, json, store } = stage().on(kind);
    const name = freshName();
    await ran(store, name, NINE, 'failed');
    const lease = await taken(store, name, { tick: TEN.getTime(), lockedBy: 'web-2' });
    const { code, stdout } = await run('show', name);

    expect(code).toBe(0);
    for (const words of [
      /^name +job/m,
      /^state +held$/m,
      /^holder +web-2$/m,
      /^locked until .* from now$/m,
      new RegExp(`^fencing token +${lease.fencingToken}$`, 'm'),
      /^tick +2026-11-20T10:00:00Z$/m,
      /^last result +failed at .* ago \(tick 2026-11-20T09:00:00Z\)$/m,
      /^last error +Error$/m,
      /^open ticks +2026-11-20T09:00:00Z$/m,
      /^failures in a row +1$/m,
    ]) {
      expect(stdout).toMatch(words);
    }
    expect(await json('show', name)).toMatchObject({
      name,
      state: 'held',
      lockedBy: 'web-2',
      fencingToken: lease.fencingToken,
    });
  });

  test('runs lists the last runs, newest first', async () => {
    const { run, json, store } = stage().on(kind);
    const name = freshName();
    await ran(store, name, NINE, 'failed');
    await ran(store, name, TEN);
    const { stdout } = await run('runs', name);

    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/).slice(0, 2)),
    ).toEqual([
      ['STATUS', 'TICK'],
      ['succeeded', '2026-11-20T10:00:00Z'],
      ['failed', '2026-11-20T09:00:00Z'],
    ]);
    expect(await json('runs', name)).toMatchObject([
      { status: 'succeeded', tick: TEN.toISOString() },
      { status: 'failed' },
    ]);
  });

  test('row 190: a run by hand is now, in ls, show and runs, while it runs, when it has ended and when it was forced', async () => {
    const { run, json, store, admin } = stage().on(kind);
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
    const { run } = stage().on(kind);

    expect(await run(command, freshName())).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/^single-execution: no lock 'job-.*see single-execution ls\n$/),
    });
  });

  test('why says in a sentence what a run of now, or of a tick, would meet', async () => {
    const { run, json, store, admin } = stage().on(kind);
    const name = freshName();
    const why = async (...args: string[]) => (await run('why', name, ...args)).stdout;

    expect((await run('why', name)).code).toBe(3);
    await ran(store, name, TEN);
    expect(await why()).toBe(
      `A run of "${name}" now would not be skipped: the lock is free. A call for 2026-11-20T10:00:00Z would be skipped: that tick is done.\n`,
    );
    expect(await why('--tick', '2026-11-20T10:00:00Z')).toMatch(
      /would be skipped as already-executed: this tick is done/,
    );
    expect(await why('--tick', '2026-11-20T09:00:00Z')).toMatch(/would be skipped as stale-tick: the newer tick/);
    await taken(store, name, { lockedBy: 'web-3' });
    expect(await why()).toMatch(
      /would be skipped as locked: web-3 has held the lock for .*, with token \d+; its lease/,
    );
    await admin.pause(name, { by: 'ada' });
    expect(await why()).toMatch(/skipped as paused: paused by ada without an end; .*single-execution resume job/);
    expect(await json('why', name, '--tick', '2026-11-20T11:00:00Z')).toMatchObject({
      name,
      tick: ELEVEN.toISOString(),
      outcome: 'skipped',
      reason: 'paused',
    });
  });
});
