import { currentExecution, executeWithLock, type LockStore } from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { manualClock, recordingObserver } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { pass } from '../../support/clocks.js';
import { gate } from '../../support/gate.js';

const toss = (value: unknown): never => {
  throw value;
};

function setting() {
  const clock = manualClock(Date.parse('2026-01-01T00:00:00Z'));
  const store = memoryStore();
  const verbs = { acquire: vi.spyOn(store, 'acquire'), release: vi.spyOn(store, 'release') };
  const options = { name: 'digest', store: store as LockStore, lockAtMostFor: '1m', clock, observers: [] };
  return { clock, options, calls: () => [verbs.acquire.mock.calls.length, verbs.release.mock.calls.length] };
}

describe('row 9: a call of the same name inside a run that holds the lock', () => {
  test('row 9: has the outer run’s lock and execution, no second write and no event, and is released with it', async () => {
    const { options, calls } = setting();
    const observer = recordingObserver();
    const outcome = await executeWithLock(
      (outer) => executeWithLock((inner) => [inner === outer, calls()], { ...options, observers: [observer] }),
      options,
    );

    const fencingToken = 1_767_225_600_001;
    const value = { status: 'executed', fencingToken, release: 'none', value: [true, [1, 0]] };
    expect(outcome).toMatchObject({ status: 'executed', fencingToken, release: 'released', value });
    expect(calls()).toEqual([1, 1]);
    expect(observer.types()).toEqual([]);
  });

  test('row 9: one that the task does not wait for is waited for before the release', async () => {
    const { options, calls } = setting();
    const finish = gate<string>();
    let inner: Promise<unknown> | undefined;
    const outer = executeWithLock(() => {
      inner = executeWithLock(() => finish.opened, options);
    }, options);
    await options.clock.advance(1_000);
    expect(calls()).toEqual([1, 0]);
    finish.open('done');

    expect(await inner).toMatchObject({ value: 'done', release: 'none' });
    expect(await outer).toMatchObject({ release: 'released', durationMs: 1_000 });
    expect(calls()).toEqual([1, 1]);
  });

  test('row 9: is itself what currentExecution finds, as deep as it goes, and through a run of another name', async () => {
    const { options, calls } = setting();
    const other = { ...options, name: 'report' };
    const inner = () => executeWithLock(() => currentExecution()?.name, options);
    const found = await executeWithLock(() => executeWithLock(() => executeWithLock(inner, other), options), other);

    expect(found).toMatchObject({ value: { value: { release: 'none', value: { release: 'none', value: 'digest' } } } });
    expect(calls()).toEqual([2, 2]);
  });

  test('row 9: has the tick, the time and the past of the outer run', async () => {
    const { clock, options } = setting();
    const tick = new Date('2026-01-01T00:00:00Z');
    void executeWithLock(() => new Promise(() => {}), options);
    await clock.advance(60_000);
    const running = executeWithLock(
      () =>
        executeWithLock(async () => {
          await pass(clock, 250);
          return 'sent';
        }, options),
      { ...options, tick, schedule: '1h' },
    );
    await clock.advance(250);

    expect(await running).toMatchObject({
      value: {
        status: 'executed',
        name: 'digest',
        tick,
        value: 'sent',
        lockedAt: new Date('2026-01-01T00:01:00Z'),
        durationMs: 250,
        previous: { status: 'crashed' },
        missedTicks: [],
      },
    });
  });

  test.each<[string, () => unknown]>([
    ['throws', () => toss(undefined)],
    ['rejects', () => Promise.reject(undefined)],
  ])('row 9: a nested task that %s rejects with just that, and the outer run decides', async (_, task) => {
    const { options, calls } = setting();
    const outcome = await executeWithLock(async () => {
      await expect(executeWithLock(task, options)).rejects.toBeUndefined();
      return 'went on';
    }, options);

    expect(outcome).toMatchObject({ value: 'went on', release: 'released' });
    expect(calls()).toEqual([1, 1]);
  });

  test('row 9: of its own tick, too', async () => {
    const { options, calls } = setting();
    const ticking = { ...options, tick: Date.parse('2026-01-01T00:00:00Z') };
    const outcome = await executeWithLock(() => executeWithLock(() => 'sent', ticking), ticking);

    expect(outcome).toMatchObject({ value: { value: 'sent', release: 'none' } });
    expect(calls()).toEqual([1, 1]);
  });
});

describe('row 9: every other call is an ordinary acquire', () => {
  test('row 9: of the same name on another store', async () => {
    const { options } = setting();
    const other = setting();
    const outcome = await executeWithLock(() => executeWithLock(() => {}, other.options), options);

    expect(outcome).toMatchObject({ value: { release: 'released' } });
    expect(other.calls()).toEqual([1, 1]);
  });

  test.each<[string, object]>([
    ['another tick', { tick: Date.parse('2025-12-31T23:00:00Z') }],
    ['a tick inside a run without one', {}],
  ])('row 9: of %s, whose success the outer run would not record: it is skipped, and stays open', async (_, over) => {
    const { options, calls } = setting();
    const task = vi.fn();
    const ticking = { ...options, tick: Date.parse('2026-01-01T00:00:00Z') };
    const outcome = await executeWithLock(() => executeWithLock(task, ticking), { ...options, ...over });

    expect(outcome).toMatchObject({ value: { status: 'skipped', reason: 'locked' }, release: 'released' });
    expect(task).not.toHaveBeenCalled();
    expect(await executeWithLock(() => 'sent', ticking)).toMatchObject({ value: 'sent' });
    expect(calls()).toEqual([3, 2]);
  });

  test('row 9: from code that outlives its run', async () => {
    const { clock, options, calls } = setting();
    let leftover: Promise<unknown> = Promise.resolve();
    await executeWithLock(() => {
      leftover = pass(clock, 5_000).then(() => executeWithLock(({ fencingToken }) => fencingToken, options));
    }, options);
    await clock.advance(5_000);

    expect(await leftover).toMatchObject({ value: 1_767_225_600_002, release: 'released' });
    expect(calls()).toEqual([2, 2]);
  });

  test('row 9: from a run that has lost its lock', async () => {
    const { clock, options, calls } = setting();
    const running = executeWithLock(async () => {
      await pass(clock, 60_000);
      return executeWithLock(({ fencingToken }) => fencingToken, options);
    }, options);
    await clock.advance(60_000);

    expect(await running).toMatchObject({
      fencingToken: 1_767_225_600_001,
      release: 'lost',
      value: { value: 1_767_225_600_002, release: 'released' },
    });
    expect(calls()).toEqual([2, 2]);
  });
});
