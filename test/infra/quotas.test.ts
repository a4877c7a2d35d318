import { Duration } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import {
  type LockSchedule,
  LockTable,
  SingleExecutionFunction,
  type SingleExecutionFunctionProps,
} from 'single-execution/cdk';
import { expect, test } from 'vitest';
import { digest, HANDLER } from './digest.js';
import { exceeded, type Usage, usageOf } from './quotas.js';
import { appStack, templateOf } from './synthesised.js';

const COUNTS = [1, 7, 20, 121];
const hourly = ScheduleExpression.rate(Duration.hours(1));

type Job = Pick<SingleExecutionFunctionProps, 'lockNames' | 'schedules'>;

/** Jobs with `count` locks, in the ways in which users name locks. */
const JOBS: Readonly<Record<string, (count: number) => Job>> = {
  'locks by their whole names': (count) => jobOf(count, {}),
  'locks by their whole names, by rules': (count) => jobOf(count, { via: 'rule' }),
  'locks of one prefix': (count) => ({ ...jobOf(count, {}), lockNames: ['billing/*'] }),
  'locks of one prefix, by rules': (count) => ({ ...jobOf(count, { via: 'rule' }), lockNames: ['billing/*'] }),
};

function jobOf(count: number, options: Partial<LockSchedule>, names?: readonly string[]): Job {
  const lockNames = names ?? Array.from({ length: count }, (_, n) => `billing/customer-invoices-${n + 1}`);
  return { lockNames, schedules: lockNames.map((lockName) => ({ schedule: hourly, lockName, ...options })) };
}

function usageOfJob(job: Job): Usage {
  const usage = usageOf(templateOf(digest(job).stack), 'Jobs');
  if (process.env['QUOTAS'] === 'show') process.stdout.write(`${job.schedules.length} ${JSON.stringify(usage)}\n`);
  return usage;
}

test.each(Object.entries(JOBS).flatMap(([what, job]) => COUNTS.map((count) => [count, what, job] as const)))(
  'row 75: a stack of %d %s is within the quotas of AWS',
  (count, _, job) => {
    expect(exceeded(usageOfJob(job(count)))).toEqual([]);
  },
);

test('row 75: a stack of 20 functions with a rule each and one queue is within the quotas of AWS', () => {
  const stack = appStack();
  const lockTable = new LockTable(stack, 'Locks');
  const deadLetterQueue = new Queue(stack, 'DeadLetters', { enforceSSL: true });
  for (let n = 1; n <= 20; n += 1) {
    const job = jobOf(0, { via: 'rule' }, [`job-${n}`]);
    new SingleExecutionFunction(stack, `Job${n}`, { entry: HANDLER, lockTable, deadLetterQueue, ...job });
  }

  expect(exceeded(usageOf(templateOf(stack), 'Jobs'))).toEqual([]);
});

test('row 75: one lock more than fits is refused with the resources that are too many', () => {
  const { stack } = digest(jobOf(122, {}));

  expect(() => templateOf(stack)).toThrow('is greater than allowed maximum of 500');
});

test('row 75: names that IAM would not take in a policy are refused, and the longest that it takes are within it', () => {
  const named = (count: number, length: number) =>
    jobOf(
      0,
      {},
      Array.from({ length: count }, (_, n) => `${n}`.padStart(length, 'x')),
    );

  expect(exceeded(usageOfJob(named(63, 120)))).toEqual([]);
  expect(() => digest(named(121, 120))).toThrow(
    new RangeError(
      "lockNames has 121 names, and their list takes 14884 characters of the role's policy, of which IAM takes 10,240: name them by a prefix, such as 'tenant/*', or move some to another function",
    ),
  );
});

test('row 75: prefixes that Lambda would not take in an environment are refused', () => {
  const prefixes = Array.from({ length: 40 }, (_, n) => `${n}`.padStart(100, 'x').concat('*'));
  const schedules = [{ schedule: hourly, lockName: prefixes[0]?.slice(0, -1) as string }];

  expect(() => digest({ lockNames: prefixes, schedules })).toThrow(
    /^the prefixes of lockNames make an environment of 4\d{3} bytes, and Lambda takes 4096: pass fewer/,
  );
});

test('row 75: synthesis warns of more rules than a bus takes by default', () => {
  const job = { ...jobOf(301, { via: 'rule' }), lockNames: ['billing/*'] };
  const { stack } = digest({ ...job, alarms: false });

  expect(
    Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('^301 schedules are rules')),
  ).toHaveLength(1);
});
