import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT_LISTENERS } from '../others/exit-listeners.js';
import { inThisRun } from '../support/in-this-run.js';
import { installed } from '../support/package-sets.js';
import { startRedisServer } from '../support/redis-server.js';
import { preparePrograms } from './program.js';

const server = await startRedisServer();
const redis = new Redis(server.url);
const programs = await preparePrograms(server.url, await installed('test/others'));
const folder = await mkdtemp(join(tmpdir(), 'single-execution-signals-'));
afterAll(async () => {
  redis.disconnect();
  await Promise.all([server.stop(), programs.remove(), rm(folder, { recursive: true, force: true })]);
});
beforeEach(async () => {
  await redis.flushall();
});
afterEach(() => programs.end());

const start = (program: string) => programs.start(`const folder = ${JSON.stringify(folder)}; ${program}`);
const held = () => redis.hgetall('lock:digest');

/** A job that does not settle. */
const HANGS = 'await call(wrap(async (execution) => { await aborted(execution); await told("never"); }));';
/** process-shutdown.test.ts plays SIGTERM. */
const ENDING = ['SIGINT', 'SIGHUP', 'SIGUSR2'] as const;

describe('row 148: each signal that ends a process', () => {
  test.each(ENDING)(
    'row 148: %s tells the job, which settles and releases; then it ends the process',
    async (signal) => {
      const program = start("await call(wrap(settleWhenTold('settle')));");
      await program.until('digest started');
      program.send(signal);
      expect(await program.said('aborted')).toBe('RunEndedError SHUTDOWN');
      expect(await held()).toMatchObject({ state: 'held' });
      await program.tell('settle');

      expect(await program.ended).toBe(signal);
      expect(program.lines.slice(-4)).toEqual(['digest settled', 'digest released', 'digest finished', 'fulfilled']);
      expect(await held()).toMatchObject({ state: 'released', result: 'succeeded' });
    },
  );

  test.each(ENDING)('row 148: %s ends the process as ever while nothing runs', async (signal) => {
    const program = start(`await call(wrap(() => {})); say('listeners', process.listenerCount('${signal}'));`);
    expect(await program.said('listeners')).toBe('1');
    program.send(signal);

    expect(await program.endedAtOnce()).toBe(signal);
  });

  test.each([...ENDING.map((signal) => [signal, signal] as const), ['SIGINT', 'SIGTERM'] as const])(
    'row 148: after %s, a second signal ends the process at once, although its job does not settle: %s',
    async (first, second) => {
      const program = start(HANGS);
      await program.until('digest started');
      program.send(first);
      expect(await program.said('aborted')).toBe('RunEndedError SHUTDOWN');
      program.send(second);

      expect(await program.ended).toBe(second);
      expect(await held()).toMatchObject({ state: 'held' });
    },
  );

  test('row 148: SIGQUIT is not one of them: it ends the process at once, as ever', async () => {
    const program = start("await call(wrap(settleWhenTold('never')));");
    await program.until('digest started');
    program.send('SIGQUIT');

    expect(await program.endedAtOnce()).toBe('SIGQUIT');
    expect(program.lines).not.toContain('aborted RunEndedError SHUTDOWN');
  });
});

describe('row 148: a program that listens itself', () => {
  test.each(['SIGHUP', 'SIGUSR2'] as const)(
    'row 148: for %s means something else by it: runs go on, and later ones begin',
    async (signal) => {
      const program = start(`
      process.on('${signal}', () => say('reads its configuration'));
      await call(wrap(async ({ signal }) => { await told('settle'); say('aborted', signal.aborted); }));
      await call(wrap(() => say('ran'), { name: 'later' }));`);
      await program.until('digest started');
      program.send(signal);
      await program.until('reads its configuration');
      program.send(signal);
      await program.turn();
      await program.tell('settle');
      await program.until('later finished');

      expect(program.lines).toContain('aborted false');
      expect(program.lines).toContain('ran');
      program.sigterm();
      expect(await program.ended).toBe('SIGTERM');
    },
  );

  test('row 148: for SIGINT ends by its own means, and its runs are told', async () => {
    const program = start(`
      process.on('SIGINT', () => say('own'));
      await call(wrap(aborted));
      await told('leave');
      process.exit(7);`);
    await program.until('digest started');
    program.send('SIGINT');
    await program.until('fulfilled');
    program.send('SIGINT');
    await program.turn();
    void program.tell('leave');

    expect(await program.ended).toBe(7);
  });
});

