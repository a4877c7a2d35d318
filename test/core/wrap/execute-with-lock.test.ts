import { acquireLock, type ExecuteOptions, executeWithLock, RunEndedError } from 'single-execution';
import { manualClock } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { thisProcess } from '../../../src/core/values/environment.js';
import { pass } from '../../support/clocks.js';
import { memoryLocks, NOW } from '../../support/memory-locks.js';

describe('row 14: an invalid option is refused before any write', () => {
  const instant = 'pass a Date, or epoch milliseconds, or leave it out';

  test.each<[object, Error]>([
    [{ tick: Number.NaN }, new RangeError(`tick is NaN: ${instant}`)],
    [{ tick: '2026-01-01T00:00:00Z' }, new TypeError(`tick is '2026-01-01T00:00:00Z': ${instant}`)],
    [{ deadline: Number.NaN }, new RangeError(`deadline is NaN: ${instant}`)],
    [{ deadline: '5m' }, new TypeError(`deadline is '5m': ${instant}`)],
    [
      { lockAtMostFor: undefined },
      new TypeError(
        'lockAtMostFor is undefined: say how long the lock outlives a holder that dies, such as 5m, or set keepAlive',
      ),
    ],
    [
      { gracePeriod: '5s' },
      new TypeError('gracePeriod does nothing without deadline: set both, or leave gracePeriod out'),
    ],
    [{ signal: 'SIGTERM' }, new TypeError('signal is a string: pass an AbortSignal')],
    [{ signal: {} }, new TypeError("signal has no function 'addEventListener': pass an AbortSignal")],
    [
      { isManual: true, tick: NOW },
      new TypeError('isManual is true, but a run by hand has no tick: leave one of tick and isManual out'),
    ],
    [{ isManual: 'now' }, new TypeError("isManual is 'now': pass true or false")],
    [{ lockedBy: 7 }, new TypeError('lockedBy is 7: pass a string')],
    [{ name: () => 'digest' }, new TypeError('name is a function: pass a string')],
  ])('%o', async (over, error) => {
    const { store, options } = memoryLocks();
    const acquire = vi.spyOn(store, 'acquire');
    const task = vi.fn();

    await expect(executeWithLock(task, { ...options, ...over } as ExecuteOptions)).rejects.toThrow(error);
    expect(acquire).not.toHaveBeenCalled();
    expect(task).not.toHaveBeenCalled();
  });

  test.each([
    [undefined, 'task is undefined: pass a function'],
    [Promise.resolve(), 'task is an object: pass a function'],
  ])('a task that is %o', async (task, message) => {
    await expect(executeWithLock(task as unknown as () => void, memoryLocks().options)).rejects.toThrow(
      new TypeError(message),
    );
  });
});

test('a whole outcome', async () => {
  const { clock, options } = memoryLocks();
  const running = executeWithLock(
    async () => {
      await pass(clock, 1_234.5);
      return 'sent';
    },
    { ...options, tick: new Date('2025-12-31T23:59:00Z') },
  );
  await clock.advance(2_000);

  expect(await running).toEqual({
    status: 'executed',
    name: 'digest',
    value: 'sent',
    fencingToken: 1_767_225_600_001,
    tick: new Date('2025-12-31T23:59:00Z'),
    release: 'released',
    lockedAt: new Date('2026-01-01T00:00:00Z'),
    durationMs: 1_235,
    missedTicks: [],
    caughtUp: [],
  });
});

test('a whole execution', async () => {
  const { options } = memoryLocks();
  const outcome = await executeWithLock(({ signal, assertHeld, ...facts }) => {
    expect(signal.aborted).toBe(false);
    expect(assertHeld).not.toThrow();
    return facts;
  }, options);

  expect(outcome).toMatchObject({
    value: {
      name: 'digest',
      fencingToken: 1_767_225_600_001,
      lockedAt: new Date('2026-01-01T00:00:00Z'),
      lockUntil: new Date('2026-01-01T00:01:00Z'),
      recovering: false,
      missedTicks: [],
    },
  });
  expect(outcome).not.toHaveProperty('value.tick');
  expect(outcome).not.toHaveProperty('value.previous');
  expect(outcome).not.toHaveProperty('value.attempt');
});

