import {
  type Clock,
  type ExecuteOptions,
  executeWithLock,
  type Granted,
  type Lease,
  type LockEvent,
  LockLostError,
  type LockStore,
} from 'single-execution';
import { cron } from 'single-execution/schedule';
import { type ManualClock, manualClock } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { runsOf } from '../../../src/core/record/run-ring.js';
import { thisProcess } from '../../../src/core/values/environment.js';
import { pass } from '../../support/clocks.js';
import { crash, MINUTE, memoryLocks, NOW } from '../../support/memory-locks.js';
import { grantOf, scriptedStore } from '../../support/scripted-store.js';

/** Throws any value, as JavaScript lets one do. */
const toss = (value: unknown): never => {
  throw value;
};

const EVERY_MINUTE = cron('* * * * *');
const noDatabase = () => toss(new Error('no database'));

/** What a store is told of a run whose grant has this past, and comes with this. */
async function completionOf(
  task: () => unknown,
  options: Partial<ExecuteOptions>,
  past: Partial<Lease> = {},
  more: Partial<Granted> = {},
) {
  const release = vi.fn<LockStore['release']>(async () => 'released');
  const store = scriptedStore({
    acquire: async (claim, call) => {
      const granted = grantOf(claim, call);
      return { ...granted, lease: { ...granted.lease, ...past }, ...more };
    },
    release,
  });
  await executeWithLock(task, { ...memoryLocks().options, ...options, store }).catch(() => {});
  return release.mock.calls[0]?.[1];
}

const crashedAt = (tickMs: number) =>
  ({ status: 'crashed', tickMs, lockedBy: 'me', lockedAtMs: tickMs, fencingToken: 6 }) as const;

describe('the verdict', () => {
  test.each<[string, Partial<ExecuteOptions>, boolean]>([
    ['with a tick', { tick: NOW }, true],
    ['with a tick that was marked at its start', { tick: NOW, tickMark: 'start' }, false],
    ['without a tick', {}, false],
  ])('row 29: F74 the result marks the tick, if there is one that is not marked yet: %s', async (_, tick, marks) => {
    const [succeeded, failed] = [await completionOf(() => {}, tick), await completionOf(noDatabase, tick)];

    expect(succeeded).toMatchObject({ result: 'succeeded', markTickDone: marks, markTickFailed: false });
    expect(failed).toMatchObject({ result: 'failed', markTickDone: false, markTickFailed: marks });
    for (const list of ['missedTicksMs', 'caughtUp']) expect(failed).not.toHaveProperty(list);
  });

  test.each<[string, Partial<ExecuteOptions>, Partial<Lease>, number[]]>([
    ['between the last one done and its own', { schedule: EVERY_MINUTE }, { doneTickMs: NOW - 3 * MINUTE }, [-2, -1]],
    ['none where a newer one is done', { schedule: EVERY_MINUTE }, { doneTickMs: NOW + 3 * MINUTE }, []],
    ['none where none is done', { schedule: EVERY_MINUTE }, { previous: crashedAt(NOW - 3 * MINUTE) }, []],
    [
      'also those that a failed run has told of',
      { schedule: EVERY_MINUTE },
      { doneTickMs: NOW - 2 * MINUTE, previous: crashedAt(NOW) },
      [-1],
    ],
    ['none without a schedule', {}, { doneTickMs: NOW - 3 * MINUTE }, []],
    ['none without a tick', { schedule: EVERY_MINUTE, tick: undefined as never }, { doneTickMs: NOW - 3 * MINUTE }, []],
  ])('a store is told of the ticks that never came: %s', async (_, schedule, past, minutes) => {
    const missedTicksMs = minutes.map((n) => NOW + n * MINUTE);

    expect(await completionOf(() => {}, { tick: NOW, ...schedule }, past)).toMatchObject({ missedTicksMs });
  });

  test('F47 a promise-like that is no promise is waited for', async () => {
    const { options } = memoryLocks();
    const task = () => ({
      // biome-ignore lint/suspicious/noThenProperty: a promise-like is what is tested
      then: (resolve: (value: string) => void) => resolve('sent'),
    });

    expect(await executeWithLock(task as () => PromiseLike<string>, options)).toMatchObject({ value: 'sent' });
  });

  test.each<[string, Error]>([
    ['without a name', Object.assign(new Error('no database'), { name: '' })],
    ['whose name cannot be read', Object.defineProperty(new Error('no database'), 'name', { get: noDatabase })],
  ])('F47 an error %s reaches the caller, and leaves a record that can be read', async (_, error) => {
    const { options, item } = memoryLocks();
    await expect(executeWithLock(() => toss(error), options)).rejects.toBe(error);

    expect(await item()).toMatchObject({ state: 'released', result: 'failed', error: 'Error' });
    expect(await executeWithLock(() => 'again', options)).toMatchObject({ value: 'again' });
  });
});

