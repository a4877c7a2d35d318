import { type ExecuteOptions, executeWithLock, LockLostError, type LockStore } from 'single-execution';
import { manualClock } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { pass } from '../../support/clocks.js';
import { grantOf, scriptedStore } from '../../support/scripted-store.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');

function setting() {
  const clock = manualClock(NOW);
  const extend = vi.fn();
  const release = vi.fn();
  const store = scriptedStore({ acquire: () => Promise.reject(new Error('down')), extend, release });
  const options = {
    name: 'digest',
    store,
    lockAtMostFor: '1m',
    schedule: '5m',
    clock,
    observers: [],
    onStoreError: 'run',
  } satisfies ExecuteOptions;
  return { clock, release, options };
}

describe('row 51: an unguarded run', () => {
  test('row 51: has no token, no past, and nothing to release', async () => {
    const { clock, release, options } = setting();
    await clock.advance(700);
    const running = executeWithLock(
      async (execution) => {
        // Without a deadline nothing is watched.
        expect(clock.pendingTimers()).toBe(0);
        expect(execution.assertHeld).toThrow(new LockLostError('digest', 'it runs unguarded'));
        await pass(clock, 250);
        return execution;
      },
      { ...options, tick: NOW },
    );
    await clock.advance(250);

    expect(await running).toEqual({
      status: 'executed',
      name: 'digest',
      tick: new Date('2026-01-01T00:00:00Z'),
      value: {
        name: 'digest',
        tick: new Date('2026-01-01T00:00:00Z'),
        fencingToken: 0,
        signal: expect.any(AbortSignal),
        lockedAt: new Date('2026-01-01T00:00:00.700Z'),
        lockUntil: new Date('2026-01-01T00:00:00.700Z'),
        isCatchUp: false,
        isManual: false,
        recovering: false,
        missedTicks: [],
        extend: expect.any(Function),
        assertHeld: expect.any(Function),
      },
      fencingToken: 0,
      release: 'none',
      lockedAt: new Date('2026-01-01T00:00:00.700Z'),
      durationMs: 250,
      missedTicks: [],
      caughtUp: [],
    });
    expect(release).not.toHaveBeenCalled();
  });

  test('row 51: the signal aborts for the deadline alone, however long it takes', async () => {
    const { clock, options } = setting();
    const running = executeWithLock(
      async ({ signal }) => {
        await pass(clock, 3_598_999);
        const before = signal.aborted;
        await pass(clock, 1);
        return [before, signal.reason];
      },
      { ...options, deadline: NOW + 3_600_000 },
    );
    await clock.advance(3_600_000);

    expect(await running).toMatchObject({ value: [false, { name: 'RunEndedError', code: 'DEADLINE' }] });
    expect(clock.pendingTimers()).toBe(0);
  });

  test('row 51: nothing nests in it: a call inside asks the store again, and is guarded once that is back', async () => {
    const { options } = setting();
    const acquire = vi
      .fn<LockStore['acquire']>()
      .mockRejectedValueOnce(new Error('down'))
      .mockImplementation(async (claim, call) => grantOf(claim, call));
    const recovering = { ...options, store: scriptedStore({ acquire }) };
    const outcome = await executeWithLock(() => executeWithLock(() => 'inner', recovering), recovering);

    expect(outcome).toMatchObject({
      fencingToken: 0,
      release: 'none',
      value: { status: 'executed', value: 'inner', fencingToken: 7, release: 'released' },
    });
  });
});
