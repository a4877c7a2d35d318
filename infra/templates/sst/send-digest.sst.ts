/// <reference path="./.sst/platform/config.d.ts" />

// A nightly job under a lock: a lock table, a function that may use its own lock only, a schedule with retries, dead
// letters, a log and alarms. single-execution's CDK construct makes the same resources for this job.
const job = {
  // The name of the lock, as the handler gives it to withSingleExecution.
  name: 'send-digest',
  // The retries and the NotTriggered alarm below are for one tick a day: if you change the schedule, change them too.
  schedule: 'cron(0 2 * * ? *)',
  timeZone: 'Etc/UTC',
  // DidNotRun goes off after a run and its retries: if you change the timeout, change that alarm's periods too.
  timeoutSeconds: 300,
};
const namespace = `SingleExecution/${$app.name}-${$app.stage}`;
const account = aws.getCallerIdentityOutput().accountId;
const region = aws.getRegionOutput().id;
const partition = aws.getPartitionOutput().partition;

const locks = new sst.aws.Dynamo('SendDigestLocks', {
  // No ttl: an expired lock still says which ticks are done.
  fields: { lockName: 'string' },
  primaryIndex: { hashKey: 'lockName' },
  transform: {
    table(args, options) {
      args.billingMode = 'PAY_PER_REQUEST';
      args.pointInTimeRecovery = { enabled: true };
      args.deletionProtectionEnabled = true;
      options.retainOnDelete = true;
    },
  },
});
const log = new aws.cloudwatch.LogGroup('SendDigestLog', { retentionInDays: 30 });

const deadLetters = new aws.sqs.Queue('SendDigestDeadLetters', {
  messageRetentionSeconds: 1209600, // 14 days
  sqsManagedSseEnabled: true,
});
new aws.sqs.QueuePolicy('SendDigestDeadLettersPolicy', {
  queueUrl: deadLetters.url,
  policy: aws.iam.getPolicyDocumentOutput({
    statements: [
      {
        effect: 'Deny',
        actions: ['sqs:*'],
        resources: [deadLetters.arn],
        principals: [{ type: 'AWS', identifiers: ['*'] }],
        conditions: [{ test: 'Bool', variable: 'aws:SecureTransport', values: ['false'] }],
      },
    ],
  }).json,
});

const role = new aws.iam.Role('SendDigestRunRole', {
  assumeRolePolicy: aws.iam.getPolicyDocumentOutput({
    statements: [
      { actions: ['sts:AssumeRole'], principals: [{ type: 'Service', identifiers: ['lambda.amazonaws.com'] }] },
    ],
  }).json,
  inlinePolicies: [
    {
      name: 'own',
      policy: aws.iam.getPolicyDocumentOutput({
        statements: [
          {
            actions: ['dynamodb:UpdateItem'],
            resources: [locks.arn],
            conditions: [
              { test: 'ForAllValues:StringEquals', variable: 'dynamodb:LeadingKeys', values: [job.name] },
              { test: 'Null', variable: 'dynamodb:LeadingKeys', values: ['false'] },
            ],
          },
          { actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [$interpolate`${log.arn}:*`] },
          {
            actions: ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl', 'sqs:SendMessage'],
            resources: [deadLetters.arn],
          },
        ],
      }).json,
    },
  ],
});

const fn = new sst.aws.Function('SendDigestFunction', {
  handler: 'send-digest.handler',
  runtime: 'nodejs24.x',
  architecture: 'arm64',
  memory: '256 MB',
  timeout: `${job.timeoutSeconds} seconds`,
  // A role of our own, because SST's role for a function may write to every log group of the account.
  role: role.arn,
  // `sst dev` would deploy a stub in place of the function. The role above has too few rights for that stub.
  dev: false,
  logging: { logGroup: log.name },
  nodejs: { sourcemap: true },
  environment: {
    SINGLE_EXECUTION_TIME_ZONE: job.timeZone,
    NODE_OPTIONS: '--enable-source-maps',
    LOCK_TABLE: locks.name,
    SINGLE_EXECUTION_NAMESPACE: namespace,
    SINGLE_EXECUTION_SCHEDULE: job.schedule,
  },
  // Lambda's retries of a failed run: all are over before the next tick, a day later.
  retries: 2,
  transform: {
    eventInvokeConfig: {
      maximumEventAgeInSeconds: 21600,
      destinationConfig: { onFailure: { destination: deadLetters.arn } },
    },
  },
});

const schedules = new aws.scheduler.ScheduleGroup('SendDigestSchedules');

