import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startRedisServer } from '../support/redis-server.js';
import { preparePrograms } from './program.js';

const server = await startRedisServer();
const redis = new Redis(server.url);
const programs = await preparePrograms(server.url);
afterAll(async () => {
  redis.disconnect();
  await Promise.all([server.stop(), programs.remove()]);
});
beforeEach(async () => {
  await redis.flushall();
});
afterEach(() => programs.end());

const start = (program: string) => programs.start(program);

const SETTLED = ['digest settled', 'digest released', 'digest finished', 'fulfilled'];
/** The lines after that line. */
const since = (lines: readonly string[], line: string) => lines.slice(lines.indexOf(line) + 1);

describe('row 31: SIGTERM', () => {
  test('row 31: aborts the signal with a RunEndedError, waits for the job, releases once, and then ends the process', async () => {
    const program = start('await call(wrap(obey));');
    await program.until('digest started');
    expect(await redis.hgetall('lock:digest')).toMatchObject({ state: 'held' });
    program.sigterm();

    expect(await program.ended).toBe('SIGTERM');
    expect(since(program.lines, 'digest started')).toEqual([
      'aborted RunEndedError SHUTDOWN',
      'digest released',
      'digest failed',
      'rejected RunEndedError SHUTDOWN',
    ]);
    const record = await redis.hgetall('lock:digest');
    expect(record).toMatchObject({ state: 'released', result: 'failed', error: 'RunEndedError' });
    expect(record).not.toHaveProperty('doneTick');
  });

  test('row 31: a job that settles slowly keeps its lock until then, however often SIGTERM is sent', async () => {
    const program = start("await call(wrap(settleWhenTold('settle')));");
    await program.until('digest started');
    program.sigterm();
    expect(await program.said('aborted')).toBe('RunEndedError SHUTDOWN');
    program.sigterm();
    await program.turn();
    expect(await redis.hgetall('lock:digest')).toMatchObject({ state: 'held' });
    program.sigterm();
    await program.turn();
    await program.tell('settle');

    expect(await program.ended).toBe('SIGTERM');
    expect(since(program.lines, 'aborted RunEndedError SHUTDOWN')).toEqual(SETTLED);
    expect(await redis.hgetall('lock:digest')).toMatchObject({ result: 'succeeded', doneTick: expect.anything() });
  });

  test('row 31: the process ends when the last of several runs has settled', async () => {
    const program = start(`
      call(wrap(aborted, { name: 'quick' }));
      call(wrap(settleWhenTold('settle'), { name: 'slow' }));`);
    await Promise.all([program.until('quick started'), program.until('slow started')]);
    program.sigterm();
    await program.until('fulfilled');
    await program.turn();
    await program.tell('settle');

    expect(await program.ended).toBe('SIGTERM');
    expect(since(program.lines, 'fulfilled')).toEqual(['slow settled', 'slow released', 'slow finished', 'fulfilled']);
  });

  test('row 31: during the acquire is not missed: no run continues without the signal', async () => {
    const program = start(`
      const slow = { ...store, acquire: async (...args) => {
        const result = await store.acquire(...args);
        say('granted');
        await told('answer');
        return result;
      } };
      await call(wrap(obey, { store: slow }));`);
    await program.until('granted');
    program.sigterm();
    await program.turn();
    await program.tell('answer');

    expect(await program.ended).toBe('SIGTERM');
    expect(program.lines.at(-1)).toBe('rejected RunEndedError SHUTDOWN');
    expect(await redis.hgetall('lock:digest')).toMatchObject({ state: 'released', result: 'failed' });
  });

  test('row 31: a call that comes after it rejects with a RunEndedError and writes nothing', async () => {
    const program = start(`
      process.on('SIGTERM', () => say('own'));
      await call(wrap(async (execution) => {
        await aborted(execution);
        await call(wrap(() => say('ran'), { name: 'during' }));
      }));
      await call(wrap(() => say('ran'), { name: 'afterwards' }));
      process.exit(0);`);
    await program.until('digest started');
    program.sigterm();

    expect(await program.ended).toBe(0);
    expect(since(program.lines, 'digest started').filter((line) => line !== 'own')).toEqual([
      'aborted RunEndedError SHUTDOWN',
      'during attempted',
      'during acquire-failed',
      'rejected RunEndedError SHUTDOWN',
      'digest released',
      'digest finished',
      'fulfilled',
      'afterwards attempted',
      'afterwards acquire-failed',
      'rejected RunEndedError SHUTDOWN',
    ]);
    expect(await redis.keys('*')).toEqual(['lock:digest']);
  });
});

describe('row 31: a program that listens for SIGTERM itself', () => {
  test.each(['on', 'once'])('row 31: by process.%s is not ended by the library', async (listen) => {
    const program = start(`
      process.${listen}('SIGTERM', () => say('own'));
      await call(wrap(aborted));
      await told('leave');
      say('still here');
      process.exit(7);`);
    await program.until('digest started');
    program.sigterm();
    await program.until('fulfilled');
    await program.turn();
    void program.tell('leave');

    expect(await program.ended).toBe(7);
    expect(program.lines).toContain('own');
    expect(program.lines.slice(-2)).toEqual(['fulfilled', 'still here']);
  });

  test('row 31: and sends it to itself in the end, as NestJS does, ends when the last run has settled', async () => {
    const program = start(`
      const own = async () => {
        await told('shut down');
        process.off('SIGTERM', own);
        process.kill(process.pid, 'SIGTERM');
        say('shut down');
      };
      process.on('SIGTERM', own);
      await call(wrap(settleWhenTold('settle')));`);
    await program.until('digest started');
    program.sigterm();
    expect(await program.said('aborted')).toBe('RunEndedError SHUTDOWN');
    await program.tell('shut down');
    await program.until('shut down');
    await program.turn();
    await program.tell('settle');

    expect(await program.ended).toBe('SIGTERM');
    expect(since(program.lines, 'shut down')).toEqual(SETTLED);
  });
});

describe('row 31: SIGTERM while nothing runs', () => {
  test.each<[string, string, number]>([
    ['before the first run', 'wrap(() => {});', 0],
    ['after a run', 'await call(wrap(() => {}));', 1],
    ['after a run that failed', 'await call(wrap(() => Promise.reject(new Error())));', 1],
  ])('row 31: ends the process as ever, %s', async (_, run, listeners) => {
    const program = start(`${run} say('listeners', process.listenerCount('SIGTERM'));`);
    expect(await program.said('listeners')).toBe(`${listeners}`);
    program.sigterm();

    expect(await program.ended).toBe('SIGTERM');
  });

  test('row 31: after a run, in a program that listens itself: later calls are refused and write nothing', async () => {
    const program = start(`
      process.on('SIGTERM', () => say('own'));
      await call(wrap(() => {}));
      await told('call');
      await call(wrap(() => say('ran'), { name: 'afterwards' }));
      await told('leave');
      process.exit(7);`);
    await program.until('fulfilled');
    program.sigterm();
    await program.until('own');
    await program.tell('call');
    expect(await program.said('rejected')).toBe('RunEndedError SHUTDOWN');
    await program.turn();
    void program.tell('leave');

    expect(await program.ended).toBe(7);
    expect(since(program.lines, 'fulfilled')).toEqual([
      'own',
      'afterwards attempted',
      'afterwards acquire-failed',
      'rejected RunEndedError SHUTDOWN',
    ]);
    expect(await redis.keys('*')).toEqual(['lock:digest']);
  });
});
