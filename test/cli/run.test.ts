import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manualClock } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { guardMs } from '../../src/core/values/lease.js';
import { kindsOfRun } from '../support/backends/stage.js';
import { innerCli } from '../support/inner-cli.js';
import { listening } from '../support/loopback.js';
import { cliStage, clockAt, freshName, ran, taken } from './stage.js';

// Run two tests at a time, because some only wait. If more processes started at once, calls to stores would time out.
vi.setConfig({ maxConcurrency: 2 });

const stage = cliStage();
const WITHIN = { timeout: 60_000, interval: 20 };
const TICK = '2026-11-20T09:00:00Z';
const LEASE_MS = 3_600_000;
/** A schedule whose tick no test meets: two calls, however far apart, are for the same one. */
const LEAP_DAY = '0 2 29 2 *';
const sh = (script: string) => ['--', 'sh', '-c', script];
/** Prints the variables that `run` sets, to stdout or to the end of a file. */
const PRINT = 'echo "$SINGLE_EXECUTION_NAME $SINGLE_EXECUTION_TICK $SINGLE_EXECUTION_FENCING_TOKEN"';
/** Prints `on`, and runs until SIGTERM. */
const WAIT = "trap 'exit 7' TERM; echo on; while :; do sleep 0.1; done";

const freshFile = () => join(stage().cli.folder, randomUUID());
const linesOf = async (file: string) => (await readFile(file, 'utf8')).trimEnd().split('\n');

/** Starts a run on Redis, and resolves when its command has begun. */
async function started(...args: string[]) {
  const { cli, on } = stage();
  const end = args.indexOf('--');
  const run = cli.start(['run', ...args.slice(0, end), ...on('redis').args, ...args.slice(end)], on('redis').env);
  await Promise.race([
    once(run.child.stdout as NodeJS.ReadableStream, 'data'),
    run.ended.then((end) => Promise.reject(new Error(`ended before its command began: ${JSON.stringify(end)}`))),
  ]);
  return run;
}

/** The scheduled time of a CronJob, and the end that it gives to the name of its Job. */
const JOB_MS = Date.parse(TICK);
const JOB_MINUTES = JOB_MS / 60_000;
const HOUR_MS = 3_600_000;

const redis = () => stage().on('redis');
/** Runs a command line on Redis, in this process. */
const runWith = (...args: string[]) => redis().run('run', ...args);
/** Runs a command line on Redis at an instant. */
const ranAt = (at: string | number, line: readonly string[], env = {}, command = sh('')) =>
  innerCli(['run', ...line, ...redis().args, ...command], env, {
    clock: clockAt(typeof at === 'number' ? at : Date.parse(at)),
  });
/** Runs `true` in a pod of this Job. */
const ranAs = (jobName: string, nowMs: number, ...line: string[]) =>
  ranAt(nowMs, line, { ...process.env, JOB_NAME: jobName });

test.concurrent.each(kindsOfRun('tool'))(
  'rows 121, 122, 125 on %s: a command finds its tick and token, only 0 marks the tick as done, and of two calls one runs',
  async (kind) => {
    const { cli, on } = stage();
    const { run, admin, args, env } = on(kind);
    const name = freshName();
    const exit = (code: number) => run('run', '--name', name, '--tick', TICK, ...sh(`exit ${code}`));

    expect((await exit(3)).code).toBe(3);
    expect(await admin.get(name)).toMatchObject({ lastResult: 'failed', lastError: 'exit code 3' });
    const line = ['run', '--name', name, '--tick', TICK, ...args, ...sh(PRINT)];
    const { code, stdout, stderr } = await cli.run(line, env);
    const { fencingToken } = (await admin.get(name)) ?? {};
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`${name} 2026-11-20T09:00:00.000Z ${fencingToken}\n`);
    const skipped = `single-execution: lock "${name}": skipped, this tick is done\n`;
    expect(await exit(0)).toEqual({ code: 75, stdout: '', stderr: skipped });

    const file = freshFile();
    const next = () => run('run', '--name', name, '--tick', '2026-11-20T10:00:00Z', ...sh(`${PRINT} >> ${file}`));
    expect((await Promise.all([next(), next()])).map((end) => end.code).sort()).toEqual([0, 75]);
    const [[, tick, token] = [], ...others] = (await linesOf(file)).map((text) => text.split(' '));
    expect([tick, Number(token) > Number(fencingToken), others]).toEqual(['2026-11-20T10:00:00.000Z', true, []]);
  },
);