const scheduleRole = new aws.iam.Role('SendDigestScheduleRole', {
  assumeRolePolicy: aws.iam.getPolicyDocumentOutput({
    statements: [
      {
        actions: ['sts:AssumeRole'],
        principals: [{ type: 'Service', identifiers: ['scheduler.amazonaws.com'] }],
        conditions: [
          { test: 'StringEquals', variable: 'aws:SourceAccount', values: [account] },
          {
            test: 'StringEquals',
            variable: 'aws:SourceArn',
            values: [$interpolate`arn:${partition}:scheduler:${region}:${account}:schedule-group/${schedules.name}`],
          },
        ],
      },
    ],
  }).json,
  inlinePolicies: [
    {
      name: 'own',
      policy: aws.iam.getPolicyDocumentOutput({
        statements: [
          { actions: ['lambda:InvokeFunction'], resources: [fn.arn] },
          { actions: ['sqs:SendMessage'], resources: [deadLetters.arn] },
        ],
      }).json,
    },
  ],
});

// A resource of its own, because sst.aws.CronV2 takes no text with Scheduler's own attributes, and gives up a delivery
// that is not accepted at once.
new aws.scheduler.Schedule('SendDigestSchedule', {
  groupName: schedules.name,
  scheduleExpression: job.schedule,
  scheduleExpressionTimezone: job.timeZone,
  flexibleTimeWindow: { mode: 'OFF' },
  state: 'ENABLED',
  target: {
    arn: fn.arn,
    roleArn: scheduleRole.arn,
    // Retries of a delivery that Lambda did not accept, until the next tick, a day later.
    retryPolicy: {
      maximumRetryAttempts: 185,
      maximumEventAgeInSeconds: 86400,
    },
    deadLetterConfig: { arn: deadLetters.arn },
    // `time` is the scheduled time, the same in each delivery of a tick.
    input: $jsonStringify({
      version: '0',
      id: '<aws.scheduler.execution-id>',
      'detail-type': 'Scheduled Event',
      source: 'aws.scheduler',
      account,
      region,
      time: '<aws.scheduler.scheduled-time>',
      resources: ['<aws.scheduler.schedule-arn>'],
      detail: {},
      scheduledTime: '<aws.scheduler.scheduled-time>',
      scheduleArn: '<aws.scheduler.schedule-arn>',
      attemptNumber: '<aws.scheduler.attempt-number>',
    }),
  },
});

// Subscribe to this topic: without a subscription no alarm reaches anybody.
const alarms = new aws.sns.Topic('SendDigestAlarms');

new aws.cloudwatch.MetricAlarm('SendDigestDeadLetters', {
  alarmDescription: `${job.name}: a tick was given up after all retries. The message in the queue has its event and the reason. What to do: docs/on-call.md#deadletters of single-execution.`,
  namespace: 'AWS/SQS',
  metricName: 'ApproximateNumberOfMessagesVisible',
  dimensions: { QueueName: deadLetters.name },
  statistic: 'Maximum',
  period: 300,
  comparisonOperator: 'GreaterThanOrEqualToThreshold',
  threshold: 1,
  evaluationPeriods: 1,
  treatMissingData: 'ignore',
  alarmActions: [alarms.arn],
});

new aws.cloudwatch.MetricAlarm('SendDigestDeadLettersLost', {
  alarmDescription: `${job.name}: a tick or a failed run was given up and could not be sent to the dead-letter queue, so it is lost. See whether Lambda and EventBridge may send to the queue and use its key. What to do: docs/on-call.md#deadletterslost of single-execution.`,
  metricQueries: [
    { id: 'expr_1', expression: 'lost_1 + lost_2', label: 'dead letters lost', returnData: true },
    {
      id: 'lost_1',
      metric: {
        namespace: 'AWS/Scheduler',
        metricName: 'InvocationsFailedToBeSentToDeadLetterCount',
        dimensions: { ScheduleGroup: schedules.name },
        stat: 'Sum',
        period: 300,
      },
      returnData: false,
    },
    {
      id: 'lost_2',
      metric: {
        namespace: 'AWS/Lambda',
        metricName: 'DestinationDeliveryFailures',
        dimensions: { FunctionName: fn.name },
        stat: 'Sum',
        period: 300,
      },
      returnData: false,
    },
  ],
  comparisonOperator: 'GreaterThanOrEqualToThreshold',
  threshold: 1,
  evaluationPeriods: 1,
  treatMissingData: 'notBreaching',
  alarmActions: [alarms.arn],
});

new aws.cloudwatch.MetricAlarm('SendDigestDidNotRun', {
  alarmDescription: `Lock "${job.name}": a tick of ${job.schedule} was sent, and no run has done it. See whether the function is invoked, and whether its runs are skipped or paused. What to do: docs/on-call.md#didnotrun of single-execution.`,
  metricQueries: [
    {
      id: 'expr_1',
      expression: 'FILL(IF(attempted + executed + IF(errors, errors), executed + errors, 0), REPEAT)',
      label: `${job.name}: whether the last tick was done`,
      returnData: true,
    },
    {
      id: 'attempted',
      metric: {
        namespace: 'AWS/Scheduler',
        metricName: 'InvocationAttemptCount',
        dimensions: { ScheduleGroup: schedules.name },
        stat: 'Sum',
        period: 60,
      },
      returnData: false,
    },
    {
      id: 'executed',
      metric: {
        namespace,
        metricName: 'Executed',
        dimensions: { LockName: job.name },
        stat: 'SampleCount',
        period: 60,
      },
      returnData: false,
    },
    {
      id: 'errors',
      metric: {
        namespace: 'AWS/Lambda',
        metricName: 'Errors',
        dimensions: { FunctionName: fn.name },
        stat: 'Sum',
        period: 60,
      },
      returnData: false,
    },
  ],
  comparisonOperator: 'LessThanThreshold',
  threshold: 1,
  evaluationPeriods: 24,
  treatMissingData: 'ignore',
  alarmActions: [alarms.arn],
});

