import { Duration } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import fc from 'fast-check';
import { withSingleExecution } from 'single-execution';
import type { SingleExecutionFunctionProps } from 'single-execution/cdk';
import { memoryStore } from 'single-execution/memory';
import { lambdaContext, manualClock, scheduledEvent } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import {
  checkLockAtLeastFor,
  checkLockTimes,
  type LockTimes,
  lateTickIsInTheWay,
  lockedRetry,
} from '../../infra/constructs/lock-times.js';
import { runGaps } from '../../infra/constructs/run-gaps.js';
import { guardMs } from '../../src/core/values/lease.js';
import { digest } from './digest.js';

const timeout = Duration.minutes(1);
const twoMinutes = Duration.minutes(2);
const everyFive = ScheduleExpression.rate(Duration.minutes(5));
const SHORT_LEASE =
  "lockAtMostFor is 1 minute 606 millis, too short for the function's timeout of 1 minute: a holder stops 1 % of the lease before its end, so that a longer run loses its lock; raise it to at least 1 minute 1 second, or leave it out";

describe('row 14: the times of a lock', () => {
  test.each<[string, Omit<LockTimes, 'timeout'>]>([
    ['are left to the library', {}],
    ['have a lease as long as the timeout and what a holder leaves of it', { lockAtMostFor: Duration.millis(60_607) }],
    ['have a least time as long as the lease', { lockAtMostFor: twoMinutes, lockAtLeastFor: twoMinutes }],
    ['have a least time beyond the timeout, which the default lease covers', { lockAtLeastFor: Duration.minutes(5) }],
  ])('row 14: %s', (_, times) => {
    expect(() => checkLockTimes({ ...times, timeout })).not.toThrow();
  });

  const longest = (option: string) => `${option} is 1 day 1 hour: the library takes 24 hours at most`;

  test.each<[string, Omit<LockTimes, 'timeout'>, string]>([
    ['a lease that ends before the timeout', { lockAtMostFor: Duration.millis(60_606) }, SHORT_LEASE],
    [
      'a least time beyond the lease',
      { lockAtMostFor: Duration.minutes(2), lockAtLeastFor: Duration.millis(120_001) },
      'lockAtLeastFor is 2 minutes 1 milli, longer than lockAtMostFor of 2 minutes: lower it, or raise lockAtMostFor',
    ],
    ['a lease that the library refuses', { lockAtMostFor: Duration.hours(25) }, longest('lockAtMostFor')],
    ['a least time that the library refuses', { lockAtLeastFor: Duration.hours(25) }, longest('lockAtLeastFor')],
  ])('row 14: refuse %s', (_, times, message) => {
    expect(() => checkLockTimes({ ...times, timeout })).toThrow(new RangeError(message));
  });
});

describe('row 14: a least time', () => {
  const check = (schedule: ScheduleExpression, lockAtLeastFor?: Duration) => () =>
    checkLockAtLeastFor(lockAtLeastFor, { schedule, gaps: runGaps(schedule) });

  test.each<[string, ScheduleExpression, Duration | undefined]>([
    ['that is over before the next tick', everyFive, Duration.millis(299_999)],
    ['of nothing', everyFive, undefined],
    ['of a schedule that fires once', ScheduleExpression.at(new Date('2027-01-01T02:00:00Z')), Duration.days(1)],
  ])('row 14: %s is fine', (_, schedule, lockAtLeastFor) => {
    expect(check(schedule, lockAtLeastFor)).not.toThrow();
  });

  test.each<[string, ScheduleExpression, Duration, string]>([
    [
      'the period',
      everyFive,
      Duration.minutes(5),
      'lockAtLeastFor is 5 minutes, and rate(5 minutes) can be due again after 5 minutes: that tick would be skipped; lower lockAtLeastFor',
    ],
    [
      'the shortest of its periods',
      ScheduleExpression.cron({ minute: '0,10', hour: '2' }),
      Duration.minutes(10),
      'lockAtLeastFor is 10 minutes, and cron(0,10 2 * * ? *) can be due again after 10 minutes: that tick would be skipped; lower lockAtLeastFor',
    ],
  ])('row 14: as long as %s is refused', (_, schedule, lockAtLeastFor, message) => {
    expect(check(schedule, lockAtLeastFor)).toThrow(new RangeError(message));
  });
});

const LOCKED_RETRY =
  "a run that is killed at its timeout of 1 minute keeps its lock for up to 10 minutes 3 seconds, and Lambda's retry comes after 2 minutes: it would be skipped as locked, and the tick lost; lower lockAtMostFor and lockAtLeastFor below that, or raise the timeout";

