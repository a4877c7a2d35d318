import { hostname } from 'node:os';
import { lockAdmin } from 'single-execution/admin';
import { describe, expect, test } from 'vitest';
import { kindsOfRun } from '../support/backends/stage.js';
import { backendOf } from '../support/backends.js';
import type { ChildProgram, Said } from '../support/child-program.js';
import { gate } from '../support/gate.js';
import { eagerContender } from './eager-contender.js';
import type { HolderOrder } from './holder.js';
import { realProcesses } from './real-processes.js';

/*
 * Real processes that are stopped, killed or blocked while they hold a lock with keepAlive, on real stores.
 */

/** A busy machine keeps a process waiting for a second or two. A renewal must come nevertheless. */
const LEASE_MS = 6_000;
/** The number of orders on the stdin of a process that is stopped. */
const PIECES = 400;
/** Time between an instant that the test reads and the one that it stands for. */
const TURN_MS = 100;
/** SQLite's instants are rounded to a millisecond. */
const ROUNDING_MS = 1;

const KINDS = kindsOfRun('processes');
const { on, start } = realProcesses(new URL('./holder.ts', import.meta.url), KINDS);

describe.concurrent.each(KINDS)('on %s', (kind) => {
  const holder = async (name: string) => {
    const order: HolderOrder = { store: on(kind).address, name, leaseMs: LEASE_MS };
    const child = start(order);
    const { fencingToken } = await child.until('running');
    return { child, fencingToken: Number(fencingToken) };
  };
  const admin = () => lockAdmin(on(kind).admin);
  const store = () => on(kind).store;

  test('rows 19, 25, F26: a process that was stopped past its lease finds out at once, and leaves its successor alone', async () => {
    const name = `stopped-${kind}`;
    const { child, fencingToken } = await holder(name);
    child.kill('SIGSTOP');
    const stoppedMono = performance.now();
    for (let piece = 0; piece < PIECES; piece++) child.tell('work');
    const end = gate();
    const successor = eagerContender(store(), name, end.opened);
    const { execution } = await successor.started;
    const before = await admin().get(name);

    const stoppedMs = performance.now() - stoppedMono;
    child.kill('SIGCONT');

    // The process learns that its lock is lost before it can do anything else, whichever timer fires first and although
    // I/O comes before timers.
    expect(await wakingAfter(child, stoppedMs)).toMatchObject(LOST);
    expect(await child.until('aborted')).toMatchObject({ reason: 'LockLostError' });
    child.tell('finish');
    expect(await child.until('settled')).toMatchObject({
      outcome: { status: 'executed', release: 'lost' },
      pieces: 0,
    });
    expect(await child.ended).toEqual({ code: 0, signal: null, stderr: '' });
    expect(eventsOf(child.said()).filter((type) => type === 'lost')).toEqual(['lost']);
    expect(before).toMatchObject({ state: 'held', fencingToken: execution.fencingToken });
    expect(execution.fencingToken).toBeGreaterThan(fencingToken);
    expect(await admin().get(name)).toEqual({ ...before, readAt: expect.any(Date) });

    end.open();
    expect((await successor.run).outcome).toMatchObject({ release: 'released' });
  });

  test('rows 3, 27, 28, 29: after SIGKILL the lock is free at the end of its lease, and the crash is on record', async () => {
    const name = `killed-${kind}`;
    const { child, fencingToken } = await holder(name);
    // It asks while the process lives, so that it is refused before the crash and after it.
    const successor = eagerContender(store(), name);
    // Wait for a renewal, so that the lease is not only the first one.
    await child.until('extended');
    await successor.refusedAgain();
    child.kill('SIGKILL');
    await child.ended;
    const { atMs, outcome, execution, events } = await successor.run;

    const { refusals } = successor;
    expect(new Set(refusals.map(({ reason }) => reason))).toEqual(new Set(['locked']));
    expect(atMs).toBeGreaterThanOrEqual(refusals.at(-1)?.lockUntilMs ?? Number.NaN);
    // No try was refused that came after the lease.
    const late = refusals.map(({ askedMs, lockUntilMs }) => askedMs - lockUntilMs);
    expect(Math.max(...late)).toBeLessThanOrEqual(backendOf(kind).lateMs + ROUNDING_MS);
    expect(execution).toMatchObject({
      recovering: true,
      previous: { status: 'crashed', fencingToken, lockedBy: `process ${child.pid} on ${hostname()}` },
    });
    expect(outcome).toMatchObject({ status: 'executed', release: 'released' });
    expect(events).toContain('recovered');
    expect(await admin().runs(name)).toMatchObject([
      { status: 'succeeded', fencingToken: execution.fencingToken },
      { status: 'crashed', fencingToken },
    ]);
  });

  test('F40: a run that computes past its lease without a pause loses the lock, and its signal aborts', async () => {
    const name = `blocked-${kind}`;
    const { child } = await holder(name);
    child.tell('block');

    expect(await wakingAfter(child, LEASE_MS)).toMatchObject(LOST);
    await eagerContender(store(), name).run;
    child.tell('finish');
    expect(await child.until('settled')).toMatchObject({ outcome: { release: 'lost' } });
    const types = eventsOf(child.said());
    expect(types.slice(types.indexOf('lost'))).toEqual(['lost', 'finished']);
  });
});

const LOST = { assertHeld: 'LockLostError', reason: 'LockLostError' };

/** What a process saw in its first turn after it stood still for this long. On a busy machine it waits at other times. */
const wakingAfter = (child: ChildProgram, ms: number) =>
  child.until('woke', ({ gapMs }) => Number(gapMs) >= ms - TURN_MS);

function eventsOf(said: readonly Said[]): unknown[] {
  return said.filter(({ isEvent }) => isEvent).map((line) => line['said']);
}
