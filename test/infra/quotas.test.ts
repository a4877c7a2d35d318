import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { LockSchedule, SingleExecutionFunctionProps } from 'single-execution/cdk';
import { describe, expect, test } from 'vitest';
import { digest, nightly } from './digest.js';
import { exceeded, usageOf } from './quotas.js';
import { appStack, templateOf, warningsOf } from './synthesised.js';

type Job = Pick<SingleExecutionFunctionProps, 'lockNames' | 'schedules'>;

/** A job with these locks, by their whole names. Each has a schedule of its own, which alarms describe. */
const jobOf = (lockNames: readonly string[], options: Partial<LockSchedule> = {}): Job => ({
  lockNames,
  schedules: lockNames.map((lockName, n) => {
    const schedule = ScheduleExpression.cron({ minute: `${n % 60}`, hour: `${Math.floor(n / 60)}` });
    return { schedule, lockName, ...options };
  }),
});
const invoices = (count: number) => Array.from({ length: count }, (_, n) => `billing/customer-invoices-${n + 1}`);

/** The quotas that a stack of one job exceeds. */
const excess = (job: Job) => exceeded(usageOf(templateOf(digest(job).stack), 'Jobs'));

describe.each(['scheduler', 'rule'] as const)('row 75: a stack of locks via %s is within the quotas of AWS', (via) => {
  test.each([1, 7, 20, 121])('with %d locks', (count) => {
    const job = jobOf(invoices(count), { via });

    expect(excess(job)).toEqual([]);
    expect(excess({ ...job, lockNames: ['billing/*'] })).toEqual([]);
  });
});

test('row 75: a stack of 20 functions with a rule each and one queue is within the quotas of AWS', () => {
  const stack = appStack();
  const deadLetterQueue = new Queue(stack, 'DeadLetters', { enforceSSL: true });
  for (let n = 1; n <= 20; n += 1)
    digest({ ...jobOf([`job-${n}`], { via: 'rule' }), deadLetterQueue }, stack, `Job${n}`);

  expect(exceeded(usageOf(templateOf(stack), 'Jobs'))).toEqual([]);
});

test('row 75: one lock more than fits is refused with the resources that are too many', () => {
  const { stack } = digest(jobOf(invoices(122)));

  expect(() => templateOf(stack)).toThrow('is greater than allowed maximum of 500');
});

test('row 75: names that IAM would not take in a policy are refused, and the longest that it takes are within it', () => {
  const named = (count: number) => jobOf(Array.from({ length: count }, (_, n) => `${n}`.padStart(120, 'x')));

  expect(excess(named(63))).toEqual([]);
  expect(() => digest(named(121))).toThrow(
    new RangeError(
      "lockNames has 121 names, and their list takes 14884 characters of the role's policy, of which IAM takes 10,240: name them by a prefix, such as 'tenant/*', or move some to another function",
    ),
  );
});

test('row 75: prefixes that Lambda would not take in an environment are refused', () => {
  const prefixes = Array.from({ length: 40 }, (_, n) => `${n}`.padStart(100, 'x').concat('*'));
  const schedules = [{ schedule: nightly, lockName: prefixes[0]?.slice(0, -1) as string }];

  expect(() => digest({ lockNames: prefixes, schedules })).toThrow(
    /^the prefixes of lockNames make an environment of 4\d{3} bytes, and Lambda takes 4096: pass fewer/,
  );
});

test('row 75: synthesis warns of more rules than a bus takes by default', () => {
  const { stack } = digest({ ...jobOf(invoices(301), { via: 'rule' }), lockNames: ['billing/*'], alarms: false });

  expect(warningsOf(stack, '^301 schedules are rules')).toHaveLength(1);
});
