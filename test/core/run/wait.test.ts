import { type ExecuteOptions, executeWithLock } from 'single-execution';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { pass } from '../../support/clocks.js';
import { crash, NOW } from '../../support/memory-locks.js';
import { refusingLocks, waitingLocks } from './waiting-locks.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const always = (chance: number) => vi.spyOn(Math, 'random').mockReturnValue(chance);

describe('row 10: wait', () => {
  test('row 10: acquires within half a second of the release, and runs', async () => {
    const { clock, held, options, observer } = waitingLocks();
    void executeWithLock(() => pass(clock, 10_000), held);
    const waiter = executeWithLock(() => clock.monotonic(), options);
    await clock.advance(20_000);
    const outcome = await waiter;

    expect(outcome).toMatchObject({ status: 'executed', previous: { status: 'succeeded' } });
    const startedAt = outcome.status === 'executed' ? outcome.value : Number.NaN;
    expect(startedAt).toBeGreaterThanOrEqual(10_000);
    expect(startedAt).toBeLessThanOrEqual(10_500);
    expect(observer.types()).not.toContain('skipped');
    expect(clock.pendingTimers()).toBe(0);
  });

  test.each<[string, (held: ExecuteOptions) => Promise<unknown>, boolean]>([
    ['a dead holder’s lease', (held) => crash({ ...held, lockAtMostFor: '5s' }), true],
    ['lockAtLeastFor', (held) => executeWithLock(() => {}, { ...held, lockAtLeastFor: '5s' }), false],
  ])('row 10: as soon as %s is over', async (_, holdFor5s, value) => {
    const { clock, held, options } = waitingLocks();
    await holdFor5s(held);
    const waiter = executeWithLock(({ recovering }) => recovering, options);
    await clock.advance(5_500);

    expect(await waiter).toMatchObject({ status: 'executed', value });
  });

  test('row 10: gives up when the time is over, with one skip that names who holds the lock', async () => {
    const { clock, options, observer, tries } = waitingLocks();
    await crash({ ...options, observers: [] });
    tries.length = 0;
    const waiter = executeWithLock(() => {}, options);
    await clock.advance(20_000);

    expect(await waiter).toMatchObject({ status: 'skipped', reason: 'locked', holder: { fencingToken: NOW + 1 } });
    expect(observer.types().filter((type) => type === 'skipped')).toHaveLength(1);
    expect(observer.types().at(-1)).toBe('skipped');
    expect(tries.at(-1)?.at).toBeGreaterThan(19_000);
    // One timer is that of the holder.
    expect(clock.pendingTimers()).toBe(1);
  });

  test('row 10: without it, one try and no timer', async () => {
    const { clock, options, tries } = waitingLocks();
    const { wait: _, ...impatient } = options;
    await crash({ ...impatient, observers: [] });
    tries.length = 0;

    expect(await executeWithLock(() => {}, impatient)).toMatchObject({ reason: 'locked' });
    // One timer is that of the holder.
    expect([tries.length, clock.pendingTimers()]).toEqual([1, 1]);
  });

  test.each([
    [0, [0, 100, 200, 300, 400]],
    [0.5, [0, 300]],
    [0.999, [0, 499.6]],
  ])('row 10: asks again after 100 to 500 ms, as chance says (%d), and never at the end or later', async (at, asks) => {
    const { clock, asked, options } = refusingLocks('locked');
    always(at);
    const waiter = executeWithLock(() => {}, { ...options, wait: 500 });
    await clock.advance(2_000);

    expect(await waiter).toMatchObject({ reason: 'locked' });
    expect(asked.map((ms) => Math.round(ms * 10) / 10)).toEqual(asks);
  });

  test('F1 each try is an attempt of its own to the store, and one call to observers', async () => {
    const { clock, options, observer, tries } = waitingLocks();
    void executeWithLock(() => pass(clock, 3_000), { ...options, observers: [] });
    await clock.advance(0);
    tries.length = 0;
    const waiter = executeWithLock(() => {}, options);
    await clock.advance(5_000);
    await waiter;
    const attempted = observer.events.filter(({ type }) => type === 'attempted').map(({ attemptId }) => attemptId);

    expect(tries.length).toBeGreaterThan(5);
    expect(new Set(tries.map(({ attemptId }) => attemptId)).size).toBe(tries.length);
    expect(attempted).toEqual([tries[0]?.attemptId]);
    expect(new Set(observer.events.slice(-4).map(({ attemptId }) => attemptId))).toEqual(
      new Set([tries.at(-1)?.attemptId]),
    );
    expect(observer.types().slice(-4)).toEqual(['acquired', 'started', 'released', 'finished']);
  });

  test('row 10: fifty that wait together all run, one at a time', async () => {
    const { clock, options } = waitingLocks();
    const tokens: number[] = [];
    let running = 0;
    const task = async ({ fencingToken }: { fencingToken: number }) => {
      expect(++running).toBe(1);
      tokens.push(fencingToken);
      await pass(clock, 100);
      running--;
    };
    const all = Promise.all(Array.from({ length: 50 }, () => executeWithLock(task, options)));
    await clock.advance(20_000);
    const outcomes = await all;

    expect(outcomes.filter(({ status }) => status === 'executed')).toHaveLength(50);
    expect(tokens).toEqual(Array.from({ length: 50 }, (_, i) => NOW + 1 + i));
  });
});
