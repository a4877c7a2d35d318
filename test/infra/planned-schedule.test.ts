import { Duration } from 'aws-cdk-lib';
import { ScheduleExpression, TimeWindow } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { describe, expect, test } from 'vitest';
import type { LockSchedule } from '../../infra/constructs/lock-schedule.js';
import { planSchedules, sharedLockWarnings } from '../../infra/constructs/planned-schedule.js';
import { appStack } from './synthesised.js';

const schedule = ScheduleExpression.rate(Duration.minutes(15));
/** The plan of a function that takes these locks, for schedules with these options. */
const planOf = (lockNames: readonly string[], ...options: Omit<LockSchedule, 'schedule'>[]) =>
  planSchedules(
    options.map((own) => ({ schedule, ...own })),
    lockNames,
    '',
  );
/** The plan for schedules of these locks, in this order. */
const planFor = (...lockNames: string[]) =>
  planOf([...new Set(lockNames)], ...lockNames.map((lockName) => ({ lockName })));

describe('row 75: the lock of a schedule', () => {
  test('is the one that the function takes, or the one that it names, of several or of a prefix', () => {
    const named = ['digest', 'tenant/acme', 'tenant/globex'].map((lockName) => ({ lockName }));

    expect(planOf(['digest'], {})).toMatchObject([{ lockName: 'digest' }]);
    expect(planOf(['digest', 'tenant/*'], ...named)).toMatchObject(named);
  });

  test.each([[['digest', 'report']], [['tenant/*']]])('must be named when the function takes %j', (lockNames) => {
    expect(() => planOf(lockNames, {})).toThrow(
      new TypeError(
        `schedule rate(15 minutes) names no lock, and lockNames is [${lockNames.join(', ')}]: set lockName to the one that its runs take`,
      ),
    );
  });

  test.each(['report', 'digest2', 'tenants/acme', 'tenant/*'])(
    'row 76: cannot be %s, which the function may not take',
    (lockName) => {
      expect(() => planOf(['digest', 'tenant/*'], { lockName })).toThrow(
        new TypeError(
          `lockName of schedule rate(15 minutes) is '${lockName}': pass one name that lockNames [digest, tenant/*] allows`,
        ),
      );
    },
  );

  test('is checked like any lock name, the key prefix included', () => {
    const plan = () => planSchedules([{ schedule }], ['x'.repeat(124)], 'lock#');

    expect(plan).toThrow('129 bytes in UTF-8; shorten it to at most 128, the prefix included');
  });
});

describe('row 75: a planned schedule', () => {
  test('has what it was given, and its gaps, its time window included', () => {
    const timeWindow = TimeWindow.flexible(Duration.minutes(5));
    const options = { via: 'scheduler', detail: { tenant: 'acme' }, timeWindow, enabled: false } as const;
    const gaps = { shortestMs: 600_000, longestMs: 1_200_000 };

    expect(planOf(['digest'], options)).toEqual([{ schedule, ...options, id: 'digest', lockName: 'digest', gaps }]);
    expect(planOf(['digest'], {})).toMatchObject([{ enabled: true }]);
  });

  test("is distinguished from others of its lock by a number, and not taken for another lock's", () => {
    const idsOf = (...lockNames: string[]) => planFor(...lockNames).map(({ id }) => id);
    // Locks whose names look like such a number, and like CDK's paths.
    const ids = idsOf('digest', 'digest', 'digest:2', 'a/b', 'a--b');
    const scope = appStack();
    for (const id of ids) new Construct(scope, `Schedule:${id}`);

    expect(ids).toEqual(['digest', 'digest:2', 'digest%3A2', 'a%2Fb', 'a--b']);
    expect(idsOf('digest', 'report', 'digest', 'digest', 'report')).toEqual([
      ...['digest', 'report', 'digest:2', 'digest:3', 'report:2'],
    ]);
  });

  test('is wanted', () => {
    expect(() => planOf(['digest'])).toThrow(new TypeError('schedules is empty: pass at least one'));
  });
});

test('row 75: several schedules on one lock are warned of, and each by itself is not', () => {
  expect(sharedLockWarnings(planFor('digest', 'report', 'digest'))).toEqual([
    expect.stringMatching(/^lock "digest" has rate\(15 minutes\) and rate\(15 minutes\): only one of the ticks/),
  ]);
});
