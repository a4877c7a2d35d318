import {
  type Context,
  DeadlineError,
  type Execution,
  LockLostError,
  type Options,
  withSingleExecution,
} from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { lambdaContext, manualClock, recordingObserver } from 'single-execution/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { storeCall } from '../support/contract-harness.js';
import { gate } from '../support/gate.js';
import { pass } from '../support/pass.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const MINUTE = 60_000;
const deadline = new DeadlineError('digest', 'DEADLINE', 'the platform ends it soon');

/** Options that leave the result type of a wrapper alone. */
type Tuning = Partial<Omit<Options<unknown>, 'onSkipped'>>;

function setting(remainingMs = 15 * MINUTE) {
  const clock = manualClock(NOW);
  const store = memoryStore();
  const observer = recordingObserver();
  const options = { name: 'digest', store, clock, keepAlive: true, observers: [observer] } satisfies Options<unknown>;
  const context = () => lambdaContext({ clock, remainingMs });
  const item = async () => (await store.get('digest', storeCall(clock)))?.item;
  return { clock, store, observer, options, context, item };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('row 21: keepAlive on Lambda', () => {
  const lockUntil = async (_event: unknown, _context: Context, execution: Execution) => execution.lockUntil;

  test.each<[string, Tuning, string]>([
    ['30 s, not the remaining time', {}, '2026-01-01T00:00:30.000Z'],
    ['lockAtLeastFor when that is longer', { lockAtLeastFor: '5m' }, '2026-01-01T00:05:00.000Z'],
    ['30 s when lockAtLeastFor is shorter', { lockAtLeastFor: '29s' }, '2026-01-01T00:00:30.000Z'],
    ['lockAtMostFor when it is given', { lockAtMostFor: '10s' }, '2026-01-01T00:00:10.000Z'],
  ])('row 63: the lease is %s', async (_, over, until) => {
    const { options, context } = setting();

    expect(await withSingleExecution(lockUntil, { ...options, ...over })({}, context())).toEqual(new Date(until));
  });

  test('row 63: without a remaining time no lockAtMostFor is required', async () => {
    const { options } = setting();

    expect(await withSingleExecution(lockUntil, options)({}, {} as Context)).toEqual(new Date(NOW + 30_000));
  });

  test('F23 a lease shorter than the remaining time is not warned of', async () => {
    const logged = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { options, context } = setting();
    await withSingleExecution(async () => {}, { ...options, lockAtMostFor: '10s', tick: 'none' })({}, context());

    expect(logged).not.toHaveBeenCalled();
  });

  test('row 21: F24 a run of ten minutes keeps its lock; killed, it blocks the next for half a minute at most', async () => {
    const { clock, options, context } = setting();
    const dying = manualClock(NOW);
    let execution: Execution | undefined;
    void withSingleExecution(
      (_event, _context, given) => {
        execution = given;
        return new Promise(() => {});
      },
      { ...options, clock: dying, observers: [] },
    )({}, lambdaContext({ clock: dying, remainingMs: 15 * MINUTE }));
    await dying.advance(10 * MINUTE - 1);
    expect(() => execution?.assertHeld()).not.toThrow();

    const next = withSingleExecution(async () => 'ran', options);
    await clock.advance(10 * MINUTE + 19_999);
    expect(await next({}, context())).toMatchObject({ reason: 'locked' });
    await clock.advance(1);
    expect(await next({}, context())).toBe('ran');
  });

  test('row 26: the signal aborts a second before the deadline, and the lock is still held then', async () => {
    const { clock, options, context, item } = setting();
    const wrapped = withSingleExecution(async (_event, _context, { signal, assertHeld }) => {
      await pass(clock, 15 * MINUTE - 1_001);
      const before = signal.reason;
      await pass(clock, 1);
      assertHeld();
      return [before, signal.reason];
    }, options);
    const running = wrapped({}, context());
    await clock.advance(15 * MINUTE);

    expect(await running).toEqual([undefined, deadline]);
    expect(await item()).toMatchObject({ state: 'released' });
  });
});

describe('F43 on Lambda Managed Instances, which do not stop a run whose time is up', () => {
  test('F43 nothing is released before the handler has settled; the retry is kept out until the last lease is over', async () => {
    const { clock, store, options, context } = setting(MINUTE);
    const release = vi.spyOn(store, 'release');
    const finish = gate<string>();
    let execution: Execution | undefined;
    const running = withSingleExecution((_event, _context, given) => {
      execution = given;
      return finish.opened;
    }, options)({}, context());
    const retry = withSingleExecution(async () => 'retried', { ...options, observers: [] });
    await clock.advance(79_000);

    expect(execution?.signal.reason).toEqual(deadline);
    expect(() => execution?.assertHeld()).not.toThrow();
    expect(await retry({}, context())).toMatchObject({ reason: 'locked' });
    await clock.advance(999);
    expect(() => execution?.assertHeld()).toThrow(LockLostError);
    expect(await retry({}, context())).toMatchObject({ reason: 'locked' });
    expect(release).not.toHaveBeenCalled();
    await clock.advance(1);
    expect(await retry({}, context())).toBe('retried');
    finish.open('sent');
    expect(await running).toBe('sent');
  });
});

describe('F27 a frozen environment', () => {
  test('F27 after the handler has returned no timer is left that could fire in a later invocation', async () => {
    const { clock, store, options, context } = setting();
    const extend = vi.spyOn(store, 'extend');
    const wrapped = withSingleExecution(() => pass(clock, 15_000), options);
    const first = wrapped({}, context());
    await clock.advance(15_000);
    await first;
    expect(clock.pendingTimers()).toBe(0);
    clock.suspend(10 * MINUTE);
    const second = wrapped({}, context());
    await clock.advance(15_000);
    await second;

    expect(extend.mock.calls.map(([{ fencingToken }]) => fencingToken - NOW)).toEqual([1, 2]);
  });
});