test('row 190: with isManual a run, and a handle, is by hand', async () => {
  const { options, item } = memoryLocks();
  const { value } = (await executeWithLock(({ isManual }) => isManual, { ...options, isManual: true })) as {
    readonly value: boolean;
  };
  expect(value).toBe(true);
  await using lock = await acquireLock({ ...options, isManual: true });
  expect([lock.isManual, (await item()).attemptId?.[0], (await item())['r1']]).toEqual([true, 'n', expect.any(String)]);
  await lock.release();
  await using other = await acquireLock({ ...options, isManual: false, tick: NOW });
  expect([other.isManual, (await item()).attemptId?.[0]]).toEqual([false, 'a']);
});

describe('signal', () => {
  test('asks a run to end, which then fails and frees its lock', async () => {
    const { store, options } = memoryLocks();
    const caller = new AbortController();
    const running = executeWithLock(
      async ({ signal }) => {
        caller.abort();
        signal.throwIfAborted();
      },
      { ...options, tick: NOW, signal: caller.signal },
    );

    await expect(running).rejects.toMatchObject({ name: 'RunEndedError', code: 'SHUTDOWN' });
    expect(await executeWithLock(() => 'again', { ...options, store, tick: NOW })).toMatchObject({ value: 'again' });
  });

  test('that has aborted before: nothing is sent', async () => {
    const { options } = memoryLocks();
    const acquire = vi.spyOn(options.store, 'acquire');
    const running = executeWithLock(() => 'sent', { ...options, signal: AbortSignal.abort() });

    await expect(running).rejects.toMatchObject({ name: 'RunEndedError', code: 'SHUTDOWN' });
    expect(acquire).not.toHaveBeenCalled();
  });
});

test.each([
  ['by lockedBy', { lockedBy: 'import of ada' }, 'import of ada'],
  ['by this process, if nothing is given', {}, thisProcess()],
])('the lock is said to be held %s', async (_, over, lockedBy) => {
  const { options, item } = memoryLocks();
  await executeWithLock(() => 'sent', { ...options, ...over });

  expect(await item()).toMatchObject({ lockedBy });
});

test.each<[string, (now: number) => Date | number]>([
  ['a Date', (now) => new Date(now + 10_000)],
  ['epoch milliseconds', (now) => now + 10_000],
])('row 26: the signal aborts a second before a deadline given as %s', async (_, deadline) => {
  const { clock, options } = memoryLocks();
  const seen: unknown[] = [];
  const running = executeWithLock(
    async ({ signal }) => {
      await pass(clock, 8_999);
      seen.push(signal.reason);
      await pass(clock, 1);
      seen.push(signal.reason);
    },
    { ...options, deadline: deadline(clock.now()) },
  );
  await clock.advance(10_000);
  await running;

  expect(seen).toEqual([undefined, new RunEndedError('digest', 'DEADLINE', 'the platform ends it soon')]);
});

test('row 69: two callers that share a store do not share options', async () => {
  const { clock, options } = memoryLocks();
  const slow = { ...options, name: 'slow', lockAtMostFor: '1h', lockAtLeastFor: '10m', onError: 'hold' as const };
  const fail = () => Promise.reject(new Error('no database'));
  await expect(executeWithLock(fail, slow)).rejects.toThrow('no database');
  await expect(executeWithLock(fail, options)).rejects.toThrow('no database');
  await clock.advance(1_000);

  expect(await executeWithLock(() => {}, slow)).toMatchObject({
    reason: 'lock-at-least-for',
    holder: { lockUntil: '2026-01-01T00:10:00.000Z' },
  });
  expect(await executeWithLock(() => {}, options)).toMatchObject({ status: 'executed' });
});

test('row 20: a caller’s clock owns time completely, wherever the clocks of the platform stand', async () => {
  const clock = manualClock(Date.parse('2031-05-01T00:00:00Z'));
  const { options } = memoryLocks();
  const outcome = await executeWithLock(({ lockUntil }) => lockUntil, {
    ...options,
    clock,
    tick: new Date('2031-05-01T00:00:00Z'),
  });

  expect(outcome).toMatchObject({
    lockedAt: new Date('2031-05-01T00:00:00Z'),
    value: new Date('2031-05-01T00:01:00Z'),
  });
});

test('row 20: a clock that counts parts of a millisecond leaves a record that can be read', async () => {
  const { options } = memoryLocks();
  const clock = manualClock(NOW + 0.25);
  const again = { ...options, clock };
  await executeWithLock(() => {}, again);
  await clock.advance(1);

  expect(await executeWithLock(() => 'again', again)).toMatchObject({ status: 'executed', value: 'again' });
});
