import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Execution, executeWithLock } from 'single-execution';
import { type LockAdmin, lockAdmin } from 'single-execution/admin';
import { memoryStore } from 'single-execution/memory';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { thisProcess } from '../../src/core/values/environment.js';
import type { Locks } from '../support/backends/backend.js';
import { type BackendStage, startBackends } from '../support/backends/stage.js';
import { shiftedClock } from '../support/clocks.js';
import { gate } from '../support/gate.js';
import { call, claim } from '../support/one-run.js';

const TICK = new Date('2026-03-01T20:00:00Z');
const later = (minutes: number) => new Date(TICK.getTime() + minutes * 60_000);

/** The stores in which the caller's clock decides, which these tests turn. */
const KINDS = ['memory', 'dynamodb'] as const;

let stage: BackendStage;
beforeAll(async () => {
  stage = await startBackends(...KINDS);
});
afterAll(() => stage.stop());

describe.each(KINDS)('%s', (kind) => {
  let stores: Locks;
  let admin: LockAdmin;
  beforeAll(() => {
    stores = stage.on(kind);
    admin = lockAdmin(stores.admin);
  });

  const uniqueName = () => `job-${randomUUID()}`;
  const run = (name: string, task: (execution: Execution) => unknown = () => 'done', tick?: Date) =>
    executeWithLock(task, { name, store: stores.store, lockAtMostFor: '5m', observers: [], ...(tick && { tick }) });
  const fail = (name: string, tick?: Date) =>
    run(name, () => Promise.reject(new RangeError('boom')), tick).catch(() => undefined);

  /** Makes a grant that nobody will release, which began `agoMs` ago. */
  async function die(name: string, agoMs = 0): Promise<number> {
    const asked = claim({ name, lockedBy: 'dead' });
    const result = await stores.store.acquire(asked, { ...call(), clock: shiftedClock(-agoMs) });
    if (result.status === 'refused') throw new Error(`refused: ${result.reason}`);
    return result.lease.fencingToken;
  }

  test('a name that was never used is no lock, has no runs and cannot be forced', async () => {
    const name = uniqueName();

    expect(await admin.get(name)).toBeUndefined();
    expect(await admin.runs(name)).toEqual([]);
    expect(await admin.forceRelease(name, { fencingToken: 1 })).toEqual({ status: 'unchanged', lock: undefined });
  });

  test('shows a lock that is held: by whom, since when, until when, for which tick', async () => {
    const name = uniqueName();

    await run(
      name,
      async ({ fencingToken, lockedAt, lockUntil }) => {
        expect(await admin.get(name)).toEqual({
          name,
          state: 'held',
          fencingToken,
          lockedBy: thisProcess(),
          lockedAt,
          lockUntil,
          leaseMs: 300_000,
          tick: TICK,
          readAt: expect.any(Date),
          failuresInARow: 0,
          runs: [],
        });
      },
      TICK,
    );

    expect(await admin.get(name)).toMatchObject({ state: 'free', tick: TICK, doneTick: TICK, lastResult: 'succeeded' });
  });

  test('row 49: shows the last result, its time, its error and the failures in a row', async () => {
    const name = uniqueName();
    await run(name);
    await fail(name, later(1));
    const beforeMs = Date.now();
    await fail(name, later(2));
    const afterMs = Date.now();

    const info = await admin.get(name);
    expect(info).toMatchObject({ state: 'free', lastResult: 'failed', lastError: 'RangeError', failuresInARow: 2 });
    // Within a run, time is counted by the monotonic clock.
    expect(Number(info?.lastReleasedAt)).toBeGreaterThan(beforeMs - 1_000);
    expect(Number(info?.lastReleasedAt)).toBeLessThan(afterMs + 1_000);
    await run(name);
    const after = await admin.get(name);
    expect(after).toMatchObject({ lastResult: 'succeeded', failuresInARow: 0 });
    expect(after).not.toHaveProperty('lastError');
  });

  test('row 49: a crash counts as a failure, once its successor has recorded it', async () => {
    const name = uniqueName();
    const token = await die(name, 600_000);
    expect(await admin.get(name)).toMatchObject({ state: 'expired', failuresInARow: 0, runs: [] });

    await fail(name);
    const runs = [
      { status: 'failed', fencingToken: token + 1 },
      { status: 'crashed', fencingToken: token },
    ];
    const info = await admin.get(name);
    expect(info).toMatchObject({ failuresInARow: 2, runs });
    expect(info?.runs[1]).not.toHaveProperty('durationMs');
  });

  test('row 53, F61: a force release raises the token and lets the next run start; the old holder learns of it', async () => {
    const name = uniqueName();
    const started = gate<number>();
    const finish = gate();
    const overrun = run(
      name,
      async ({ fencingToken }) => {
        started.open(fencingToken);
        await finish.opened;
        return 'overran';
      },
      TICK,
    );
    const token = await started.opened;
    // Wait: after a force release, an acquire from the millisecond of the forced grant is refused as late.
    await sleep(2);

    const forced = await admin.forceRelease(name, { fencingToken: token });
    const shown = await admin.get(name);
    const next = await run(name, ({ previous }) => previous);
    finish.open();

    expect(forced).toEqual({ status: 'forced', fencingToken: token + 10 });
    expect(shown).toMatchObject({ state: 'forced', fencingToken: token + 10, openTicks: [TICK], failuresInARow: 1 });
    const forcedRun = { status: 'forced', tick: TICK, durationMs: expect.any(Number), fencingToken: token };
    expect(shown?.runs).toMatchObject([forcedRun]);
    expect(shown).not.toHaveProperty('lastResult');
    expect(next).toMatchObject({ fencingToken: token + 11, value: { status: 'forced', fencingToken: token } });
    expect(await overrun).toMatchObject({ value: 'overran', fencingToken: token, release: 'lost' });
    expect(await admin.get(name)).toMatchObject({ state: 'free', fencingToken: token + 11, lastResult: 'succeeded' });
    expect(await admin.runs(name)).toMatchObject([{ status: 'succeeded' }, forcedRun]);
  });

  test('row 54: a paused job is skipped, a run in progress continues, and after resume the job runs', async () => {
    const name = uniqueName();
    const until = new Date(Date.now() + 60_000);

    const during = await run(name, () => admin.pause(name, { by: 'ops', until }), TICK);
    expect(during).toMatchObject({ release: 'released', value: { state: 'paused', underlyingState: 'held' } });
    expect(await run(name, () => 'never', later(1))).toMatchObject({ reason: 'paused', tick: later(1).toISOString() });
    const shown = { state: 'paused', underlyingState: 'free', doneTick: TICK, paused: { until, by: 'ops' } };
    expect(await admin.get(name)).toMatchObject(shown);
    expect(await admin.resume(name)).toBe('resumed');
    expect(await run(name, () => 'done', later(1))).toMatchObject({ status: 'executed' });
    const after = await admin.get(name);
    expect(after).toMatchObject({ state: 'free' });
    for (const field of ['paused', 'underlyingState']) expect(after).not.toHaveProperty(field);
  });

  test('row 54: pausing and resuming a name that was never used say so', async () => {
    const name = uniqueName();
    expect(await admin.resume(name)).toBe('unknown');
    expect(await admin.get(name)).toBeUndefined();

    const forever = new Date(8_640_000_000_000_000);
    expect(await admin.pause(name, { by: 'é'.repeat(30) })).toEqual({
      name,
      state: 'paused',
      underlyingState: 'unused',
      paused: { until: forever, by: 'é'.repeat(20) },
      readAt: expect.any(Date),
      failuresInARow: 0,
      runs: [],
    });
    expect(await admin.resume(name)).toBe('resumed');
    expect(await admin.resume(name)).toBe('not-paused');
    expect(await admin.get(name)).toMatchObject({ state: 'unused' });
    await admin.pause(name);
    expect((await admin.get(name))?.paused).toEqual({ until: forever, by: 'operator' });
  });

  test('a lock that was deleted is listed no more, and runs again at once, whatever the clock of the operator says', async () => {
    const name = uniqueName();
    const { fencingToken = 0 } = (await run(name, undefined, TICK)) as { fencingToken?: number };
    const ahead = lockAdmin(stores.admin, { clock: shiftedClock(120_000) });

    expect(await ahead.delete(name, { fencingToken: fencingToken - 1 })).toBe('changed');
    expect(await ahead.delete(name, { fencingToken })).toBe('deleted');
    expect(await admin.get(name)).toBeUndefined();
    expect(await admin.runs(name)).toEqual([]);
    expect((await admin.list()).map((lock) => lock.name)).not.toContain(name);
    expect(await admin.delete(name, { fencingToken })).toBe('unknown');
    expect(await run(name, undefined, TICK)).toMatchObject({ status: 'executed', fencingToken: fencingToken + 1 });
  });

  test('a paused run is forced by the token that it is shown with, and by no other', async () => {
    const name = uniqueName();
    const token = await die(name, 50);
    await admin.pause(name);

    expect(await admin.forceRelease(name, { fencingToken: token - 1 })).toMatchObject({ status: 'unchanged' });
    expect(await admin.forceRelease(name, { fencingToken: token })).toMatchObject({ status: 'forced' });
    expect(await admin.get(name)).toMatchObject({ state: 'paused', underlyingState: 'forced' });
  });

  test('row 56: lists every lock by name, with what operators need to find idle ones', async () => {
    const fresh = stage.on(kind).prefixed('fresh:');
    const list = () => lockAdmin(fresh.admin).list();
    expect(await list()).toEqual([]);
    for (const name of ['zeta', 'alpha', 'Mitte']) {
      await executeWithLock(() => 'done', { name, store: fresh.store, lockAtMostFor: '5m', tick: TICK });
    }

    const locks = await list();

    expect(locks.map(({ name }) => name)).toEqual(['Mitte', 'alpha', 'zeta']);
    for (const lock of locks) {
      expect(lock).toMatchObject({ state: 'free', doneTick: TICK, lastReleasedAt: expect.any(Date) });
    }
  });
});

