import { Code, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import type { LockAlarmsOptions } from 'single-execution/cdk';
import { expect, test } from 'vitest';
import { attached, ownFunction } from './digest.js';
import { appStack, warningsOf } from './synthesised.js';

test.each<[Runtime, LockAlarmsOptions, { didNotRun: number; warnings: number }]>([
  ...[Runtime.PYTHON_3_13, Runtime.JAVA_21, Runtime.DOTNET_8, Runtime.RUBY_3_3].map(
    (runtime): [Runtime, object, { didNotRun: number; warnings: number }] => [
      runtime,
      {},
      { didNotRun: 0, warnings: 1 },
    ],
  ),
  [Runtime.NODEJS_22_X, {}, { didNotRun: 1, warnings: 0 }],
  [Runtime.PROVIDED_AL2023, {}, { didNotRun: 1, warnings: 0 }],
  [Runtime.PYTHON_3_13, { didNotRun: {} }, { didNotRun: 1, warnings: 0 }],
])('row 77: $0.name, which may write no metric of runs, with %j has $2', (runtime, options, expected) => {
  const stack = appStack();
  const code = Code.fromBucket(Bucket.fromBucketName(stack, 'Code', 'code'), 'mine.zip');
  const { alarms } = attached(ownFunction(stack, 'Mine', { runtime, code }), { alarms: options });

  expect({ didNotRun: alarms.of('didNotRun').length, warnings: warningsOf(stack, 'runs on').length }).toEqual(expected);
  expect(alarms.of('notTriggered')).toHaveLength(1);
});
