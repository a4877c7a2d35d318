import { Duration } from 'aws-cdk-lib';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import fc from 'fast-check';
import { withSingleExecution } from 'single-execution';
import type { SingleExecutionFunctionProps } from 'single-execution/cdk';
import { memoryStore } from 'single-execution/memory';
import { lambdaContext, manualClock, scheduledEvent } from 'single-execution/testing';
import { expect, test, vi } from 'vitest';
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
import { warningsOf } from './synthesised.js';

const timeout = Duration.minutes(1);
const { minutes, millis, seconds, hours } = Duration;
const everyFive = ScheduleExpression.rate(minutes(5));
const SHORT_LEASE =
  "lockAtMostFor is 1 minute 606 millis, too short for the function's timeout of 1 minute: a holder stops 1 % of the lease before its end, so that a longer run loses its lock; raise it to at least 1 minute 1 second, or leave it out";
const LOCKED_RETRY =
  "a run that is killed at its timeout of 1 minute keeps its lock for up to 10 minutes 3 seconds, and Lambda's retry comes after 2 minutes: it would be skipped as locked, and the tick lost; lower lockAtMostFor and lockAtLeastFor below that, or raise the timeout";
const longest = (option: string) => `${option} is 1 day 1 hour: the library takes 24 hours at most`;

test.each<[string, Omit<LockTimes, 'timeout'>, string?]>([
  ['are left to the library', {}],
  ['have a lease as long as the timeout and what a holder leaves of it', { lockAtMostFor: millis(60_607) }],
  ['have a least time as long as the lease', { lockAtMostFor: minutes(2), lockAtLeastFor: minutes(2) }],
  ['have a least time beyond the timeout, which the default lease covers', { lockAtLeastFor: minutes(5) }],
  ['have a lease that ends before the timeout', { lockAtMostFor: millis(60_606) }, SHORT_LEASE],
  [
    'have a least time beyond the lease',
    { lockAtMostFor: minutes(2), lockAtLeastFor: millis(120_001) },
    'lockAtLeastFor is 2 minutes 1 milli, longer than lockAtMostFor of 2 minutes: lower it, or raise lockAtMostFor',
  ],
  ['have a lease that the library refuses', { lockAtMostFor: hours(25) }, longest('lockAtMostFor')],
  ['have a least time that the library refuses', { lockAtLeastFor: hours(25) }, longest('lockAtLeastFor')],
])('row 14: the times of a lock %s', (_, times, message) => {
  const check = () => checkLockTimes({ ...times, timeout });

  if (message === undefined) expect(check).not.toThrow();
  else expect(check).toThrow(new RangeError(message));
});

const once = ScheduleExpression.at(new Date('2027-01-01T02:00:00Z'));
const twice = ScheduleExpression.cron({ minute: '0,10', hour: '2' });

test.each<[string, ScheduleExpression, Duration | undefined, string?]>([
  ['of nothing', everyFive, undefined],
  ['that is over before the next tick', everyFive, millis(299_999)],
  ['of a schedule that fires once', once, Duration.days(1)],
  ['as long as the period', everyFive, minutes(5), '5 minutes, and rate(5 minutes) can be due again after 5 minutes'],
  [
    'as long as the shortest of its periods',
    twice,
    minutes(10),
    '10 minutes, and cron(0,10 2 * * ? *) can be due again after 10 minutes',
  ],
])('row 14: a least time %s', (_, schedule, lockAtLeastFor, refused) => {
  const check = () => checkLockAtLeastFor(lockAtLeastFor, { schedule, gaps: runGaps(schedule) });

  if (refused === undefined) expect(check).not.toThrow();
  else
    expect(check).toThrow(
      new RangeError(`lockAtLeastFor is ${refused}: that tick would be skipped; lower lockAtLeastFor`),
    );
});

test.each<[string, LockTimes, number, string | undefined]>([
  ['with the default lease', { timeout }, 60_000, undefined],
  [
    'with a lease that ends, takeover included, as the retry comes',
    { timeout, lockAtMostFor: seconds(117) },
    60_000,
    undefined,
  ],
  ['with a least time that does', { timeout, lockAtLeastFor: seconds(117) }, 60_000, undefined],
  ['with a lease that outlasts the wait', { timeout, lockAtMostFor: minutes(10) }, 60_000, LOCKED_RETRY],
  ['with a least time that does', { timeout, lockAtLeastFor: minutes(10) }, 60_000, LOCKED_RETRY],
  [
    'a millisecond too long',
    { timeout: minutes(5), lockAtMostFor: millis(417_001) },
    120_000,
    "a run that is killed at its timeout of 5 minutes keeps its lock for up to 7 minutes 1 milli, and Lambda's retry comes after 7 minutes: it would be skipped as locked, and the tick lost; lower lockAtMostFor and lockAtLeastFor below that, or raise the timeout",
  ],
])(
  'row 79: the lock of a run that is killed, %s, is over when Lambda tries again, or a warning says so',
  (_, times, delayMs, warning) => {
    expect(lockedRetry(times, delayMs)).toBe(warning);
  },
);

test.each<[Duration | undefined, string | undefined]>([
  [undefined, undefined],
  [minutes(4), undefined],
  [
    seconds(241),
    'lockAtLeastFor is 4 minutes 1 second: EventBridge can be a minute late, and a late tick would then hold the lock when the next of rate(5 minutes) comes, which is skipped; leave a minute between',
  ],
])(
  'row 79: a tick that is sent a minute late leaves a minute with a least time of %s, or a warning says so',
  (least, warning) => {
    expect(lateTickIsInTheWay(least, { schedule: everyFive, gaps: runGaps(everyFive) })).toBe(warning);
  },
);

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

test('rows 14 and 79: a function is refused, or warned of, with such times', () => {
  const warnings = (props: Partial<SingleExecutionFunctionProps>) => warningsOf(digest(props).stack);
  const schedules = [{ schedule: ScheduleExpression.rate(Duration.days(1)) }, { schedule: everyFive }];

  expect(() => digest({ lockAtMostFor: millis(60_606) })).toThrow(new RangeError(SHORT_LEASE));
  // One of the schedules suits the least time, and the other does not.
  expect(() => digest({ lockAtLeastFor: minutes(6), schedules })).toThrow('rate(5 minutes) can be due again after');
  expect(warnings({ lockAtLeastFor: seconds(241), schedules: [{ schedule: everyFive }] })).toContainEqual(
    expect.stringContaining('leave a minute between'),
  );
  expect(warnings({ lockAtMostFor: minutes(10) })).toEqual([`${LOCKED_RETRY} [ack: single-execution:locked-retry]`]);
  expect(warnings({ lockAtMostFor: minutes(10), retryAttempts: 0 })).toEqual([]);
  expect(warnings({})).toEqual([]);
});
