import { isSkipped, LockStoreError } from 'single-execution';
import { type LeadershipOptions, withLeadership } from 'single-execution/leader';
import { memoryStore } from 'single-execution/memory';
import { faultyStore, manualClock, recordingObserver } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { storeCall } from '../support/contract-harness.js';

const MINUTE = 60_000;
const TEN_MINUTES = 10 * MINUTE;

function setting() {
  const clock = manualClock();
  const memory = memoryStore();
  const store = faultyStore(memory);
  const observer = recordingObserver();
  const wrap = (candidate: string, options: Partial<LeadershipOptions> = {}) =>
    withLeadership((x: number) => `${candidate} ${x}`, {
      name: 'crons',
      store,
      candidate,
      lease: '10m',
      clock,
      observers: [observer],
      ...options,
    });
  return { clock, memory, store, observer, wrap };
}

describe('the lead', () => {
  test('sticks to the candidate that was first, for as long as it is invoked within the lease', async () => {
    const { clock, wrap } = setting();
    const [eu, us] = [wrap('eu'), wrap('us')];
    for (let round = 0; round < 50; round++) {
      expect(await eu(round)).toBe(`eu ${round}`);
      await clock.advance(TEN_MINUTES - 2);
      expect(await us(round)).toMatchObject({ status: 'skipped', reason: 'locked' });
      await clock.advance(1);
    }
  });

  test('passes on once the leader was not invoked for a lease, and stays there when it is back', async () => {
    const { clock, wrap } = setting();
    const [eu, us] = [wrap('eu'), wrap('us')];
    await eu(1);
    await clock.advance(5 * MINUTE);
    await eu(2);
    await clock.advance(TEN_MINUTES - 1);
    expect(isSkipped(await us(1))).toBe(true);
    await clock.advance(1);

    expect(await us(2)).toBe('us 2');
    expect(await eu(3)).toMatchObject({ status: 'skipped', holder: { lockedBy: 'us' } });
  });

  test('is taken up again by the one whose lease is over, when nobody else came', async () => {
    const { clock, wrap } = setting();
    const eu = wrap('eu');
    await eu(1);
    await clock.advance(TEN_MINUTES * 6);

    expect(await eu(2)).toBe('eu 2');
  });

  test('is renewed by an invocation and never shortened by one, nor by one with a shorter lease', async () => {
    const { clock, memory, wrap } = setting();
    await wrap('eu')(1);
    await clock.advance(MINUTE);
    await wrap('eu', { lease: '1m' })(2);

    expect((await memory.get('crons', storeCall(clock)))?.item).toMatchObject({
      lockUntil: clock.now() + TEN_MINUTES - MINUTE,
      lockedBy: 'eu',
      state: 'held',
    });
    await wrap('eu')(3);
    expect((await memory.get('crons', storeCall(clock)))?.item).toMatchObject({ lockUntil: clock.now() + TEN_MINUTES });
  });

  test('a skipped invocation returns who leads, and reports it to its observers', async () => {
    const { clock, observer, wrap } = setting();
    await wrap('eu')(1);
    const why = {
      reason: 'locked',
      holder: {
        lockedBy: 'eu',
        lockedAt: '2026-01-01T00:00:00.000Z',
        lockUntil: '2026-01-01T00:10:00.000Z',
        fencingToken: clock.now() + 1,
      },
    };

    expect(await wrap('us')(1)).toEqual({ status: 'skipped', name: 'crons', ...why });
    expect(observer.events).toEqual([
      { type: 'skipped', name: 'crons', attemptId: expect.any(String), at: new Date(clock.now()), ...why },
    ]);
  });

  test('one paused by an operator skips all, the leader too', async () => {
    const { clock, memory, wrap } = setting();
    await wrap('eu')(1);
    await memory.pause('crons', { untilMs: clock.now() + MINUTE, by: 'Ann' }, storeCall(clock));
    expect(await wrap('eu')(2)).toMatchObject({ status: 'skipped', reason: 'paused' });
    expect(await wrap('us')(2)).toMatchObject({ status: 'skipped', reason: 'paused' });
    await clock.advance(MINUTE);
    expect(await wrap('eu')(3)).toBe('eu 3');
  });

  test('F61 freed by an operator, goes to who comes first', async () => {
    const { clock, memory, wrap } = setting();
    await wrap('eu')(1);
    const force = { name: 'crons', adminId: 'f1', fencingToken: clock.now() + 1, lockedAtMs: clock.now() };
    expect(await memory.forceRelease({ ...force, nowMs: clock.now() }, storeCall(clock))).toBe('forced');
    await clock.advance(1);

    expect(await wrap('us')(2)).toBe('us 2');
    expect(await wrap('eu')(2)).toMatchObject({ status: 'skipped', holder: { lockedBy: 'us' } });
  });

  test('that was lost between the question and the renewal is no lead', async () => {
    const { clock, memory, store, wrap } = setting();
    await wrap('eu')(1);
    vi.spyOn(memory, 'extend').mockImplementationOnce(async () => {
      await clock.advance(TEN_MINUTES);
      await wrap('us', { store: memory })(1);
      return { status: 'lost' };
    });

    expect(await wrap('eu')(2)).toMatchObject({ status: 'skipped', reason: 'locked' });
    expect(store.calls.map(({ verb }) => verb)).toEqual(['acquire', 'acquire', 'extend']);
  });

  test('makes no exclusion between invocations of the leader', async () => {
    const { wrap } = setting();
    const eu = wrap('eu');

    expect(await Promise.all([eu(1), eu(2), eu(3)])).toEqual(['eu 1', 'eu 2', 'eu 3']);
  });
});