/** One of each kind: another listener only, one that ends the process, both, and one that comes and goes. */
const FIRST = ['signal-exit 3', 'signal-exit 4', 'signal-exit 4, then 3', 'execa 9, while its command runs'];
const FURTHER = Object.keys(EXIT_LISTENERS).filter((name) => !FIRST.includes(name));

describe.each(inThisRun(FIRST, FURTHER))('F140 beside %s', (name) => {
  const listens = EXIT_LISTENERS[name] ?? '';
  const hasHandler = listens.includes('exit handler');

  test.each([
    ['before the first run', `${listens} say('listens'); await call(wrap(settleWhenTold('settle')));`],
    ['during it', `call(wrap(settleWhenTold('settle'))); ${listens} say('listens');`],
    [
      'in the handler, after the signal',
      `await call(wrap(async (execution) => {
        say('listens');
        await aborted(execution);
        ${listens}
        await told('settle');
      }));`,
    ],
  ])('F140 that came %s, the job settles and releases; then the process ends by the signal', async (_, program) => {
    const running = start(program);
    await Promise.all([running.until('digest started'), running.until('listens')]);
    running.sigterm();
    expect(await running.said('aborted')).toBe('RunEndedError SHUTDOWN');
    await running.tell('settle');

    expect(await running.ended).toBe('SIGTERM');
    expect(running.lines).toContain('digest released');
    if (hasHandler) expect(running.lines.at(-1)).toBe('exit handler');
    expect(await held()).toMatchObject({ state: 'released' });
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'F140 while nothing runs, %s ends the process',
    async (signal) => {
      const program = start(`await call(wrap(() => {})); ${listens} say('idle');`);
      await program.until('idle');
      program.send(signal);

      expect(await program.endedAtOnce()).toBe(signal);
      if (name === 'signal-exit 4') expect(program.lines.slice(-2)).toEqual(['idle', 'exit handler']);
    },
  );

  test('F140 a second signal ends the process at once', async () => {
    const program = start(`${listens} ${HANGS}`);
    await program.until('digest started');
    program.send('SIGINT');
    expect(await program.said('aborted')).toBe('RunEndedError SHUTDOWN');
    program.send('SIGINT');

    expect(await program.ended).toBe('SIGINT');
  });

  test('F140 a program that listens itself, too, is not ended by us', async () => {
    const program = start(`
      process.on('SIGTERM', () => say('own'));
      ${listens}
      await call(wrap(aborted));
      await told('leave');
      process.exit(7);`);
    await program.until('digest started');
    program.sigterm();
    await program.until('fulfilled');
    await program.turn();
    void program.tell('leave');

    expect(await program.ended).toBe(7);
  });
});

test('row 149: fifteen copies of the module have one listener for each signal, and the runs of all are waited for', async () => {
  const program = start(`
    for (let copy = 1; copy <= 15; copy++) {
      const { untilShutdown: run } = await import(library + '?copy=' + copy);
      run(async (signal) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        await told('settle');
        say('settled', copy);
      });
    }
    say('listeners', ...['SIGTERM', 'SIGINT', 'SIGHUP'].map((signal) => process.listenerCount(signal)));`);
  expect(await program.said('listeners')).toBe('1 1 1');
  program.send('SIGINT');
  await program.turn();
  await program.tell('settle');

  expect(await program.ended).toBe('SIGINT');
  expect(program.lines.slice(1)).toHaveLength(15);
  expect(program.errors()).toBe('');
});
