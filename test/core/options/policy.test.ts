import { executeWithLock, type LockOptions, type LockStore, withSingleExecution } from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { cron, rate } from 'single-execution/schedule';
import { describe, expect, test } from 'vitest';
import { operatorLog } from '../../../src/core/observers/operator-log.js';
import { resolvePolicy } from '../../../src/core/options/policy.js';
import { systemClock } from '../../../src/core/values/clock.js';

const SCHEDULE_REMEDY =
  "pass a duration such as '15m', or a schedule such as cron('0 9 * * *') of single-execution/schedule";

const store = memoryStore();
const wrap = (options: object) => withSingleExecution(async () => {}, { name: 'digest', store, ...options });

describe('resolvePolicy', () => {
  test('fills in what is missing', () => {
    expect(resolvePolicy({ store }, [])).toEqual({
      store,
      lockAtMostForMs: undefined,
      lockAtLeastForMs: 0,
      keepAlive: false,
      maxHoldMs: undefined,
      gracePeriodMs: undefined,
      waitMs: 0,
      tickMark: 'success',
      schedule: undefined,
      catchUp: { mode: 'none', withinMs: 86_400_000, max: 24 },
      onError: 'release',
      onStoreError: 'throw',
      offSchedule: 'run',
      maxClockSkewMs: 1_000,
      observers: [operatorLog],
      clock: systemClock,
    });
  });

  test('takes a schedule as it is, and of a rate without a start how far apart its ticks are', () => {
    const [nightly, phased] = [cron('0 2 * * *'), rate('15m', { start: new Date(0) })];

    expect(resolvePolicy({ store, schedule: nightly }, []).schedule).toBe(nightly);
    expect(resolvePolicy({ store, schedule: phased }, []).schedule).toBe(phased);
    expect(resolvePolicy({ store, schedule: rate('15m') }, []).schedule).toMatchObject({ everyMs: 900_000 });
  });

  test('takes what is given, in milliseconds', () => {
    const observer = () => {};
    const options: LockOptions = {
      store,
      lockAtMostFor: '15m',
      lockAtLeastFor: 'PT30S',
      keepAlive: true,
      maxHold: '2h',
      gracePeriod: 0,
      wait: '20s',
      tickMark: 'start',
      schedule: '1h',
      onError: 'hold',
      onStoreError: 'run',
      maxClockSkew: 250,
      observers: [observer],
      clock: systemClock,
    };
    expect(resolvePolicy(options, [])).toEqual({
      store,
      lockAtMostForMs: 900_000,
      lockAtLeastForMs: 30_000,
      keepAlive: true,
      maxHoldMs: 7_200_000,
      gracePeriodMs: 0,
      waitMs: 20_000,
      tickMark: 'start',
      schedule: { everyMs: 3_600_000 },
      catchUp: { mode: 'none', withinMs: 86_400_000, max: 24 },
      onError: 'hold',
      onStoreError: 'run',
      offSchedule: 'run',
      maxClockSkewMs: 250,
      observers: [observer],
      clock: systemClock,
    });
  });

  test('does not change when the options are changed afterwards', () => {
    const observers = [() => {}];
    const policy = resolvePolicy({ store, observers }, []);
    observers.push(() => {});

    expect(policy.observers).toHaveLength(1);
    expect(Object.isFrozen(policy)).toBe(true);
  });

  test('takes a store and a clock that inherit their functions, as instances of a class do', () => {
    const [classStore, clock] = [Object.create(store), Object.create(systemClock)];

    expect(resolvePolicy({ store: classStore, clock }, [])).toMatchObject({ store: classStore, clock });
  });
});