describe('row 79: the lock of a run that is killed', () => {
  test.each<[string, Omit<LockTimes, 'timeout'>]>([
    ['with the default lease', {}],
    ['with a lease that ends, takeover included, as the retry comes', { lockAtMostFor: Duration.seconds(117) }],
    ['with a least time that does', { lockAtLeastFor: Duration.seconds(117) }],
  ])('row 79: %s is over when Lambda tries again', (_, times) => {
    expect(lockedRetry({ ...times, timeout }, 60_000)).toBeUndefined();
  });

  test.each<[string, LockTimes, number, string]>([
    ['the lease', { timeout, lockAtMostFor: Duration.minutes(10) }, 60_000, LOCKED_RETRY],
    ['the least time', { timeout, lockAtLeastFor: Duration.minutes(10) }, 60_000, LOCKED_RETRY],
    [
      'a millisecond',
      { timeout: Duration.minutes(5), lockAtMostFor: Duration.millis(417_001) },
      120_000,
      "a run that is killed at its timeout of 5 minutes keeps its lock for up to 7 minutes 1 milli, and Lambda's retry comes after 7 minutes: it would be skipped as locked, and the tick lost; lower lockAtMostFor and lockAtLeastFor below that, or raise the timeout",
    ],
  ])('row 79: outlasts the wait for the retry by %s, and a warning says so', (_, times, delayMs, warning) => {
    expect(lockedRetry(times, delayMs)).toBe(warning);
  });
});

describe('row 79: a tick that is sent a minute late', () => {
  const warning = (lockAtLeastFor?: Duration) =>
    lateTickIsInTheWay(lockAtLeastFor, { schedule: everyFive, gaps: runGaps(everyFive) });

  test('row 79: is over when the next comes, with a least time that leaves a minute', () => {
    expect(warning()).toBeUndefined();
    expect(warning(Duration.minutes(4))).toBeUndefined();
  });

  test('row 79: is in the way of the next, and a warning says so', () => {
    expect(warning(Duration.seconds(241))).toBe(
      'lockAtLeastFor is 4 minutes 1 second: EventBridge can be a minute late, and a late tick would then hold the lock when the next of rate(5 minutes) comes, which is skipped; leave a minute between',
    );
  });
});

test('row 14: a lease leaves a holder its timeout, as the library counts its deadline', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 900 }), fc.integer({ min: 1_000, max: 1_000_000 }), (seconds, leaseMs) => {
      const usableMs = leaseMs - guardMs(leaseMs);
      const check = () =>
        checkLockTimes({ timeout: Duration.seconds(seconds), lockAtMostFor: Duration.millis(leaseMs) });

      if (usableMs < seconds * 1_000 - 1) expect(check).toThrow('too short');
      if (usableMs > seconds * 1_000 + 1) expect(check).not.toThrow();
    }),
  );
});

test('row 14: the longest lease is the one that the library takes', () => {
  const here = (ms: number) => () => checkLockTimes({ timeout, lockAtMostFor: Duration.millis(ms) });
  const there = (lockAtMostFor: number) => () =>
    withSingleExecution(async () => {}, { name: 'digest', store: memoryStore(), lockAtMostFor });

  for (const made of [here, there]) {
    expect(made(86_400_000)).not.toThrow();
    expect(made(86_400_001)).toThrow(RangeError);
  }
});

test('row 79: the default lease is the one that the library claims', async () => {
  const clock = manualClock();
  const store = memoryStore();
  const acquire = vi.spyOn(store, 'acquire');
  const handler = withSingleExecution(async () => {}, { name: 'digest', store, clock });
  await handler(scheduledEvent(), lambdaContext({ clock, remainingMs: timeout.toMilliseconds() }) as never);
  const [[{ leaseMs }] = [{ leaseMs: 0 }], ...others] = acquire.mock.calls;
  const lease = { timeout, lockAtMostFor: Duration.millis(leaseMs) };
  // The lease and its takeover end just before a retry after 5,000 ms. A retry a millisecond earlier is refused.
  const fits = (times: LockTimes) => [4_999, 5_000].map((delayMs) => lockedRetry(times, delayMs) === undefined);

  expect(others).toEqual([]);
  expect(fits(lease)).toEqual([false, true]);
  expect(fits({ timeout })).toEqual(fits(lease));
});

describe('the function', () => {
  const warnings = (props: Partial<SingleExecutionFunctionProps>) =>
    Annotations.fromStack(digest(props).stack)
      .findWarning('/Jobs/Digest', Match.anyValue())
      .map(({ entry }) => entry.data);

  test('row 79: warns of a late tick in the way of the next', () => {
    const props = { lockAtLeastFor: Duration.seconds(241), schedules: [{ schedule: everyFive }] };

    expect(warnings(props)).toContainEqual(expect.stringContaining('leave a minute between'));
  });

  test('row 14: refuses a lease shorter than its default timeout', () => {
    expect(() => digest({ lockAtMostFor: Duration.millis(60_606) })).toThrow(new RangeError(SHORT_LEASE));
  });

  test('row 14: refuses a least time that one of its schedules suits, and another does not', () => {
    const schedules = [{ schedule: ScheduleExpression.rate(Duration.days(1)) }, { schedule: everyFive }];

    expect(() => digest({ lockAtLeastFor: Duration.minutes(6), schedules })).toThrow(
      new RangeError(
        'lockAtLeastFor is 6 minutes, and rate(5 minutes) can be due again after 5 minutes: that tick would be skipped; lower lockAtLeastFor',
      ),
    );
  });

  test('row 79: warns of a lease that would have its retry skipped, unless it has none', () => {
    const lockAtMostFor = Duration.minutes(10);

    expect(warnings({ lockAtMostFor })).toEqual([`${LOCKED_RETRY} [ack: single-execution:locked-retry]`]);
    expect(warnings({ lockAtMostFor, retryAttempts: 0 })).toEqual([]);
    expect(warnings({})).toEqual([]);
  });
});