// The contract of adapters plays onError: 'hold'.
test('row 30: F56 with a long lockAtLeastFor the retries of the platform, 1 and 3 minutes later, still run', async () => {
  const { clock, options } = memoryLocks();
  const holding = { ...options, lockAtMostFor: '10m', lockAtLeastFor: '5m', tick: NOW };
  await expect(executeWithLock(noDatabase, holding)).rejects.toThrow('no database');
  await clock.advance(MINUTE);
  await expect(executeWithLock(noDatabase, holding)).rejects.toThrow('no database');
  await clock.advance(2 * MINUTE);

  expect(await executeWithLock(({ recovering }) => recovering, holding)).toMatchObject({ value: true });
});

describe('row 32: bookkeeping that fails', () => {
  const releases: [string, LockStore['release'], retryable: boolean][] = [
    ['rejects', () => Promise.reject(new Error('timed out')), true],
    ['rejects with undefined', () => Promise.reject(undefined), true],
    ['throws', () => toss(new TypeError('no client')), true],
    ['does not know', async () => 'unknown', false],
  ];

  test.each(releases)(
    "row 32: F54 a release that %s never masks the task's value or error",
    async (_, release, retryable) => {
      const { options, observer } = memoryLocks();
      const failing = { ...options, store: scriptedStore({ release }) };
      const error = new Error('no database');

      expect(await executeWithLock(() => 'sent', failing)).toMatchObject({ value: 'sent', release: 'unknown' });
      await expect(executeWithLock(() => toss(error), failing)).rejects.toBe(error);
      const begun = ['attempted', 'acquired', 'started', 'release-failed'];
      expect(observer.types()).toEqual([...begun, 'finished', ...begun, 'failed']);
      expect(observer.events[3]).toMatchObject({ error: { name: 'LockStoreError', operation: 'release', retryable } });
      expect(observer.events[4]).toMatchObject({ release: 'unknown' });
    },
  );
});

test('a lease that ends while observers get the start begins no task', async () => {
  const { clock, observer, options, item } = memoryLocks();
  const takesAMinute = ({ type }: LockEvent) => {
    if (type === 'started') clock.stepWall(MINUTE);
  };
  const task = vi.fn();
  const observers = [observer, takesAMinute];
  const running = executeWithLock(task, { ...options, tick: NOW, observers });

  await expect(running).rejects.toThrow(LockLostError);
  expect(task).not.toHaveBeenCalled();
  expect(observer.types()).toEqual(['attempted', 'acquired', 'started', 'lost', 'released', 'failed']);
  expect(await item()).not.toHaveProperty('doneTick');
});

