import { Duration } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { type LockAlarmsOptions, LockTable, SingleExecution } from 'single-execution/cdk';
import { describe, expect, test } from 'vitest';
import { appStack } from './synthesised.js';

describe('row 77: a function in another language writes no metric of runs', () => {
  const of = (runtime: Runtime, alarms: LockAlarmsOptions = {}) => {
    const stack = appStack();
    const fn = new LambdaFunction(stack, 'Mine', {
      runtime,
      handler: 'mine.handler',
      code: Code.fromBucket(Bucket.fromBucketName(stack, 'Code', 'code'), 'mine.zip'),
    });
    const lockTable = new LockTable(stack, 'Locks');
    const schedules = [{ schedule: ScheduleExpression.rate(Duration.hours(1)) }];
    const { alarms: made } = SingleExecution.attach(fn, { lockTable, lockNames: ['mine'], schedules, alarms });
    const warnings = Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('runs on'));
    return {
      didNotRun: made.of('didNotRun').length,
      notTriggered: made.of('notTriggered').length,
      warnings: warnings.length,
    };
  };

  test.each([Runtime.PYTHON_3_13, Runtime.JAVA_21, Runtime.DOTNET_8, Runtime.RUBY_3_3])(
    'row 77: $name has no DidNotRun, and synthesis warns',
    (runtime) => {
      expect(of(runtime)).toEqual({ didNotRun: 0, notTriggered: 1, warnings: 1 });
    },
  );

  test.each([Runtime.NODEJS_22_X, Runtime.PROVIDED_AL2023])('row 77: $name has one', (runtime) => {
    expect(of(runtime)).toEqual({ didNotRun: 1, notTriggered: 1, warnings: 0 });
  });

  test('row 77: Python has one if it is asked for', () => {
    expect(of(Runtime.PYTHON_3_13, { didNotRun: {} })).toMatchObject({ didNotRun: 1, warnings: 0 });
  });
});
