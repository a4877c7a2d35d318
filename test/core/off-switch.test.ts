import { assertLocked, executeWithLock, LockLostError } from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { manualClock, recordingObserver } from 'single-execution/testing';
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest';
import { scriptedStore } from '../support/scripted-store.js';

const LINE =
  '{"level":"WARN","source":"single-execution","message":"SINGLE_EXECUTION_DISABLED=1: handlers run without a lock"}';

let logged: MockInstance<typeof console.error>;
beforeEach(() => {
  logged = vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

const untouched = () => {
  const verb = () => {
    throw new Error('the store was touched');
  };
  return scriptedStore({ acquire: verb, extend: verb, release: verb });
};

describe('SINGLE_EXECUTION_DISABLED=1', () => {
  beforeEach(() => {
    vi.stubEnv('SINGLE_EXECUTION_DISABLED', '1');
  });

  test('row 61: runs the bare task, touches no store, and says so once', async () => {
    const options = { name: 'digest', store: untouched(), lockAtMostFor: '1m' };
    const outcomes = [
      await executeWithLock(() => 'first', options),
      await executeWithLock(() => 'second', options),
      await executeWithLock(() => 'third', { ...options, name: 'report' }),
    ];

    expect(outcomes).toMatchObject([
      { status: 'executed', value: 'first', fencingToken: 0, release: 'none', missedTicks: [] },
      { status: 'executed', value: 'second', fencingToken: 0, release: 'none' },
      { status: 'executed', value: 'third', fencingToken: 0, release: 'none' },
    ]);
    expect(logged.mock.calls).toEqual([[LINE]]);
  });

  test('row 61: two at a time both run', async () => {
    const options = { name: 'digest', store: memoryStore(), lockAtMostFor: '1m' };
    const nested = await executeWithLock(() => executeWithLock(() => 'inner', options), options);

    expect(nested).toMatchObject({ value: { status: 'executed', value: 'inner', fencingToken: 0 } });
  });

  test('row 61: the execution says that no lock is held', async () => {
    const clock = manualClock();
    const options = { name: 'digest', store: untouched(), lockAtMostFor: '1m', clock, deadline: clock.now() + 60_000 };
    await executeWithLock(async (execution) => {
      expect(() => execution.assertHeld()).toThrow(LockLostError);
      expect(() => assertLocked()).toThrow(LockLostError);
      expect(execution).toMatchObject({ fencingToken: 0, recovering: false, missedTicks: [] });
      await clock.advance(59_000);
      expect(execution.signal.reason).toMatchObject({ name: 'DeadlineError', code: 'DEADLINE' });
    }, options);

    expect(clock.pendingTimers()).toBe(0);
  });

  test('row 61: observers are told what runs', async () => {
    const observer = recordingObserver();
    await executeWithLock(() => {}, { name: 'digest', store: untouched(), lockAtMostFor: '1m', observers: [observer] });

    expect(observer.types()).toEqual(['started', 'finished']);
  });

  test("row 61: the task's error passes by identity", async () => {
    const error = new Error('no database');
    const failing = executeWithLock(
      () => {
        throw error;
      },
      { name: 'digest', store: untouched(), lockAtMostFor: '1m' },
    );

    await expect(failing).rejects.toBe(error);
  });

  test('F49 a console that throws does not fail the run', async () => {
    logged.mockImplementation(() => {
      throw new Error('stderr is closed');
    });
    const options = { name: 'digest', store: untouched(), lockAtMostFor: '1m' };

    await expect(executeWithLock(() => 'ran', options)).resolves.toMatchObject({ value: 'ran' });
  });
});

test.each(['', '0', 'true', undefined])('row 61: SINGLE_EXECUTION_DISABLED=%o leaves locking on', async (value) => {
  vi.stubEnv('SINGLE_EXECUTION_DISABLED', value);
  const outcome = await executeWithLock(() => {}, { name: 'digest', store: memoryStore(), lockAtMostFor: '1m' });

  expect(outcome).toMatchObject({ status: 'executed', release: 'released' });
  expect(logged).not.toHaveBeenCalled();
});