describe('row 14: an invalid option is refused when wrapping, with its name, its value and the remedy', () => {
  test.each<[object, Error]>([
    [
      { store: memoryStore },
      new TypeError('store is a function: pass a store, such as dynamoDBStore({ tableName }), or call it first'),
    ],
    [
      { clock: { now: () => 0, monotonic: () => 0 } },
      new TypeError("clock has no function 'setTimer': pass { now, monotonic, setTimer }"),
    ],
    [{ clock: Date }, new TypeError('clock is a class: pass { now, monotonic, setTimer }')],
    [{ tickMark: 'end' }, new TypeError("tickMark is 'end': choose 'success' or 'start'")],
    [{ onError: 'retry' }, new TypeError("onError is 'retry': choose 'release' or 'hold'")],
    [
      { onError: 'hold' },
      new TypeError("onError is 'hold', but lockAtLeastFor is 0: say how long to hold, or leave onError out"),
    ],
    [
      { offSchedule: 'skip' },
      new TypeError(
        "offSchedule is 'skip', but no schedule says when ticks are due: set schedule, such as cron('0 9 * * *')",
      ),
    ],
    [{ onStoreError: true }, new TypeError("onStoreError is true: choose 'throw' or 'skip' or 'run'")],
    [{ observers: () => {} }, new TypeError('observers is a function: pass an array of functions')],
    [{ observers: [() => {}, 'console'] }, new TypeError('observers is an array: pass an array of functions')],
    [{ lockAtMostFor: 999 }, new RangeError('lockAtMostFor is 999ms: pass 1s to 24h')],
    [
      { lockAtLeastFor: '25h' },
      new RangeError(
        'lockAtLeastFor is 1d1h, longer than the longest lease, 1d: shorten the one or lengthen the other',
      ),
    ],
    [{ schedule: 0 }, new RangeError('schedule is 0: pass the time between two ticks, or leave it out')],
    ...['0 9 * * MON-FRI', 'cron(0 9 * * ? *)', 'rate(5 minutes)'].map((schedule): [object, Error] => [
      { schedule },
      new TypeError(`schedule is '${schedule}': ${SCHEDULE_REMEDY}`),
    ]),
    [{ schedule: {} }, new TypeError(`schedule has no function 'previous': ${SCHEDULE_REMEDY}`)],
    [{ keepAlive: 'yes' }, new TypeError("keepAlive is 'yes': pass true or false")],
    [{ maxHold: 0 }, new RangeError('maxHold is 0: say how long a run may hold its lock, or leave it out')],
    [{ gracePeriod: -1 }, new RangeError('gracePeriod is -1: pass a finite number of milliseconds, 0 or more')],
    [{ wait: Number.NaN }, new RangeError('wait is NaN: pass a finite number of milliseconds, 0 or more')],
    [{ maxClockSkew: -5 }, new RangeError('maxClockSkew is -5: pass a finite number of milliseconds, 0 or more')],
  ])('%o', (options, error) => {
    expect(() => wrap(options)).toThrow(error);
  });

  test('F25 lockAtLeastFor longer than lockAtMostFor, naming both', () => {
    expect(() => wrap({ lockAtLeastFor: '2m', lockAtMostFor: '90s' })).toThrow(
      new RangeError('lockAtLeastFor is 2m, longer than lockAtMostFor, 1m30s: shorten the one or lengthen the other'),
    );
    expect(wrap({ lockAtLeastFor: '90s', lockAtMostFor: '90s' })).toBeTypeOf('function');
  });

  test('F93 a lease longer than a day, with which one crash would stop a job for as long', () => {
    expect(() => wrap({ lockAtMostFor: '24h1s' })).toThrow(new RangeError('lockAtMostFor is 1d1s: pass 1s to 24h'));
    expect(() => wrap({ lockAtMostFor: Number.MAX_VALUE })).toThrow(RangeError);
    expect(wrap({ lockAtMostFor: '24h' })).toBeTypeOf('function');
    expect(wrap({ lockAtMostFor: '1s' })).toBeTypeOf('function');
  });

  test.each(['keepalive', 'maxHoldMs', 'grace', 'waitFor', 'lockAtMostfor', 'ticks', 'deadline', '__proto__x'])(
    "an unknown option '%s', even where it is undefined",
    (option) => {
      expect(() => wrap({ [option]: undefined })).toThrow(
        new TypeError(
          `unknown option '${option}': the options are name, tick, onSkipped, store, lockAtMostFor, lockAtLeastFor, maxHold, gracePeriod, wait, maxClockSkew, tickMark, onError, onStoreError, offSchedule, keepAlive, schedule, catchUp, observers, clock`,
        ),
      );
    },
  );

  test.each<[unknown, string]>([
    [undefined, 'options is undefined: pass an object of options'],
    [null, 'options is null: pass an object of options'],
    ['digest', 'options is a string: pass an object of options'],
  ])('options that are %o', async (options, message) => {
    const given = options as { name: string; store: LockStore };

    expect(() => withSingleExecution(async () => {}, given)).toThrow(new TypeError(message));
    await expect(executeWithLock(() => {}, given)).rejects.toThrow(new TypeError(message));
  });

  test('an onSkipped or tick of executeWithLock, which has no such option', async () => {
    const options = { name: 'digest', store, lockAtMostFor: '1m', onSkipped: 'throw' };

    await expect(executeWithLock(() => {}, options)).rejects.toThrow(
      new TypeError(
        "unknown option 'onSkipped': the options are name, tick, isManual, deadline, signal, lockedBy, store, lockAtMostFor, lockAtLeastFor, maxHold, gracePeriod, wait, maxClockSkew, tickMark, onError, onStoreError, offSchedule, keepAlive, schedule, catchUp, observers, clock",
      ),
    );
  });
});
