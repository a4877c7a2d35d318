import { assertLocked, executeWithLock, LockLostError } from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { manualClock, recordingObserver } from 'single-execution/testing';
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest';
import { scriptedStore } from '../../support/scripted-store.js';

const said = () => logged.mock.calls.map(([line]) => JSON.parse(String(line)).message);

let logged: MockInstance<typeof console.warn>;
beforeEach(() => {
  logged = vi.spyOn(console, 'warn').mockImplementation(() => {});
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

describe('with locking switched off', () => {
  beforeEach(() => {
    vi.stubEnv('SINGLE_EXECUTION_DISABLED', '1');
  });

  test.each(['1', 'true', 'True', 'TRUE'])(
    'row 61: SINGLE_EXECUTION_DISABLED=%s runs the bare task, touches no store, and says so once',
    async (value) => {
      vi.stubEnv('SINGLE_EXECUTION_DISABLED', value);
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
      expect(said()).toEqual([`SINGLE_EXECUTION_DISABLED=${value}: handlers run without a lock`]);
    },
  );

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
      expect(execution.signal.reason).toMatchObject({ name: 'RunEndedError', code: 'DEADLINE' });
    }, options);

    expect(clock.pendingTimers()).toBe(0);
  });

  test('row 61: observers get the event of what runs', async () => {
    const observer = recordingObserver();
    await executeWithLock(() => {}, { name: 'digest', store: untouched(), lockAtMostFor: '1m', observers: [observer] });

    expect(observer.types()).toEqual(['started', 'finished']);
  });

  test('F49 a console that throws does not fail the run', async () => {
    logged.mockImplementation(() => {
      throw new Error('the log is closed');
    });
    const options = { name: 'digest', store: untouched(), lockAtMostFor: '1m' };

    await expect(executeWithLock(() => 'ran', options)).resolves.toMatchObject({ value: 'ran' });
  });
});

describe('with locking on', () => {
  const cannotRead = (value: string) =>
    `SINGLE_EXECUTION_DISABLED is '${value}', and locking stays on: set 1 or true to switch it off, 0 or false to keep it on`;

  test.each<[string | undefined, string[]]>([
    [undefined, []],
    ['', []],
    ['0', []],
    ['false', []],
    ['False', []],
    ['yes', [cannotRead('yes')]],
    ['2', [cannotRead('2')]],
  ])('row 61: SINGLE_EXECUTION_DISABLED=%o locks, and says once that it cannot be read', async (value, lines) => {
    vi.stubEnv('SINGLE_EXECUTION_DISABLED', value);
    const options = { name: 'digest', store: memoryStore(), lockAtMostFor: '1m' };
    const outcomes = [await executeWithLock(() => {}, options), await executeWithLock(() => {}, options)];

    expect(outcomes).toMatchObject([{ release: 'released' }, { release: 'released' }]);
    expect(said()).toEqual(lines);
  });
});