describe('a grant that is over at its arrival', () => {
  const late = (ms: number, over: Partial<ExecuteOptions> = {}) => {
    const { clock, store, observer, options, item } = memoryLocks();
    const acquire: LockStore['acquire'] = async (claim, call) => {
      const granted = await store.acquire(claim, call);
      await pass(clock, ms);
      return granted;
    };
    const task = vi.fn();
    const running = executeWithLock(task, { ...options, tick: NOW, ...over, store: { ...store, acquire } });
    return { clock, running, task, item, observer };
  };

  test.each(['throw', 'skip', 'run'] as const)(
    "F11 an answer that comes after the lease has ended is LATE: nothing runs, with onStoreError '%s'",
    async (onStoreError) => {
      const { clock, running, task, item, observer } = late(59_400, { onStoreError });
      const rejected = expect(running).rejects.toMatchObject({
        name: 'LockStoreError',
        code: 'LATE',
        lockName: 'digest',
        operation: 'acquire',
        retryable: true,
        message: expect.stringContaining('lock "digest"'),
      });
      await clock.advance(MINUTE);
      await rejected;

      expect(task).not.toHaveBeenCalled();
      expect(await item()).toMatchObject({ state: 'released', error: 'LATE', lockUntil: NOW + 59_400 });
      expect(await item()).not.toHaveProperty('doneTick');
      expect(observer.types()).toEqual(['attempted', 'acquire-failed', 'released']);
      expect(clock.pendingTimers()).toBe(0);
    },
  );

  test('F11 an answer that comes a moment before the end of the lease is not LATE', async () => {
    const { clock, running, task } = late(59_399);
    await clock.advance(MINUTE);

    expect(await running).toMatchObject({ status: 'executed' });
    expect(task).toHaveBeenCalledOnce();
  });

  /** What a server's clock tells that vouches for 200 ms, the guard being 600, and shows how far a host is behind. */
  const behind = (minMs: number) => ({ capMono: 200, clock: { minMs, maxMs: minMs + 1_000 } });

  test.each(['throw', 'skip', 'run'] as const)(
    "F11 row 17: a lease that is over by the server's clock alone is CLOCK_SKEW, with onStoreError '%s'",
    async (onStoreError) => {
      const { options } = memoryLocks();
      const release = vi.fn<LockStore['release']>(async () => 'released');
      const task = vi.fn();
      const acquire: LockStore['acquire'] = async (claim, call) => ({ ...grantOf(claim, call), ...behind(401) });
      const store = scriptedStore({ acquire, release });

      await expect(executeWithLock(task, { ...options, store, onStoreError })).rejects.toMatchObject({
        name: 'LockStoreError',
        code: 'CLOCK_SKEW',
        operation: 'acquire',
        retryable: true,
        message: expect.stringContaining("correct this host's clock"),
      });
      expect(task).not.toHaveBeenCalled();
      expect(release.mock.calls[0]?.[1]).toMatchObject({ result: 'failed', markTickDone: false, lockAtLeastForMs: 0 });
    },
  );

  test.each<[string, Partial<ExecuteOptions>, boolean]>([
    ['is open', { tick: NOW }, true],
    ['that was marked at its start is not', { tick: NOW, tickMark: 'start' }, false],
    ['that it has not is not', {}, false],
  ])('F11 a tick of a grant that is given back %s', async (_, tick, markTickFailed) => {
    expect(await completionOf(() => {}, tick, {}, behind(401))).toMatchObject({ markTickDone: false, markTickFailed });
  });

  test.each<['released' | 'lost' | 'unknown', number[]]>([
    ['released', [NOW - 9 * MINUTE]],
    ['unknown', [NOW - 9 * MINUTE]],
    ['lost', []],
  ])(
    'F11 row 89: a grant that is given back, %s, reports the tick for which the record has no room, unless it is lost',
    async (status, givenUp) => {
      const { options, observer } = memoryLocks();
      const failedTicksMs = [9, 8, 7, 6, 5, 4, 3, 2].map((minutes) => NOW - minutes * MINUTE);
      const past = { doneTickMs: NOW - 10 * MINUTE, failedTicksMs };
      const acquire: LockStore['acquire'] = async (claim, call) => {
        const { lease } = grantOf(claim, call);
        return { status: 'acquired', lease: { ...lease, ...past }, ...behind(401) };
      };
      const store = scriptedStore({ acquire, release: async () => status });
      await expect(executeWithLock(() => {}, { ...options, tick: NOW, store })).rejects.toThrow();

      const told = observer.events.flatMap((event) => (event.type === 'given-up' ? event.ticks.map(Number) : []));
      expect(told).toEqual(givenUp);
    },
  );

  test.each<[string, (clock: ManualClock) => unknown, Partial<Granted>, LockStore['release']?]>([
    ["by the server's clock, on a host whose clock that does not show to be behind", () => {}, behind(-300)],
    ["by the server's clock, on a host whose clock that shows to be right to the second", () => {}, behind(0)],
    ["by the server's clock, on a host that is behind by less than what is missing", () => {}, behind(400)],
    ["when it comes, whatever the server's clock says as well", (clock) => pass(clock, MINUTE), behind(30_000)],
    ['F30 by the wall clock of a host that was suspended meanwhile', (clock) => clock.suspend(MINUTE), {}],
    ['when it comes, and whose release fails', (clock) => pass(clock, MINUTE), {}, () => toss(new Error('timed out'))],
  ])('F11 a grant is LATE that is over %s', async (_, meanwhile, more, release = async () => 'released') => {
    const { clock, options } = memoryLocks();
    const acquire: LockStore['acquire'] = async (claim, call) => {
      const granted = grantOf(claim, call);
      await meanwhile(clock);
      return { ...granted, ...more };
    };
    const rejected = expect(
      executeWithLock(() => {}, { ...options, store: scriptedStore({ acquire, release }) }),
    ).rejects.toMatchObject({ code: 'LATE', message: expect.not.stringContaining('clock') });
    await clock.advance(MINUTE);
    await rejected;
  });

  test('row 20: a clock whose timers cannot be unreferenced works as well', async () => {
    const { options, clock } = memoryLocks();
    const plain = {
      ...clock,
      setTimer: (...timer: Parameters<Clock['setTimer']>) => ({ cancel: clock.setTimer(...timer).cancel }),
    };

    expect(await executeWithLock(() => 'ran', { ...options, clock: plain })).toMatchObject({ value: 'ran' });
  });

  test('F49 if an observer or the task changes an object that it gets, nobody else sees the change', async () => {
    const { options } = memoryLocks();
    const seen: unknown[] = [];
    const vandal = (event: LockEvent) => {
      if ('previous' in event) Object.assign(event.previous, { status: 'succeeded' });
      if ('ticks' in event) event.ticks[0]?.setTime(0);
      event.tick?.setTime(0);
    };
    await executeWithLock(() => {}, { ...options, tick: NOW });
    const outcome = await executeWithLock(
      ({ tick, missedTicks }) => {
        seen.push(tick?.getTime(), missedTicks.map(Number));
        tick?.setTime(0);
        missedTicks.reverse().pop();
      },
      { ...options, tick: NOW + 3 * MINUTE, schedule: '1m', observers: [vandal] },
    );

    expect(seen).toEqual([NOW + 3 * MINUTE, [NOW + MINUTE, NOW + 2 * MINUTE]]);
    expect(outcome).toMatchObject({ tick: new Date(NOW + 3 * MINUTE), missedTicks: [{}, {}] });
  });
});