describe('the function', () => {
  const options = (): LeadershipOptions => ({
    name: 'crons',
    store: memoryStore(),
    candidate: 'eu',
    lease: '10m',
    observers: [],
  });

  test('gets its arguments and its `this`, and its result comes back, a promise or none', async () => {
    const job = {
      factor: 2,
      run: withLeadership(function (this: { factor: number }, a: number, b: number) {
        return [this.factor * a, b];
      }, options()),
    };
    expect(await job.run(3, 4)).toEqual([6, 4]);
    expect(await withLeadership(async (...all: number[]) => all, options())(1, 2, 3)).toEqual([1, 2, 3]);
  });

  test('has a length of 0 whatever the handler takes: Lambda on Node 24 refuses one with a callback', () => {
    expect(withLeadership((_event: object, _context: object, _done: () => void) => {}, options())).toHaveLength(0);
  });

  test.each([
    ['throws', () => boom()],
    ['rejects', async () => boom()],
  ])('that %s: its error comes through as it is', async (_, handler) => {
    await expect(withLeadership(handler, options())()).rejects.toBe(BOOM);
  });

  test('that throws keeps the lead all the same', async () => {
    const { wrap } = setting();
    const store = memoryStore();
    await expect(withLeadership(boom, { ...options(), store })()).rejects.toBe(BOOM);

    expect(await wrap('us', { store, clock: manualClock(Date.now()) })(1)).toMatchObject({ status: 'skipped' });
  });

  const BOOM = new Error('boom');
  function boom(): never {
    throw BOOM;
  }
});

describe('a store that fails', () => {
  test.each<['acquire' | 'extend', Error | 'lose-request' | 'lose-response']>([
    ['acquire', 'lose-request'],
    ['acquire', 'lose-response'],
    ['acquire', new Error('no such host')],
    ['extend', 'lose-request'],
    ['extend', 'lose-response'],
    ['extend', new Error('no such host')],
  ])('at %s (%s) is a LockStoreError, is told, and the handler does not run', async (verb, fault) => {
    const { store, observer, wrap } = setting();
    const eu = wrap('eu');
    if (verb === 'extend') await eu(1);
    store.next(verb, fault);
    const error = await eu(2).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(LockStoreError);
    expect(error).toMatchObject({ code: 'UNAVAILABLE', lockName: 'crons', operation: verb });
    expect(observer.events.at(-1)).toMatchObject({ type: 'acquire-failed', error });
    expect(await eu(3)).toBe('eu 3');
  });

  test('F137 is not told of an error of another lock, which the handler throws: that is the handler’s own', async () => {
    const { clock, store, observer } = setting();
    const details = { code: 'UNAVAILABLE', lockName: 'crons', operation: 'acquire', retryable: true } as const;
    const own = new LockStoreError('no store', details);
    const options = { name: 'crons', store, candidate: 'eu', lease: '10m', clock, observers: [observer] };

    await expect(withLeadership(() => Promise.reject(own), options)()).rejects.toBe(own);
    expect(observer.types()).not.toContain('acquire-failed');
  });

  test('has sent nothing before the first invocation', () => {
    const { store, wrap } = setting();
    wrap('eu');

    expect(store.calls).toEqual([]);
  });

  test('is not asked where locking is switched off: row 61, the bare handler runs', async () => {
    vi.stubEnv('SINGLE_EXECUTION_DISABLED', '1');
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { store, wrap } = setting();

    expect(await Promise.all([wrap('eu')(1), wrap('us')(1)])).toEqual(['eu 1', 'us 1']);
    expect(store.calls).toEqual([]);
    vi.restoreAllMocks();
  });
});