new aws.cloudwatch.MetricAlarm('SendDigestNotTriggered', {
  alarmDescription: `Lock "${job.name}": no tick was sent for longer than ${job.schedule} allows. See whether the schedule is on. What to do: docs/on-call.md#nottriggered of single-execution.`,
  metricQueries: [
    {
      id: 'expr_1',
      expression: 'IF(last, EPOCH(last) - last)',
      label: `${job.name}: seconds since it was heard of`,
      returnData: true,
    },
    {
      id: 'last',
      expression: 'FILL(IF(attempted + executed, EPOCH(attempted)), REPEAT)',
      label: 'when it was last heard of',
      returnData: false,
    },
    {
      id: 'attempted',
      metric: {
        namespace: 'AWS/Scheduler',
        metricName: 'InvocationAttemptCount',
        dimensions: { ScheduleGroup: schedules.name },
        stat: 'Sum',
        period: 8820,
      },
      returnData: false,
    },
    {
      id: 'executed',
      metric: {
        namespace,
        metricName: 'Executed',
        dimensions: { LockName: job.name },
        stat: 'SampleCount',
        period: 8820,
      },
      returnData: false,
    },
  ],
  comparisonOperator: 'GreaterThanOrEqualToThreshold',
  threshold: 97020,
  evaluationPeriods: 12,
  datapointsToAlarm: 1,
  treatMissingData: 'ignore',
  alarmActions: [alarms.arn],
});

new aws.cloudwatch.MetricAlarm('SendDigestLockLost', {
  alarmDescription: `${job.name}: a run continued past its lease, or an operator unlocked it; two runs may have overlapped. See the log for "lost". What to do: docs/on-call.md#locklost of single-execution.`,
  namespace,
  metricName: 'LockLost',
  dimensions: { FunctionName: fn.name },
  statistic: 'Sum',
  period: 300,
  comparisonOperator: 'GreaterThanOrEqualToThreshold',
  threshold: 1,
  evaluationPeriods: 1,
  treatMissingData: 'notBreaching',
  alarmActions: [alarms.arn],
});

new aws.cloudwatch.MetricAlarm('SendDigestFailed', {
  alarmDescription: `${job.name}: a run failed, was killed at its timeout, or could not reach the lock table. See the function's log. What to do: docs/on-call.md#failed of single-execution.`,
  namespace: 'AWS/Lambda',
  metricName: 'Errors',
  dimensions: { FunctionName: fn.name },
  statistic: 'Sum',
  period: 300,
  comparisonOperator: 'GreaterThanOrEqualToThreshold',
  threshold: 1,
  evaluationPeriods: 3,
  datapointsToAlarm: 1,
  treatMissingData: 'notBreaching',
  alarmActions: [alarms.arn],
});

new aws.cloudwatch.MetricAlarm('SendDigestLongRun', {
  alarmDescription: `${job.name}: a run took over 90 % of the timeout of 5 minutes, at which it is killed. Raise the timeout, or make the job shorter. What to do: docs/on-call.md#longrun of single-execution.`,
  namespace: 'AWS/Lambda',
  metricName: 'Duration',
  dimensions: { FunctionName: fn.name },
  statistic: 'Maximum',
  period: 300,
  comparisonOperator: 'GreaterThanOrEqualToThreshold',
  threshold: 0.9 * job.timeoutSeconds * 1_000,
  evaluationPeriods: 3,
  datapointsToAlarm: 1,
  treatMissingData: 'notBreaching',
  alarmActions: [alarms.arn],
});

new aws.cloudwatch.MetricAlarm('SendDigestClockSkew', {
  alarmDescription: `${job.name}: a host's clock is off by more than maxClockSkew. No two runs overlap because of it; lockAtLeastFor and takeovers are off by as much. See the log for "clock-skew". What to do: docs/on-call.md#clockskew of single-execution.`,
  namespace,
  metricName: 'ClockSkew',
  dimensions: { FunctionName: fn.name },
  statistic: 'Maximum',
  period: 300,
  comparisonOperator: 'GreaterThanOrEqualToThreshold',
  threshold: 1,
  evaluationPeriods: 1,
  treatMissingData: 'notBreaching',
  alarmActions: [alarms.arn],
});

export {};
