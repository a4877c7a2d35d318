import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { untilShutdown } from '../../src/adapters/process-shutdown.js';
import { gate } from '../support/gate.js';
import { type RedisServer, startRedisServer } from '../support/redis-server.js';

let server: RedisServer;
let redis: Redis;
beforeAll(async () => {
  server = await startRedisServer();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeEach(async () => {
  await redis.flushall();
});
const programs = new Set<ChildProcess>();
afterEach(() => {
  for (const program of programs) program.kill('SIGKILL');
  programs.clear();
});

const source = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);

/** What every program below starts with; it goes on until it is ended, and says what happens, one line each. */
const START = `
  import { Redis } from 'ioredis';
  import { setTimeout as sleep } from 'node:timers/promises';
  import { redisStore } from ${source('stores/redis.ts')};
  import { withSingleExecution } from ${source('adapters/process.ts')};
  const say = (...words) => console.log(words.join(' '));
  const store = redisStore({ client: new Redis(process.argv[1]) });
  const options = { name: 'digest', store, lockAtMostFor: '1m', tick: { every: '1d' } };
  const wrap = (job, over) =>
    withSingleExecution(job, { ...options, observers: [({ type, name }) => say(name, type)], ...over });
  const aborted = ({ signal }) =>
    new Promise((resolve) => {
      const tell = () => resolve(say('aborted', signal.reason.name, signal.reason.code));
      if (signal.aborted) tell();
      else signal.addEventListener('abort', tell);
    });
  const obey = async (execution) => {
    await aborted(execution);
    throw execution.signal.reason;
  };
  const settleAfter = (ms) => async (execution) => {
    await aborted(execution);
    await sleep(ms);
    say(execution.name, 'settled');
  };
  const call = (job) =>
    job().then(() => say('fulfilled'), (error) => say('rejected', error.name, error.code));
  setInterval(() => {}, 60_000);`;

interface Program {
  readonly lines: string[];
  /** Resolves when it has said that. */
  until(line: string): Promise<void>;
  sigterm(): void;
  /** How it ended: its exit code, or the signal. */
  readonly ended: Promise<number | string>;
}

function start(program: string): Program {
  const args = ['--import', 'tsx', '--input-type=module', '--eval', START + program, server.url];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  programs.add(child);
  const lines: string[] = [];
  const reader = createInterface(child.stdout).on('line', (line) => lines.push(line));
  const closed = Promise.all([once(child, 'exit'), once(reader, 'close')]);
  return {
    lines,
    until: (line) => vi.waitUntil(() => lines.includes(line), { timeout: 10_000, interval: 5 }).then(() => {}),
    sigterm: () => child.kill('SIGTERM'),
    ended: closed.then(([[code, signal]]) => (signal ?? code) as number | string),
  };
}

const SETTLED = ['digest settled', 'digest released', 'digest finished', 'fulfilled'];
/** What was said after that line. */
const since = (lines: string[], line: string) => lines.slice(lines.indexOf(line) + 1);

describe('row 31: SIGTERM', () => {
  test('row 31: aborts the signal with a DeadlineError, waits for the job, releases once, and then ends the process', async () => {
    const program = start('await call(wrap(obey));');
    await program.until('digest started');
    expect(await redis.hgetall('lock:digest')).toMatchObject({ state: 'held' });
    program.sigterm();

    expect(await program.ended).toBe('SIGTERM');
    expect(since(program.lines, 'digest started')).toEqual([
      'aborted DeadlineError SHUTDOWN',
      'digest released',
      'digest failed',
      'rejected DeadlineError SHUTDOWN',
    ]);
    const record = await redis.hgetall('lock:digest');
    expect(record).toMatchObject({ state: 'released', result: 'failed', error: 'DeadlineError' });
    expect(record).not.toHaveProperty('doneTick');
  });

  test('row 31: a job that takes 300 ms more to settle keeps its lock for as long, however often SIGTERM is sent', async () => {
    const program = start('await call(wrap(settleAfter(300)));');
    await program.until('digest started');
    program.sigterm();
    await program.until('aborted DeadlineError SHUTDOWN');
    program.sigterm();
    expect(await redis.hgetall('lock:digest')).toMatchObject({ state: 'held' });
    program.sigterm();

    expect(await program.ended).toBe('SIGTERM');
    expect(since(program.lines, 'aborted DeadlineError SHUTDOWN')).toEqual(SETTLED);
    expect(await redis.hgetall('lock:digest')).toMatchObject({ result: 'succeeded', doneTick: expect.anything() });
  });

  test('row 31: the process ends when the last of several runs has settled', async () => {
    const program = start(`
      call(wrap(settleAfter(0), { name: 'quick' }));
      call(wrap(settleAfter(300), { name: 'slow' }));`);
    await Promise.all([program.until('quick started'), program.until('slow started')]);
    program.sigterm();

    expect(await program.ended).toBe('SIGTERM');
    expect(program.lines.filter((line) => / settled$/.test(line))).toEqual(['quick settled', 'slow settled']);
    expect(program.lines.filter((line) => line === 'fulfilled')).toHaveLength(2);
  });

  test('row 31: while the lock is asked for is not missed: no run goes on that was not told', async () => {
    const program = start(`
      const slow = { ...store, acquire: async (...args) => {
        const result = await store.acquire(...args);
        say('granted');
        await sleep(300);
        return result;
      } };
      await call(wrap(obey, { store: slow }));`);
    await program.until('granted');
    program.sigterm();

    expect(await program.ended).toBe('SIGTERM');
    expect(program.lines.at(-1)).toBe('rejected DeadlineError SHUTDOWN');
    expect(await redis.hgetall('lock:digest')).toMatchObject({ state: 'released', result: 'failed' });
  });

  test('row 31: a call that comes after it rejects with a DeadlineError and writes nothing', async () => {
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
      'aborted DeadlineError SHUTDOWN',
      'rejected DeadlineError SHUTDOWN',
      'digest released',
      'digest finished',
      'fulfilled',
      'rejected DeadlineError SHUTDOWN',
    ]);
    expect(await redis.keys('*')).toEqual(['lock:digest']);
  });
});

