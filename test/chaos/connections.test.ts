import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { executeWithLock } from 'single-execution';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientsOf } from '../faults/clients.js';
import { type BundledProgram, bundledProgram } from '../support/bundled-program.js';
import { type ChildProgram, type ChildPrograms, childPrograms } from '../support/child-program.js';
import { gate } from '../support/gate.js';
import { type ProxiedLocks, startProxiedLocks } from '../support/proxied-locks.js';
import { startSlowNetwork } from '../support/slow-network.js';
import type { Call } from './caller.js';

/*
 * Real processes whose connections are slow to open, or are closed while the process is stopped.
 */

const AGES = ['oldest', 'newest'] as const;

let locks: ProxiedLocks;
let callers: Record<(typeof AGES)[number], BundledProgram>;
let programs: ChildPrograms;
beforeAll(async () => {
  programs = childPrograms();
  const source = new URL('./caller.ts', import.meta.url);
  const bundles = AGES.map(async (age) => bundledProgram(source, await clientsOf(age)));
  const [oldest, newest] = (await Promise.all(bundles)) as [BundledProgram, BundledProgram];
  callers = { oldest, newest };
  locks = await startProxiedLocks();
});
afterAll(async () => {
  await programs.stop();
  await Promise.all([locks.stop(), callers.oldest.remove(), callers.newest.remove()]);
});

/**
 * A process that calls jobs with the library's default client.
 *
 * @param isPatient whether each try waits for its answer, so that a machine that stands still costs no second request
 */
async function startCaller(age: (typeof AGES)[number], endpoint: string, isPatient = false) {
  const settings = { tableName: locks.tableName, isPatient, ...(age === 'oldest' && { endpoint }) };
  const child = programs.start(callers[age].path, settings, [], {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  });
  await child.until('ready');
  return { child, call: (call: Call) => child.tell(JSON.stringify(call)) };
}

/** How long a process is let run at a time, by what it has computed. */
const TURN_MS = 7;

/**
 * Lets a process have a part of a core, as Lambda does with a function that has little memory. What it has computed
 * counts: on a busy machine, the time in which it may run would be less than its part.
 */
async function throttle(child: ChildProgram, part: number, end: AbortSignal): Promise<void> {
  let restedMs = await computedMs(child.pid);
  while (!end.aborted) {
    const usedMs = (await computedMs(child.pid)) - restedMs;
    if (usedMs >= TURN_MS) {
      child.kill('SIGSTOP');
      await sleep(usedMs / part - usedMs);
      restedMs = await computedMs(child.pid);
      child.kill('SIGCONT');
    }
    await sleep(1);
  }
}

/** The milliseconds that the main thread of a process has computed. Only Linux says so; elsewhere all time counts. */
async function computedMs(pid: number): Promise<number> {
  const schedstat = await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => undefined);
  return schedstat === undefined ? performance.now() : Number(schedstat.split(' ')[0]) / 1e6;
}

test('row 81: F98 a process with 7 % of a core and 0.3 s for each step to its table runs', async () => {
  const network = await startSlowNetwork(locks.proxy.endpoint, 300);
  const { child, call } = await startCaller('newest', network.endpoint);
  const end = new AbortController();
  const throttled = throttle(child, 0.07, end.signal);
  call({ name: 'throttled' });
  const settled = await child.until('settled');
  end.abort();
  await throttled;

  expect(settled).toMatchObject({ status: 'executed' });
  // The set-up of the connection and the request take 0.3 s each. The process needs time as well.
  expect((await child.until('running'))['tookMs']).toBeGreaterThan(600);
  await network.stop();
});

describe.each(AGES)('F99 a skip after a freeze in which the server closed the connection, %s client', (age) => {
  test.each([
    ['the call', 'the close'],
    ['the close', 'the call'],
  ] as const)('costs one write when the process hears of %s before %s', async (...order) => {
    const name = `frozen ${age} ${order[0]}`;
    const [held, done] = [gate(), gate()];
    const hold = () => {
      held.open();
      return done.opened;
    };
    const holder = executeWithLock(hold, { name, store: locks.store(), lockAtMostFor: '5m' });
    await held.opened;
    const { child, call } = await startCaller(age, locks.proxy.endpoint, true);
    call({ name });
    await child.until('settled');
    locks.proxy.reset();

    child.kill('SIGSTOP');
    for (const what of order) {
      if (what === 'the close') locks.proxy.closeIdle();
      else call({ name, frozenMs: 60_000 });
      // Let the system deliver one event before the next.
      await sleep(20);
    }
    child.kill('SIGCONT');

    expect(await child.until('settled', ({ frozenMs }) => frozenMs === 60_000)).toMatchObject({ status: 'skipped' });
    expect(locks.verbs()).toEqual(['acquire']);
    done.open();
    await holder;
  });
});
