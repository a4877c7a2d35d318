import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { clearedEngine } from '../support/backends/stage.js';
import { builtPackage } from '../support/built-package.js';
import { BARE_DOORS } from '../support/doors.js';
import { RUNTIMES, type RunningProgram, startProgram } from './runtimes.js';

/*
 * The installed package in the real runtimes: one program, one set of expectations. Deno allows the program to reach
 * loopback and to read a few variables, and nothing else.
 */

/** The file that the program imports: Deno loads only what an import names. */
const DOORS_FILE = [
  ...BARE_DOORS.map((door, n) => `import * as door${n} from '${door}';`),
  `export const doors = { ${BARE_DOORS.map((door, n) => `'${door}': door${n}`).join(', ')} };`,
].join('\n');
const SECRET = 'secret-of-the-tests';
/** For each runtime, the ways that read a signal inside the platform: only a timer shows them the end of a lease. */
const TOLD_BY_TIMERS: Readonly<Record<string, readonly string[]>> = {
  Deno: ['new Request', 'AbortSignal.any', 'fetch'],
  Bun: ['AbortSignal.any', 'fetch'],
};
const WAYS = ['aborted', 'throwIfAborted', 'timers/promises', 'events.once', 'new Request', 'AbortSignal.any', 'fetch'];
/** The library ends the process by SIGTERM. If that takes longer than one turn of the event loop, it exits with 143. */
const ENDED_BY_SIGTERM = [
  { code: null, signal: 'SIGTERM', stderr: '' },
  { code: 143, signal: null, stderr: '' },
];
/** The first start of Node 22 or 24 may have to fetch that version. */
const SLOW_MS = 300_000;
const PATIENTLY = { timeout: 60_000 };

const { client: redis, bridge } = await clearedEngine('upstash');
const installed = await builtPackage();
afterAll(() => installed.remove());
await installed.addProgram(fileURLToPath(new URL('./asked-early.ts', import.meta.url)));
await writeFile(join(installed.folder, 'doors.js'), DOORS_FILE);
const path = await installed.addProgram(fileURLToPath(new URL('./program.ts', import.meta.url)));

describe.each(RUNTIMES)('on $name', { timeout: SLOW_MS }, (runtime) => {
  let program: RunningProgram;

  beforeEach(async () => {
    const env = { REST_URL: bridge.url, REST_TOKEN: bridge.token, CRON_SECRET: SECRET };
    program = await startProgram(runtime, path, env);
  }, SLOW_MS);
  afterEach(() => program.stop());

  const get = (route: string, headers: Record<string, string> = {}) => fetch(program.url + route, { headers });
  const lock = (name: string) => redis.hgetall(`lock:${name}`);

  test('row 65: gives every door that needs no SDK', async () => {
    const doors: Record<string, string[]> = JSON.parse(await (await get('/doors')).text());

    expect(Object.keys(doors)).toEqual(BARE_DOORS);
    expect(doors).toMatchObject({
      'single-execution': expect.arrayContaining(['currentExecution', 'executeWithLock', 'withSingleExecution']),
      'single-execution/cloudflare': ['withSingleExecution'],
      'single-execution/http': ['withSingleExecution'],
      'single-execution/process': ['nodeCronCoordinator', 'withSingleExecution'],
    });
  });

  test('row 66: of two deliveries of a tick at once one runs; the other is skipped, and so is a third', async () => {
    const tick = new Date(Date.now() - 60_000).toISOString();
    const deliver = async () => {
      const response = await get('/digest', { authorization: `Bearer ${SECRET}`, 'ce-vssscheduledat': tick });
      return { status: response.status, body: await response.json() };
    };

    const answers = await Promise.all([deliver(), deliver()]);
    expect(answers).toContainEqual({
      status: 200,
      body: { status: 'sent', tick, isFenced: true, currentName: 'digest' },
    });
    expect(answers).toContainEqual({
      status: 200,
      body: expect.objectContaining({ status: 'skipped', reason: 'locked', tick }),
    });
    expect(await deliver()).toMatchObject({ status: 200, body: { status: 'skipped', reason: 'already-executed' } });
    expect(await lock('digest')).toMatchObject({ state: 'released', doneTick: String(Date.parse(tick)) });
  });

  test('row 66: a caller without the secret is answered with 401, and the store gets no request', async () => {
    const asked = bridge.requests().length;

    const answers = await Promise.all([get('/digest'), get('/digest', { authorization: 'Bearer guess' })]);
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    expect(bridge.requests()).toHaveLength(asked);
  });

  test('row 19: reading the signal shows that the lease is over, before any timer has fired', async () => {
    const toldByTimers = TOLD_BY_TIMERS[runtime.name] ?? [];

    expect(await (await get('/asked-early')).json()).toEqual(WAYS.filter((way) => !toldByTimers.includes(way)));
  });

  test('row 31: SIGTERM aborts a job, waits for it, releases its lock once, and ends the process', async () => {
    await get('/clean');
    await vi.waitFor(() => expect(program.said()).toEqual([{ said: 'started' }]), PATIENTLY);
    program.kill('SIGTERM');

    await vi.waitFor(() => expect(program.said()).toHaveLength(2), PATIENTLY);
    expect(program.said()[1]).toEqual({ said: 'asked to stop', code: 'SHUTDOWN', currentName: 'clean' });
    expect(await lock('clean')).toMatchObject({ state: 'held' });
    const asked = bridge.requests().length;
    await get('/clean-up');

    expect(ENDED_BY_SIGTERM).toContainEqual(await program.ended);
    expect(program.said()[2]).toMatchObject({ said: 'stopped', error: 'RunEndedError' });
    expect(await lock('clean')).toMatchObject({ state: 'released', result: 'failed', error: 'RunEndedError' });
    expect(bridge.requests().length - asked).toBeLessThanOrEqual(2);
  });
});