describe('row 31: a program that listens for SIGTERM itself', () => {
  test.each(['on', 'once'])('row 31: by process.%s is not ended by us', async (listen) => {
    const program = start(`
      process.${listen}('SIGTERM', () => say('own'));
      await call(wrap(aborted));
      await sleep(300);
      say('still here');
      process.exit(7);`);
    await program.until('digest started');
    program.sigterm();

    expect(await program.ended).toBe(7);
    expect(program.lines).toContain('own');
    expect(program.lines.slice(-2)).toEqual(['fulfilled', 'still here']);
  });

  test('row 31: and sends it to itself in the end, as NestJS does, ends when the last run has settled', async () => {
    const program = start(`
      const own = async () => {
        await sleep(100);
        process.off('SIGTERM', own);
        say('shut down');
        process.kill(process.pid, 'SIGTERM');
      };
      process.on('SIGTERM', own);
      await call(wrap(settleAfter(300)));`);
    await program.until('digest started');
    program.sigterm();

    expect(await program.ended).toBe('SIGTERM');
    expect(since(program.lines, 'shut down')).toEqual(SETTLED);
  });
});

describe('row 31: while nothing runs', () => {
  test.each<[string, string]>([
    ['before the first run', 'wrap(() => {});'],
    ['after a run', 'await call(wrap(() => {}));'],
    ['after a run that failed', 'await call(wrap(() => Promise.reject(new Error())));'],
  ])('row 31: SIGTERM ends the process as ever, %s', async (_, run) => {
    const program = start(`${run} say('listeners', process.listenerCount('SIGTERM'));`);
    await program.until('listeners 0');
    program.sigterm();

    expect(await program.ended).toBe('SIGTERM');
  });

  test('row 31: one listener serves all runs in progress, and none is left when they have settled', async () => {
    const before = process.listenerCount('SIGTERM');
    const finish = gate<string>();
    const running = Array.from({ length: 100 }, () => untilShutdown(() => finish.opened));

    expect(process.listenerCount('SIGTERM')).toBe(before + 1);
    finish.open('done');
    expect(new Set(await Promise.all(running))).toEqual(new Set(['done']));
    expect(process.listenerCount('SIGTERM')).toBe(before);
    await expect(untilShutdown(() => Promise.reject(new Error('no database')))).rejects.toThrow('no database');
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });
});

test.each<[string, unknown]>([
  ['no process', undefined],
  ['one without signals, as on an edge runtime', { env: {} }],
])('row 65: where there is %s, runs go on without', async (_, stub) => {
  vi.resetModules();
  vi.stubGlobal('process', stub);
  const { untilShutdown: fresh } = await import('../../src/adapters/process-shutdown.js').finally(vi.unstubAllGlobals);

  expect(await fresh(async ({ aborted }) => aborted)).toBe(false);
});