describe('a run that loses its lock', () => {
  test('row 19: a task that wakes past its lease and returns at once is reported as lost, before any timer has fired', async () => {
    const { clock, options, observer } = memoryLocks();
    await executeWithLock(() => clock.suspend(MINUTE), options);

    expect(observer.types()).toEqual(['attempted', 'acquired', 'started', 'lost', 'released', 'finished']);
  });

  test('F58 a success after the end of the lease is recorded if nobody took over', async () => {
    const { clock, options, observer, item } = memoryLocks();
    const running = executeWithLock(() => pass(clock, 90_000), { ...options, tick: NOW });
    await clock.advance(90_000);

    expect(await running).toMatchObject({ release: 'released' });
    expect(observer.types()).toEqual(['attempted', 'acquired', 'started', 'lost', 'released', 'finished']);
    expect(await item()).toMatchObject({ state: 'released', result: 'succeeded', doneTick: NOW });
    expect(await executeWithLock(() => {}, { ...options, tick: NOW })).toMatchObject({ reason: 'already-executed' });
  });
});

describe('what a run gets of the past', () => {
  test('row 28: the run before crashed', async () => {
    const { clock, options, observer, item } = memoryLocks();
    await crash({ ...options, tick: NOW, observers: [] });
    await clock.advance(MINUTE);
    const previous = {
      status: 'crashed',
      tick: new Date(NOW),
      lockedBy: thisProcess(),
      lockedAt: new Date(NOW),
      fencingToken: NOW + 1,
    };
    const outcome = await executeWithLock((execution) => [execution.previous, execution.recovering], {
      ...options,
      tick: NOW + MINUTE,
    });

    expect(outcome).toMatchObject({ value: [previous, true], previous });
    expect(observer.events.find(({ type }) => type === 'recovered')).toMatchObject({ previous });
    expect(runsOf(await item())).toEqual([
      { status: 'succeeded', tickMs: NOW + MINUTE, lockedAtMs: NOW + MINUTE, durationMs: 0, fencingToken: NOW + 2 },
      { status: 'crashed', tickMs: NOW, lockedAtMs: NOW, fencingToken: NOW + 1 },
    ]);
  });

  test.each<[string, (() => unknown) | 'crash', number | undefined, number | undefined, boolean]>([
    ['row 29: the same tick crashed', 'crash', NOW, NOW, true],
    ['row 29: another tick crashed', 'crash', NOW, NOW + MINUTE, true],
    ['row 29: a run without a tick crashed', 'crash', undefined, undefined, true],
    ['row 29: the same tick failed', noDatabase, NOW, NOW, true],
    ['row 29: another tick failed', noDatabase, NOW, NOW + MINUTE, false],
    ['row 29: a run without a tick failed', noDatabase, undefined, undefined, false],
    ['row 29: the run before succeeded', () => {}, NOW, NOW + MINUTE, false],
  ])('%s', async (_, first, firstTick, tick, recovering) => {
    const { clock, options } = memoryLocks();
    const ticking = (at: number | undefined) => ({ ...options, ...(at !== undefined && { tick: at }) });
    if (first === 'crash') await crash(ticking(firstTick));
    else await executeWithLock(first, ticking(firstTick)).catch(() => undefined);
    await clock.advance(MINUTE);

    expect(await executeWithLock((execution) => execution.recovering, ticking(tick))).toMatchObject({
      value: recovering,
    });
  });

  test('row 39: counts from the last tick, done or not, through runs without a tick', async () => {
    const { options } = memoryLocks();
    const every5 = { ...options, schedule: '5m' };
    await executeWithLock(() => {}, { ...every5, tick: NOW });
    await expect(executeWithLock(noDatabase, { ...every5, tick: NOW + 5 * MINUTE })).rejects.toThrow();
    expect(await executeWithLock(() => {}, { ...every5, tick: NOW + 10 * MINUTE })).toMatchObject({ missedTicks: [] });
    await executeWithLock(() => {}, every5);
    expect(await executeWithLock(() => {}, { ...every5, tick: NOW + 20 * MINUTE })).toMatchObject({
      missedTicks: [new Date('2026-01-01T00:15:00Z')],
    });
  });

  test('row 194: a run by hand between two runs changes nothing of what the second one has missed', async () => {
    const { options } = memoryLocks();
    const every5 = { ...options, schedule: '5m' as const };
    const byHand = (task: () => unknown) => executeWithLock(task, { ...options, isManual: true }).catch(() => {});
    const missed = async (minute: number, task: () => unknown = () => {}) => {
      let found: readonly Date[] = [];
      await executeWithLock(
        ({ missedTicks }) => {
          found = missedTicks;
          return task();
        },
        { ...every5, tick: NOW + minute * MINUTE },
      ).catch(() => {});
      return found.map((tick) => (tick.getTime() - NOW) / MINUTE);
    };
    await missed(0);
    expect(await missed(10, noDatabase)).toEqual([5]);
    await byHand(() => {});

    expect(await missed(20, noDatabase)).toEqual([15]);
    await byHand(noDatabase);
    expect(await missed(20)).toEqual([15]);
    await byHand(() => {});
    expect(await missed(25)).toEqual([]);
  });

  test('row 39: nothing is missed without schedule, without a tick, or when the past is unknown', async () => {
    const { options, observer } = memoryLocks();
    await executeWithLock(() => {}, { ...options, tick: NOW });

    expect(await executeWithLock(() => {}, { ...options, tick: NOW + 60 * MINUTE })).toMatchObject({ missedTicks: [] });
    expect(await executeWithLock(() => {}, { ...options, schedule: '5m' })).toMatchObject({ missedTicks: [] });
    const replayed = { ...options, schedule: '5m', tick: NOW + 120 * MINUTE, store: scriptedStore() };
    expect(await executeWithLock(() => {}, replayed)).toMatchObject({ missedTicks: [] });
    expect(observer.types()).not.toContain('missed');
  });
});

test.each([-20_000, 20_000])(
  'F55 with lockAtLeastFor a duplicate 30 s later from a host whose clock is %i ms off is skipped',
  async (skew) => {
    const { options } = memoryLocks();
    const holding = { ...options, lockAtLeastFor: '1m' };
    await executeWithLock(() => {}, holding);
    const elsewhere = { ...holding, clock: manualClock(NOW + 30_000 + skew) };

    expect(await executeWithLock(() => {}, elsewhere)).toMatchObject({ reason: 'lock-at-least-for' });
  },
);
