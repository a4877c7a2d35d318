import { executeWithLock, type Outcome } from 'single-execution';
import { type LockInfo, lockAdmin } from 'single-execution/admin';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type BundledProgram, bundledProgram } from '../support/bundled-program.js';
import { type ChildPrograms, childPrograms } from '../support/child-program.js';
import { KINDS, type RealStores, startRealStores } from '../support/real-stores.js';
import type { HolderOrder, KillPoint } from './holder.js';

/*
 * F60: a process dies by SIGKILL at each point of a run, and its tick comes again: at once, and when the lease is over.
 */

const LEASE_MS = 2_500;
const TICK_MS = Date.UTC(2026, 0, 1);
const EVERY_MS = 86_400_000;

let stores: RealStores;
let program: BundledProgram;
let programs: ChildPrograms;
beforeAll(async () => {
  programs = childPrograms();
  [stores, program] = await Promise.all([startRealStores(), bundledProgram(new URL('./holder.ts', import.meta.url))]);
});
afterAll(async () => {
  await programs.stop();
  await Promise.all([stores.stop(), program.remove()]);
});

interface Expected {
  readonly killAt: KillPoint;
  readonly tickMark: 'success' | 'start';
  /** What the same tick is told at once, and once the lease is over. */
  readonly atOnce: string;
  readonly afterLease: string;
  /** What the run that comes next is told of the one before. */
  readonly previous: string;
}

const RUNS = 'executed';
const CASES: readonly Expected[] = [
  { killAt: 'before acquire', tickMark: 'success', atOnce: RUNS, afterLease: 'already-executed', previous: 'none' },
  { killAt: 'before acquire', tickMark: 'start', atOnce: RUNS, afterLease: 'already-executed', previous: 'none' },
  { killAt: 'after acquire', tickMark: 'success', atOnce: 'locked', afterLease: RUNS, previous: 'crashed' },
  { killAt: 'in the task', tickMark: 'success', atOnce: 'locked', afterLease: RUNS, previous: 'crashed' },
  // F59: the work was done, and nobody knows.
  { killAt: 'before release', tickMark: 'success', atOnce: 'locked', afterLease: RUNS, previous: 'crashed' },
  // F75: at most once, even if that is not at all.
  ...(['after acquire', 'in the task', 'before release'] as const).map(
    (killAt): Expected => ({
      killAt,
      tickMark: 'start',
      atOnce: 'already-executed',
      afterLease: 'already-executed',
      previous: 'crashed',
    }),
  ),
  ...(['success', 'start'] as const).map(
    (tickMark): Expected => ({
      killAt: 'after release',
      tickMark,
      atOnce: 'already-executed',
      afterLease: 'already-executed',
      previous: 'succeeded',
    }),
  ),
];

interface Seen {
  readonly told: string;
  readonly previous: string;
  readonly recovering: boolean;
}

describe.concurrent.each(KINDS)('F59 F60 F75 rows 27, 28, 29, 37 on %s: killed', (kind) => {
  test.each(CASES)(
    '$killAt with tickMark $tickMark, the same tick is told $atOnce, and later $afterLease',
    async ({ killAt, tickMark, ...expected }) => {
      const name = `${killAt} ${tickMark} ${kind}`;
      const { admin } = stores.open[kind];
      const { come, untilFree } = caller(kind, name, tickMark);
      const order: HolderOrder = {
        store: stores.addresses[kind],
        name,
        leaseMs: LEASE_MS,
        tickMs: TICK_MS,
        tickMark,
        killAt,
      };
      const { signal, stderr } = await programs.start(program.path, order).ended;
      expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' });
      const left = await lockAdmin(admin).get(name);

      const atOnce = await come(TICK_MS);
      expect(atOnce.told).toBe(expected.atOnce);
      await untilOver(() => lockAdmin(admin).get(name));
      const afterLease = await untilFree(TICK_MS);
      expect(afterLease.told).toBe(expected.afterLease);

      const next = [atOnce, afterLease].find(({ told }) => told === RUNS) ?? (await untilFree(TICK_MS + EVERY_MS));
      expect(next).toEqual({ told: RUNS, previous: expected.previous, recovering: expected.previous === 'crashed' });
      const rows = await lockAdmin(admin).runs(name);
      expect(rows.map(({ status }) => status)).toEqual(left ? ['succeeded', expected.previous] : ['succeeded']);
      if (left) expect(rows[1]).toMatchObject({ fencingToken: left.fencingToken });
    },
  );
});

test.concurrent.each(KINDS)(
  'row 85: F74 on %s the tick of a killed run, sent again after a newer one, runs once',
  async (kind) => {
    const name = `sent again ${kind}`;
    const { come, untilFree } = caller(kind, name, 'success');
    const address = stores.addresses[kind];
    const order: HolderOrder = { store: address, name, leaseMs: LEASE_MS, tickMs: TICK_MS, killAt: 'in the task' };
    await programs.start(program.path, order).ended;

    expect(await untilFree(TICK_MS + EVERY_MS)).toMatchObject({ told: RUNS, previous: 'crashed' });
    expect(await come(TICK_MS)).toMatchObject({ told: RUNS });
    expect(await come(TICK_MS)).toMatchObject({ told: 'stale-tick' });
  },
);

function caller(kind: (typeof KINDS)[number], name: string, tickMark: 'success' | 'start') {
  const { store } = stores.open[kind];
  const come = async (tickMs: number): Promise<Seen> => {
    let seen: Omit<Seen, 'told'> = { previous: 'none', recovering: false };
    const outcome = await executeWithLock(
      ({ previous, recovering }) => {
        seen = { previous: previous?.status ?? 'none', recovering };
      },
      { name, store, lockAtMostFor: '10s', tick: tickMs, tickMark, observers: [] },
    );
    return { told: toldBy(outcome), ...seen };
  };
  return {
    come,
    /** What the tick is told as soon as that is something else than a lock that is held. */
    untilFree: (tickMs: number): Promise<Seen> =>
      vi.waitFor(
        async () => {
          const seen = await come(tickMs);
          if (seen.told === 'locked') throw new Error(`lock "${name}" is still held`);
          return seen;
        },
        { timeout: 8_000, interval: 100 },
      ),
  };
}

async function untilOver(get: () => Promise<LockInfo | undefined>): Promise<void> {
  await vi.waitUntil(async () => (await get())?.state !== 'held', { timeout: 8_000, interval: 50 });
}

function toldBy(outcome: Outcome<unknown>): string {
  return outcome.status === 'skipped' ? outcome.reason : outcome.status;
}