test.each<[string, (verbs: LockAdmin) => Promise<unknown>, string]>([
  ['get', (a) => a.get(''), 'name is '],
  ['get', (a) => a.get('e\u0301'), 'NFC'],
  ['get', (a) => a.get(7 as never), 'name is 7'],
  ['get', (a) => a.get('x'.repeat(129)), '129 bytes'],
  ['runs', (a) => a.runs('a\nb'), 'control character'],
  ['forceRelease', (a) => a.forceRelease('', { fencingToken: 1 }), 'name is '],
  ['forceRelease', (a) => a.forceRelease('x', { fencingToken: 1.5 }), 'fencingToken is 1.5'],
  ['forceRelease', (a) => a.forceRelease('x', { fencingToken: '7' as never }), "fencingToken is '7'"],
  ['forceRelease without a grant', (a) => a.forceRelease('x', undefined as never), 'fencingToken is undefined'],
  ['delete', (a) => a.delete('', { fencingToken: 1 }), 'name is '],
  ['delete', (a) => a.delete('x', { fencingToken: -1 }), 'fencingToken is -1'],
  ['delete without a grant', (a) => a.delete('x', undefined as never), 'fencingToken is undefined'],
  ['pause', (a) => a.pause(''), 'name is '],
  ['pause', (a) => a.pause('x', { until: Number.NaN }), 'until is NaN'],
  ['pause', (a) => a.pause('x', { until: new Date(Number.NaN) }), 'until is an invalid Date'],
  ['pause', (a) => a.pause('x', { until: -1 }), 'until is -1'],
  ['pause', (a) => a.pause('x', { until: 'tomorrow' as never }), "until is 'tomorrow'"],
  ['pause', (a) => a.pause('x', { by: '' }), 'by is '],
  ['pause', (a) => a.pause('x', { by: 7 as never }), 'by is 7'],
  ['resume', (a) => a.resume('\u0000'), 'control character'],
])('%s refuses bad input with a TypeError or RangeError that names it: %#', async (_verb, ask, message) => {
  const admin = lockAdmin(memoryStore());
  const error: unknown = await ask(admin).catch((thrown: unknown) => thrown);

  expect(error instanceof TypeError || error instanceof RangeError).toBe(true);
  expect((error as Error).message).toContain(message);
  expect(await admin.get('x')).toBeUndefined();
});
