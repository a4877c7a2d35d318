import { executeWithLock, type Outcome } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { describe, expect, test } from 'vitest';
import { kindsOfRun } from '../support/backends/stage.js';
import type { Kind } from '../support/backends.js';
import type { HolderOrder, KillPoint } from './holder.js';
import { realProcesses } from './real-processes.js';

/*
 * F60: a process dies by SIGKILL at each point of a run. Its tick comes again at once, and again when the lease is
 * over. The test ends the lease: frozen-process.test.ts waits for the end of one.
 */

/** Longer than a test takes on any machine. */
const LEASE_MS = 600_000;
const TICK_MS = Date.UTC(2026, 0, 1);
const EVERY_MS = 86_400_000;

const KINDS = kindsOfRun('processes');
const { on, start, endLease } = realProcesses(new URL('./holder.ts', import.meta.url), KINDS);

const RUNS = 'executed';
const IS_DONE = 'already-executed';
/**
 * What a call for the same tick gets at once, what it gets when the lease is over, and the status of the previous run
 * that the next run sees.
 */
const CASES: readonly (readonly [KillPoint, 'success' | 'start', atOnce: string, later: string, previous: string])[] = [
  ['before acquire', 'success', RUNS, IS_DONE, 'none'],
  ['before acquire', 'start', RUNS, IS_DONE, 'none'],
  ['after acquire', 'success', 'locked', RUNS, 'crashed'],
  ['in the task', 'success', 'locked', RUNS, 'crashed'],
  // F59: the work was done, but the record does not say so.
  ['before release', 'success', 'locked', RUNS, 'crashed'],
  // F75: the tick runs at most once, even if that means not at all.
  ['after acquire', 'start', IS_DONE, IS_DONE, 'crashed'],
  ['in the task', 'start', IS_DONE, IS_DONE, 'crashed'],
  ['before release', 'start', IS_DONE, IS_DONE, 'crashed'],
  ['after release', 'success', IS_DONE, IS_DONE, 'succeeded'],
  ['after release', 'start', IS_DONE, IS_DONE, 'succeeded'],
];

interface Seen {
  readonly told: string;
  readonly previous: string;
  readonly recovering: boolean;
}

describe.concurrent.each(KINDS)('F59 F60 F75 rows 27, 28, 29, 37 on %s: killed', (kind) => {
  test.each(CASES)(
    '%s with tickMark %s, the same tick is told %s, and later %s',
    async (killAt, tickMark, toldAtOnce, toldLater, status) => {
      const name = `${killAt} ${tickMark} ${kind}`;
      const { admin } = on(kind);
      const come = caller(kind, name, tickMark);
      const order: HolderOrder = {
        store: on(kind).address,
        name,
        leaseMs: LEASE_MS,
        tickMs: TICK_MS,
        tickMark,
        killAt,
      };
      const { signal, stderr } = await start(order).ended;
      expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' });
      const left = await lockAdmin(admin).get(name);

      const atOnce = await come(TICK_MS);
      expect(atOnce.told).toBe(toldAtOnce);
      if (left?.state === 'held') await endLease(kind, name);
      const afterLease = await come(TICK_MS);
      expect(afterLease.told).toBe(toldLater);

      const next = [atOnce, afterLease].find(({ told }) => told === RUNS) ?? (await come(TICK_MS + EVERY_MS));
      expect(next).toEqual({ told: RUNS, previous: status, recovering: status === 'crashed' });
      const rows = await lockAdmin(admin).runs(name);
      expect(rows.map((row) => row.status)).toEqual(left ? ['succeeded', status] : ['succeeded']);
      if (left) expect(rows[1]).toMatchObject({ fencingToken: left.fencingToken });
    },
  );
});

test.concurrent.each(KINDS)(
  'row 85: F74 on %s the tick of a killed run, sent again after a newer one, runs once',
  async (kind) => {
    const name = `sent again ${kind}`;
    const come = caller(kind, name, 'success');
    const address = on(kind).address;
    const order: HolderOrder = { store: address, name, leaseMs: LEASE_MS, tickMs: TICK_MS, killAt: 'in the task' };
    await start(order).ended;
    await endLease(kind, name);

    expect(await come(TICK_MS + EVERY_MS)).toMatchObject({ told: RUNS, previous: 'crashed' });
    expect(await come(TICK_MS)).toMatchObject({ told: RUNS });
    expect(await come(TICK_MS)).toMatchObject({ told: 'stale-tick' });
  },
);

/** Makes a function that calls the job for a tick. */
function caller(kind: Kind, name: string, tickMark: 'success' | 'start') {
  const { store } = on(kind);
  return async (tickMs: number): Promise<Seen> => {
    let seen: Omit<Seen, 'told'> = { previous: 'none', recovering: false };
    const outcome = await executeWithLock(
      ({ previous, recovering }) => {
        seen = { previous: previous?.status ?? 'none', recovering };
      },
      { name, store, lockAtMostFor: '10s', tick: tickMs, tickMark, observers: [] },
    );
    return { told: toldBy(outcome), ...seen };
  };
}

function toldBy(outcome: Outcome<unknown>): string {
  return outcome.status === 'skipped' ? outcome.reason : outcome.status;
}
