import { type ExecuteOptions, executeWithLock, type LockEvent, type Observer } from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { manualClock, recordingObserver } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { reporter } from '../../../src/core/public/events.js';
import { pass } from '../../support/clocks.js';
import { grantOf, scriptedStore } from '../../support/scripted-store.js';

const TICK = Date.parse('2026-01-01T00:00:00Z');
const HEAD = { name: 'digest', attemptId: 'a1', tickMs: TICK };

function setting(over: Partial<ExecuteOptions> = {}) {
  const clock = manualClock(TICK);
  const observer = recordingObserver();
  const options = { name: 'digest', store: memoryStore(), lockAtMostFor: '1m', clock, observers: [observer], ...over };
  return { clock, observer, options, types: () => observer.types() };
}

const fails = () => {
  throw new Error('no database');
};

describe('row 46: an observer sees every event in order', () => {
  test('row 46: of a run that succeeds', async () => {
    const { observer, options } = setting({ tick: TICK });
    await executeWithLock(() => {}, options);
    const attemptId = observer.events[0]?.attemptId;
    const head = { name: 'digest', at: new Date(TICK), attemptId, tick: new Date(TICK) };

    expect(attemptId).toMatch(/^a[\w-]{22}$/);
    expect(observer.events).toEqual([
      { ...head, type: 'attempted' },
      { ...head, type: 'acquired', fencingToken: 1_767_225_600_001 },
      { ...head, type: 'started', fencingToken: 1_767_225_600_001 },
      { ...head, type: 'released', fencingToken: 1_767_225_600_001, heldMs: 0 },
      { ...head, type: 'finished', durationMs: 0, release: 'released' },
    ]);
  });

  test('row 46: row 47: reports how long the lock was held, from the sending of the acquire to the end of the release', async () => {
    const clock = manualClock(TICK);
    const store = scriptedStore({
      async acquire(claim, call) {
        const granted = grantOf(claim, call);
        await pass(clock, 30);
        clock.stepWall(-3_600_000);
        return granted;
      },
      async release() {
        await pass(clock, 20.4);
        return 'released';
      },
    });
    const { options, observer } = setting({ clock, store });
    await clock.advance(700);
    const running = executeWithLock(() => pass(clock, 1_500), options);
    await clock.advance(2_000);
    await running;

    expect(observer.events.slice(3)).toMatchObject([
      { type: 'released', fencingToken: 7, heldMs: 1_550 },
      { type: 'finished', durationMs: 1_500 },
    ]);
  });

  test('row 46: of a run that notices the loss of its lock only at the release', async () => {
    const { types, options } = setting({ store: scriptedStore({ release: async () => 'lost' }) });
    await executeWithLock(() => {}, options);

    expect(types()).toEqual(['attempted', 'acquired', 'started', 'lost', 'finished']);
  });

  test('row 46: of a run that follows a crash and missed ticks', async () => {
    const { clock, options, types, observer } = setting({ schedule: '5m' });
    void executeWithLock(() => new Promise(() => {}), { ...options, tick: TICK, observers: [] });
    await clock.advance(1_500_000);
    await executeWithLock(() => {}, { ...options, tick: TICK + 1_500_000 });

    expect(types()).toEqual(['attempted', 'acquired', 'recovered', 'missed', 'started', 'released', 'finished']);
    expect(observer.events[2]).toMatchObject({ previous: { status: 'crashed', fencingToken: 1_767_225_600_001 } });
    expect(observer.events[3]).toMatchObject({
      ticks: [5, 10, 15, 20].map((minutes) => new Date(TICK + minutes * 60_000)),
    });
  });

  test.each<[ExecuteOptions['onStoreError'], string[]]>([
    ['throw', ['attempted', 'acquire-failed']],
    ['skip', ['attempted', 'acquire-failed', 'skipped']],
    ['run', ['attempted', 'acquire-failed', 'started', 'finished']],
  ])("row 46: of a run whose store fails, with onStoreError '%s'", async (onStoreError, expected) => {
    const { types, options } = setting({ store: scriptedStore({ acquire: async () => fails() }) });
    await executeWithLock(() => {}, { ...options, ...(onStoreError && { onStoreError }) }).catch(() => undefined);

    expect(types()).toEqual(expected);
  });

  test('row 46: of a run on a host whose clock is wrong and a store that could not verify it', async () => {
    const store = scriptedStore({
      acquire: async (claim, call) => ({
        ...grantOf(claim, call),
        clock: { minMs: -31_000, maxMs: -29_500 },
        clockUnverified: true,
      }),
    });
    const { types, options, observer } = setting({ store });
    await executeWithLock(() => {}, options);

    expect(types()).toEqual([
      'attempted',
      'clock-skew',
      'clock-unverified',
      'acquired',
      'started',
      'released',
      'finished',
    ]);
    expect(observer.events[1]).toMatchObject({ minMs: -31_000, maxMs: -29_500 });
  });
});

describe('F49 telemetry is never in the way', () => {
  const observers: [string, Observer][] = [
    ['throws', fails],
    ['rejects with undefined', () => Promise.reject(undefined)],
    ['rejects', async () => fails()],
    ['never settles', () => new Promise(() => {})],
    [
      'returns a promise-like that throws',
      () => ({
        // biome-ignore lint/suspicious/noThenProperty: a hostile promise-like is what is tested
        then: fails,
      }),
    ],
  ];

  test.each(observers)(
    "F49 an observer that %s changes nothing: neither the task's value nor its error",
    async (_, hostile) => {
      const { options, types } = setting();
      const error = new Error('no database');
      const observed = { ...options, observers: [hostile, ...options.observers, hostile] };

      expect(await executeWithLock(() => 'sent', observed)).toMatchObject({ value: 'sent', release: 'released' });
      expect(types()).toEqual(['attempted', 'acquired', 'started', 'released', 'finished']);
      await expect(executeWithLock(() => Promise.reject(error), observed)).rejects.toBe(error);
    },
  );

  test('F49 an observer that writes to its event writes to no other’s', () => {
    const second = vi.fn();
    const vandal = (event: LockEvent) => {
      event.tick?.setTime(0);
      Object.assign(event, { type: 'broken', name: 'broken', at: undefined });
    };
    reporter([vandal, second], manualClock(TICK), HEAD)({ type: 'attempted' });

    expect(second.mock.calls).toEqual([
      [{ type: 'attempted', name: 'digest', attemptId: 'a1', tick: new Date(TICK), at: new Date(TICK) }],
    ]);
  });

  test('F49 a clock that fails keeps no event from being harmless', () => {
    const clock = { ...manualClock(TICK), now: fails };
    const observer = vi.fn();

    expect(() => reporter([observer], clock, HEAD)({ type: 'attempted' })).not.toThrow();
    expect(observer).not.toHaveBeenCalled();
  });
});

test('observers are called in their order, each event to all before the next event', async () => {
  const told: string[] = [];
  const { options } = setting();
  await executeWithLock(() => {}, {
    ...options,
    observers: [(event) => told.push(`1 ${event.type}`), (event) => told.push(`2 ${event.type}`)],
  });

  expect(told.slice(0, 4)).toEqual(['1 attempted', '2 attempted', '1 acquired', '2 acquired']);
  expect(told).toHaveLength(10);
});