test('row 123: a signal that comes before the command has begun ends run as a shell says it, and nothing runs', async () => {
  // A server that never answers stands for Redis.
  const server = createServer();
  const away = `redis://127.0.0.1:${await listening(server)}`;
  const { child, ended } = stage().cli.start(['run', '--name', 'x', '--redis-url', away, ...sh(PRINT)]);
  const [socket] = (await once(server, 'connection')) as [Socket];
  child.kill('SIGINT');

  expect(await ended).toMatchObject({ code: 130, stdout: '' });
  socket.destroy();
  server.close();
});

describe.concurrent('on redis', () => {
  test('row 122: while another run has the lock, run exits with 75 and names the holder', async () => {
    const name = freshName();
    const skipped = (...options: string[]) => runWith('--name', name, ...options, ...sh(PRINT));
    await taken(redis().store, name, { lockedBy: 'web-1' });

    const stderr = expect.stringContaining('skipped, locked by web-1 until 20');
    expect(await skipped()).toMatchObject({ code: 75, stdout: '', stderr });
    expect(JSON.parse((await skipped('--json')).stderr)).toMatchObject({ type: 'skipped', name, reason: 'locked' });
    expect(await skipped('--quiet')).toEqual({ code: 75, stdout: '', stderr: '' });
    for (const code of [0, 75]) {
      const yearly = ['--name', `${name}-yearly`, '--schedule', LEAP_DAY, '--quiet', '--', 'true'];
      expect(await runWith(...yearly)).toEqual({ code, stdout: '', stderr: '' });
    }
  });

  test('row 123: a SIGTERM is forwarded, run exits with the code of its command, and the lock is free', async () => {
    const name = freshName();
    const { child, ended } = await started('--name', name, '--at-most', '1m', ...sh(WAIT));
    child.kill('SIGTERM');

    expect((await ended).code).toBe(7);
    expect(await redis().admin.get(name)).toMatchObject({ state: 'free', lastResult: 'failed' });
  });

  test('row 123: if signal n ends the command, run exits with 128 + n', async () => {
    expect((await runWith('--name', freshName(), ...sh('kill -KILL $$'))).code).toBe(137);
  });

  test('row 124: after an unlock, run ends its command at the next renewal and exits with 70', async () => {
    const { admin } = redis();
    const name = freshName();
    const { ended } = await started('--name', name, '--keep-alive', '--at-most', '15s', ...sh(WAIT));
    const { fencingToken = 0 } = (await admin.get(name)) ?? {};

    expect((await admin.forceRelease(name, { fencingToken })).status).toBe('forced');
    expect(await ended).toMatchObject({ code: 70, stderr: expect.stringContaining('lost before its run ended') });
  });

  /** A run whose lease of an hour is over, by a clock that the test turns. Its command writes to a file, `on` first. */
  async function outliving(script: (file: string) => string) {
    const [file, clock] = [freshFile(), manualClock(Date.now())];
    const line = ['run', '--name', freshName(), '--at-most', '1h', ...redis().args, ...sh(script(file))];
    const run = innerCli(line, {}, { clock });
    const wrote = (word: string) => vi.waitFor(async () => expect(await linesOf(file)).toContain(word), WITHIN);
    await wrote('on');
    await clock.advance(LEASE_MS - guardMs(LEASE_MS));
    await wrote('told');
    const ended = async () => {
      // The tool looks again and again whether a process of the command is left.
      const looks = setInterval(() => void clock.advance(100), 20);
      const end = await run;
      clearInterval(looks);
      return end;
    };
    return { clock, file, ended };
  }

  test('row 124: a command that outlives its lease is asked to end, and run exits with 70', async () => {
    const { ended } = await outliving(
      (file) => `trap 'echo told >> ${file}; exit 7' TERM; echo on >> ${file}; while :; do sleep 0.1; done`,
    );

    expect(await ended()).toMatchObject({ code: 70 });
  });

  test('row 124: a command that ignores SIGTERM after the loss is killed 10 s later', async () => {
    const { clock, file, ended } = await outliving(
      (file) => `trap 'echo told >> ${file}' TERM; while :; do echo on >> ${file}; sleep 0.1; done`,
    );
    await clock.advance(9_900);
    const { length } = await linesOf(file);
    // The command is still running.
    await vi.waitFor(async () => expect((await linesOf(file)).length).toBeGreaterThan(length + 2), WITHIN);
    await clock.advance(100);

    expect(await ended()).toMatchObject({ code: 70 });
  });

  test('with a schedule the tick is the one that is due by the clock, and run says which', async () => {
    for (const nearest of [[], ['--tick', 'nearest']]) {
      const name = freshName();
      const file = freshFile();
      const args = ['--name', name, '--schedule', LEAP_DAY, ...nearest, ...sh(`${PRINT} >> ${file}`)];
      const first = await runWith(...args);
      const again = await runWith(...args);
      const [, printed = ''] = (await readFile(file, 'utf8')).split(' ');
      const tick = new Date(printed);

      expect(tick.toISOString()).toMatch(/-02-29T02:00:00\.000Z$/);
      expect(tick.getTime()).toBeLessThanOrEqual(Date.now() + 300_000);
      const told = tick.toISOString().replace('.000Z', 'Z');
      expect(first.stderr).toBe(`single-execution: lock "${name}": runs for its tick ${told}\n`);
      expect(again.stderr).toBe(`single-execution: lock "${name}": skipped, this tick is done: tick ${told}\n`);
    }
  });

  test('row 153: the call that cron makes when spring skips its time runs, once', async () => {
    const line = ['--name', freshName(), '--schedule', '30 2 * * *', '--time-zone', 'Europe/Berlin'];
    // Debian's cron starts a job of two such times a second time, ten seconds later.
    const calls = ['2026-03-28T01:30:01Z', '2026-03-29T01:00:01Z', '2026-03-29T01:00:11Z', '2026-03-30T00:30:01Z'];
    const codes: unknown[] = [];
    for (const at of calls) codes.push((await ranAt(at, line)).code);

    expect(codes).toEqual([0, 0, 75, 0]);
  });

  test('row 222: a day that the schedule leaves out is skipped, also by its Job, and not by hand', async () => {
    const line = ['--name', freshName(), '--schedule', '0 2 * * * except 2026-12-25'];
    const job = { JOB_NAME: `backup-${Date.parse('2026-12-25T02:00:00Z') / 60_000}` };
    const codes: unknown[] = [];
    for (const [day, more = [], env = {}] of [
      [24],
      [25],
      [25, ['--tick-from', 'kubernetes'], job],
      [25, ['--now']],
      [26],
    ] as const) {
      const { code, stderr } = await ranAt(`2026-12-${day}T02:00:01Z`, [...line, ...more], env);
      expect(stderr).not.toContain('no tick of its schedule');
      codes.push(code);
    }

    expect(codes).toEqual([0, 75, 75, 0, 0]);
  });

  test('row 198: with --now the command runs although its tick is done, and the tick of the schedule runs after it', async () => {
    const { store, admin } = redis();
    const [name, file] = [freshName(), freshFile()];
    const line = ['--name', name, '--schedule', '0 * * * *'];
    const at = (hour: number, ...more: string[]) =>
      ranAt(JOB_MS + hour * HOUR_MS, [...line, ...more], {}, sh(`${PRINT} >> ${file}`));
    const now = await at(0.1, '--now');
    expect(now.code).toBe(0);
    expect((await linesOf(file))[0]).toMatch(new RegExp(`^${name}  \\d+$`));
    expect(now.stderr).toContain(`single-execution: lock "${name}": runs by hand\n`);
    expect((await at(0.1)).code).toBe(0);
    expect((await at(0.2)).code).toBe(75);
    expect((await at(0.3, '--now', '--quiet')).stderr).not.toContain('by hand');
    const told = (await at(0.4, '--now', '--json')).stderr.trimEnd().split('\n');
    const acquired = told.map((text) => JSON.parse(text)).find(({ type }) => type === 'acquired');
    expect(acquired).toMatchObject({ name, isManual: true });
    expect((await at(1.1)).code).toBe(0);

    const { runs, doneTick } = (await admin.get(name)) ?? {};
    expect(doneTick).toEqual(new Date(JOB_MS + HOUR_MS));
    expect(runs?.map(({ isManual = false }) => isManual)).toEqual([false, true, true, false, true]);
    await taken(store, name, { lockedBy: 'web-1' });
    expect(await at(1.2, '--now')).toMatchObject({ code: 75, stdout: '' });
  });

  test.each([
    [TICK, []],
    ['nearest', ['--schedule', '0 * * * *']],
  ])('row 198: --now beside --tick %s is wrong use', async (tick, more) => {
    const words = `--tick '${tick}' and --now exclude each other: a run by hand has no tick`;
    const end = await runWith('--name', freshName(), ...more, '--now', '--tick', tick, ...sh(''));

    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining(words) });
  });

  test('row 88: a run that begins late is for the tick that has been', async () => {
    const line = ['--name', freshName(), '--schedule', '* * * * *'];
    for (const [at, tick] of [
      ['09:00:35', '09:00'],
      ['09:01:53', '09:01'],
      ['09:02:54', '09:03'],
    ]) {
      const { stderr } = await ranAt(`2026-11-20T${at}Z`, line);
      expect(stderr).toContain(`runs for its tick 2026-11-20T${tick}:00Z`);
    }
  });

  test('row 150: a schedule that lies an hour beside its runs is told', async () => {
    const name = freshName();
    // The runs of a host in London, in summer. The server's clock says when a run was: see `previous`.
    await ran(redis().store, name, new Date('2026-06-01T09:00:00Z'));
    const previousMs = Number((await redis().admin.get(name))?.lockedAt);
    const minute = new Date(previousMs).getUTCMinutes();
    const hour = (new Date(previousMs).getUTCHours() + 1) % 24;
    const line = ['--name', name, '--schedule', `${minute} ${hour} * * *`];

    const { stderr } = await ranAt(previousMs + 24 * HOUR_MS, line);
    expect(stderr).toMatch(/calls always come (59|60) minutes before a tick of the schedule/);
  });

  test('row 201: --tick-from kubernetes takes the tick from the end of JOB_NAME, however late the pod starts', async () => {
    const name = freshName();
    const ofJob = (minutes: number, lateMs: number, ...more: string[]) =>
      ranAs(`backup-2-${minutes}`, JOB_MS + lateMs, '--name', name, '--tick-from', 'kubernetes', ...more);

    expect(await ofJob(JOB_MINUTES, 3_599_000)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`single-execution: lock "${name}": runs for its tick 2026-11-20T09:00:00Z\n`),
    });
    // A pod that Kubernetes has started again.
    expect((await ofJob(JOB_MINUTES, 3_600_000)).code).toBe(75);
    // The clock of this host is behind that of the cluster.
    expect((await ofJob(JOB_MINUTES + 60, 3_300_000, '--schedule', '0 * * * *')).code).toBe(0);
    const seen = { doneTick: new Date(JOB_MS + HOUR_MS), schedule: '0 * * * *' };
    expect(await redis().admin.get(name)).toMatchObject(seen);
  });

  test('F220 a Job whose tick is not in --schedule runs, and one plain line says what to pass', async () => {
    const line = ['--name', freshName(), '--tick-from', 'kubernetes', '--schedule', '0 2 * * *'];
    const { code, stderr } = await ranAs(`backup-${JOB_MINUTES}`, JOB_MS, ...line);

    // The clock of this test is not that of the server.
    const lines = stderr
      .trim()
      .split('\n')
      .filter((text) => !text.includes('clock of this host'));
    expect([code, ...lines.map((text) => text.replace(/lock "[^"]+"/, 'it'))]).toEqual([
      0,
      'single-execution: it: tick 2026-11-20T09:00:00.000Z is not in its schedule, 0 2 * * *: pass the --schedule and the --time-zone of the CronJob',
      'single-execution: it: runs for its tick 2026-11-20T09:00:00Z',
    ]);
  });

  test.each([
    ['-1', 'by hand'],
    ['-manual', 'letters'],
    ['-20261126', 'a date'],
    ['-26112026x', 'digits and letters'],
    [`-${JOB_MS}`, 'milliseconds'],
    [`-${JOB_MS / 1_000}`, 'seconds'],
    [`-0${JOB_MINUTES}`, 'digits that the controller does not write'],
    [`-${JOB_MINUTES}-`, 'a dash'],
    [`${JOB_MINUTES}`, 'no dash'],
    [`-${JOB_MINUTES + 6}`, 'six minutes ahead'],
    [`-${Date.UTC(2014, 11, 31) / 60_000}`, 'before 2015'],
    ['-99999999999999999999999', 'no instant'],
  ])('F192 row 201: a Job that was made by hand runs by hand, and says so: %s (%s)', async (end) => {
    const name = freshName();
    const line = ['--name', name, '--tick-from', 'kubernetes', '--schedule', '0 9 * * *', '--quiet'];
    const jobName = end.startsWith('-') ? `backup${end}` : end;
    const runs = [await ranAs(jobName, JOB_MS, ...line), await ranAs(jobName, JOB_MS, ...line)];

    const said = expect.stringContaining(
      `single-execution: JOB_NAME is '${jobName}', which does not end with the minutes`,
    );
    expect(runs).toEqual([1, 2].map(() => ({ code: 0, stdout: '', stderr: said })));
    expect(await redis().admin.get(name)).not.toHaveProperty('doneTick');
  });

  test('ticks without a run are listed', async () => {
    const name = freshName();
    await ran(redis().store, name, new Date(TICK));
    const { code, stderr } = await ranAt(JOB_MS + 3.2 * HOUR_MS, ['--name', name, '--schedule', '0 * * * *']);

    expect(code).toBe(0);
    expect(stderr).toContain(
      `single-execution: lock "${name}": ticks missed: 2: 2026-11-20T10:00:00Z, 2026-11-20T11:00:00Z\n`,
    );
  });

  test('without --tick and --schedule a run has no tick, not that of a run around it', async () => {
    const file = freshFile();
    const env = { ...process.env, SINGLE_EXECUTION_TICK: TICK };
    await ranAt(JOB_MS, ['--name', freshName()], env, sh(`echo "[$SINGLE_EXECUTION_TICK]" > ${file}`));

    expect(await linesOf(file)).toEqual(['[]']);
  });

  test('--at-least keeps the lock after a run that succeeds', async () => {
    const name = freshName();
    await runWith('--name', name, '--at-least', '1m', '--at-most', '2m', ...sh(''));

    const stderr = expect.stringContaining('kept for lockAtLeastFor');
    expect(await runWith('--name', name, ...sh(''))).toMatchObject({ code: 75, stderr });
  });

  test.each([
    ['no-such-command', 127, '(ENOENT): correct its name, or write its path'],
    // `spawn` throws these errors, and emits no event.
    [`${process.execPath}/no-such-command`, 127, '(ENOTDIR): correct its name, or write its path'],
    [tmpdir(), 126, '(EACCES): name a file that may be executed'],
  ])('the command %s cannot be started: exit code %i, %s, and its tick stays open', async (command, code, why) => {
    const name = freshName();

    expect(await runWith('--name', name, '--tick', TICK, '--', command)).toMatchObject({
      code,
      stderr: `single-execution: the command '${command}' cannot be started ${why}\n`,
    });
    expect(await redis().admin.open(name)).toEqual([new Date(TICK)]);
  });

  test('a run after a crash says so', async () => {
    const name = freshName();
    await ran(redis().store, name);
    await taken(redis().store, name, { leaseMs: 1 });

    const stderr = `single-execution: lock "${name}": the run before crashed\n`;
    expect(await runWith('--name', name, ...sh(''))).toMatchObject({ code: 0, stderr });
  });
});

// F219 in store.test.ts plays each store that is away.
test('row 126: if the store cannot be reached, the command does not run and run exits with 69', async () => {
  const table = ['--table', 'no-such-table', ...stage().on('dynamodb').args.slice(2)];
  const { code, stdout, stderr } = await innerCli(['run', '--name', 'x', ...table, ...sh(PRINT)]);

  expect({ code, stdout }).toEqual({ code: 69, stdout: '' });
  expect(stderr).toMatch(/the command did not run: .*acquire of lock "x" failed/);
});
