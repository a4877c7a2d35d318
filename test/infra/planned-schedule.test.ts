import { Duration } from 'aws-cdk-lib';
import { ScheduleExpression, TimeWindow } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { describe, expect, test } from 'vitest';
import type { LockSchedule } from '../../infra/constructs/lock-schedule.js';
import { planSchedules, sharedLockWarnings } from '../../infra/constructs/planned-schedule.js';
import { appStack } from './synthesised.js';

const schedule = ScheduleExpression.rate(Duration.minutes(15));
/** The plan for schedules of these locks, in this order. */
const planOf = (...lockNames: string[]) =>
  planSchedules(
    lockNames.map((lockName) => ({ schedule, lockName })),
    [...new Set(lockNames)],
    '',
  );
const names = (lockNames: readonly string[], ...schedules: Omit<LockSchedule, 'schedule'>[]) =>
  planSchedules(
    schedules.map((options) => ({ schedule, ...options })),
    lockNames,
    '',
  ).map(({ lockName }) => lockName);

describe('row 75: the lock of a schedule', () => {
  test('row 75: is the one that the function takes', () => {
    expect(names(['digest'], {})).toEqual(['digest']);
  });

  test('row 75: is the one that it names, of several or of a prefix', () => {
    const schedules = ['digest', 'tenant/acme', 'tenant/globex'].map((lockName) => ({ lockName }));

    expect(names(['digest', 'tenant/*'], ...schedules)).toEqual(['digest', 'tenant/acme', 'tenant/globex']);
  });

  test.each<[string, readonly string[], string]>([
    ['several locks', ['digest', 'report'], 'digest, report'],
    ['a prefix', ['tenant/*'], 'tenant/*'],
  ])('row 75: must be named when the function takes %s', (_, lockNames, list) => {
    expect(() => names(lockNames, {})).toThrow(
      new TypeError(
        `schedule rate(15 minutes) names no lock, and lockNames is [${list}]: set lockName to the one that its runs take`,
      ),
    );
  });

  test.each<[string, string]>([
    ['another', 'report'],
    ['one that begins like an allowed one', 'digest2'],
    ['one of another prefix', 'tenants/acme'],
    ['the prefix itself', 'tenant/*'],
  ])('row 76: cannot be one that the function may not take: %s', (_, lockName) => {
    expect(() => names(['digest', 'tenant/*'], { lockName })).toThrow(
      new TypeError(
        `lockName of schedule rate(15 minutes) is '${lockName}': pass one name that lockNames [digest, tenant/*] allows`,
      ),
    );
  });

  test('row 75: is checked like any lock name, the key prefix included', () => {
    const plan = () => planSchedules([{ schedule }], ['x'.repeat(124)], 'lock#');

    expect(plan).toThrow('129 bytes in UTF-8; shorten it to at most 128, the prefix included');
  });
});

describe('row 75: a planned schedule', () => {
  test('row 75: has what it was given, and its gaps, its time window included', () => {
    const timeWindow = TimeWindow.flexible(Duration.minutes(5));
    const options = { schedule, via: 'scheduler', detail: { tenant: 'acme' }, timeWindow } as const;

    expect(planSchedules([options], ['digest'], '')).toEqual([
      {
        ...options,
        enabled: true,
        id: 'digest',
        lockName: 'digest',
        gaps: { shortestMs: 600_000, longestMs: 1_200_000 },
      },
    ]);
  });

  test('row 75: is distinguished from others of its lock by a number', () => {
    const plan = planOf('digest', 'report', 'digest', 'digest', 'report');

    expect(plan.map(({ id }) => id)).toEqual(['digest', 'report', 'digest:2', 'digest:3', 'report:2']);
  });

  test("row 75: is not taken for another lock's, whose name looks like its number or like CDK's paths", () => {
    const plan = planOf('digest', 'digest', 'digest:2', 'a/b', 'a--b');
    const scope = appStack();

    for (const { id } of plan) new Construct(scope, `Schedule:${id}`);
    expect(plan.map(({ id }) => id)).toEqual(['digest', 'digest:2', 'digest%3A2', 'a%2Fb', 'a--b']);
  });

  test('row 75: is wanted', () => {
    expect(() => names(['digest'])).toThrow(new TypeError('schedules is empty: pass at least one'));
  });
});

test('row 75: several schedules on one lock are warned of, and each by itself is not', () => {
  expect(sharedLockWarnings(planOf('digest', 'report', 'digest'))).toEqual([
    expect.stringMatching(/^lock "digest" has rate\(15 minutes\) and rate\(15 minutes\): only one of the ticks/),
  ]);
});

test.each([
  [{}, true],
  [{ enabled: true }, true],
  [{ enabled: false }, false],
])('a schedule with %j is planned as enabled: %s, for its alarms', (options, enabled) => {
  expect(planSchedules([{ schedule, ...options }], ['digest'], '')).toMatchObject([{ enabled }]);
});
