import type { Alarm, Deployment, Metric, Role, Statement } from '../deployment.js';

/** What the marks of a deployment are called here. */
const REFERENCES: Readonly<Record<string, string>> = {
  job: 'job.name',
  schedule: 'job.schedule',
  timeZone: 'job.timeZone',
  namespace: 'namespace',
  account: 'account',
  region: 'region',
  partition: 'partition',
  'table.name': 'locks.name',
  'table.arn': 'locks.arn',
  'function.name': 'fn.name',
  'function.arn': 'fn.arn',
  'log.name': 'log.name',
  // CloudFormation's ARN of a log group ends so.
  'log.arn': '$interpolate`${log.arn}:*`',
  'queue.url': 'deadLetters.url',
  'queue.arn': 'deadLetters.arn',
  'queue.name': 'deadLetters.name',
  'group.name': 'schedules.name',
  'topic.arn': 'alarms.arn',
};

/** The `sst.config.ts` of SST, still to be formatted. */
export function sstConfig(deployment: Deployment): string {
  const { job, role, schedulerRole, logRetentionDays } = deployment;
  return `/// <reference path="./.sst/platform/config.d.ts" />

// A nightly job under a lock: the lock table, the function with the rights of its own lock, its schedule with retries,
// dead letters, a log and alarms. The same as single-execution's CDK construct makes of it.
export default $config({
  app(input) {
    return { name: ${code(job.name)}, home: 'aws', removal: input?.stage === 'production' ? 'retain' : 'remove' };
  },
  async run() {
    const job = {
      // The lock, as the handler gives it to withSingleExecution.
      name: ${code(job.name)},
      // The retries and the NotTriggered alarm below are for one tick a day: change them with it.
      schedule: ${code(job.schedule)},
      timeZone: ${code(job.timeZone)},
      // DidNotRun goes off after a run and its retries: change its periods with it.
      timeoutSeconds: ${job.timeoutSeconds},
    };
    const namespace = \`SingleExecution/\${$app.name}-\${$app.stage}\`;
    const account = aws.getCallerIdentityOutput().accountId;
    const region = aws.getRegionOutput().id;
    const partition = aws.getPartitionOutput().partition;
${table(deployment)}
    const log = new aws.cloudwatch.LogGroup('SendDigestLog', { retentionInDays: ${logRetentionDays} });
${queue(deployment)}
${roleCode('role', 'SendDigestRole', role)}
${lambda(deployment)}

    const schedules = new aws.scheduler.ScheduleGroup('SendDigestSchedules');
${roleCode('scheduleRole', 'SendDigestScheduleRole', schedulerRole)}

${schedule(deployment)}
    // Subscribe to it: until then no alarm reaches anybody.
    const alarms = new aws.sns.Topic('Alarms');
${deployment.alarms.map((one) => alarm(one, deployment)).join('\n')}
  },
});
`;
}

function table({
  table: { partitionKey, onDemand, pointInTimeRecovery, deletionProtection, retained },
}: Deployment): string {
  return `
    const locks = new sst.aws.Dynamo('Locks', {
      // No ttl: an expired lock is still the memory of its ticks.
      fields: { ${partitionKey}: 'string' },
      primaryIndex: { hashKey: ${code(partitionKey)} },
      transform: {
        table(args, options) {
          args.billingMode = ${code(onDemand ? 'PAY_PER_REQUEST' : 'PROVISIONED')};
          args.pointInTimeRecovery = { enabled: ${pointInTimeRecovery} };
          args.deletionProtectionEnabled = ${deletionProtection};
          options.retainOnDelete = ${retained};
        },
      },
    });`;
}

function queue({ queue: { retentionSeconds, encryptedBySqs, policy } }: Deployment): string {
  return `
    const deadLetters = new aws.sqs.Queue('DeadLetters', {
      messageRetentionSeconds: ${retentionSeconds}, // ${retentionSeconds / 86_400} days
      sqsManagedSseEnabled: ${encryptedBySqs},
    });
    new aws.sqs.QueuePolicy('DeadLettersPolicy', { queueUrl: deadLetters.url, policy: ${document(policy)} });
`;
}

function roleCode(variable: string, id: string, { trust, statements }: Role): string {
  return `
    const ${variable} = new aws.iam.Role('${id}', {
      assumeRolePolicy: ${document(trust)},
      inlinePolicies: [{ name: 'own', policy: ${document(statements)} }],
    });`;
}

function document(statements: readonly Statement[]): string {
  return `aws.iam.getPolicyDocumentOutput({ statements: [${statements.map(statement).join(', ')}] }).json`;
}

function statement({ effect, actions, resources, principals, conditions }: Statement): string {
  const tests = Object.entries(conditions).flatMap(([test, keys]) =>
    Object.entries(keys).map(([variable, values]) => ({ test, variable, values })),
  );
  const who = principals.map((principal) => {
    const colon = principal.indexOf(':');
    return { type: principal.slice(0, colon), identifiers: [principal.slice(colon + 1)] };
  });
  return code({
    ...(effect === 'Allow' ? {} : { effect }),
    actions,
    ...(resources.length > 0 && { resources }),
    ...(who.length > 0 && { principals: who }),
    ...(tests.length > 0 && { conditions: tests }),
  });
}

function lambda({ job, fn, runRetries: { attempts, maxAgeSeconds, deadLetters } }: Deployment): string {
  return `
    const fn = new sst.aws.Function('SendDigest', {
      handler: '${job.name}.handler',
      runtime: ${code(fn.runtime)},
      architecture: ${code(fn.architecture)},
      memory: '${fn.memoryMb} MB',
      timeout: \`\${job.timeoutSeconds} seconds\`,
      // SST's own role for a function may write to every log group of the account.
      role: role.arn,
      // In its place, sst dev would deploy a stub, which that role does not give enough rights.
      dev: false,
      logging: { logGroup: log.name },
      nodejs: { sourcemap: true },
      environment: ${code(fn.environment)},
      // Lambda's retries of a run that failed: all are over before the next tick, a day later.
      retries: ${attempts},
      transform: {
        eventInvokeConfig: {
          maximumEventAgeInSeconds: ${maxAgeSeconds},
          destinationConfig: { onFailure: { destination: ${code(deadLetters)} } },
        },
      },
    });`;
}

function schedule({ schedule: { group, state, window, target, input, delivery } }: Deployment): string {
  return `
    // sst.aws.CronV2 takes no text with Scheduler's own attributes, and gives up a delivery that is not accepted at once.
    new aws.scheduler.Schedule('Nightly', {
      groupName: ${code(group)},
      scheduleExpression: job.schedule,
      scheduleExpressionTimezone: job.timeZone,
      flexibleTimeWindow: { mode: ${code(window)} },
      state: ${code(state)},
      target: {
        arn: ${code(target)},
        roleArn: scheduleRole.arn,
        // Retries of a delivery that Lambda did not accept: until the next tick, a day later.
        retryPolicy: {
          maximumRetryAttempts: ${delivery.attempts},
          maximumEventAgeInSeconds: ${delivery.maxAgeSeconds},
        },
        deadLetterConfig: { arn: ${code(delivery.deadLetters)} },
        // Its time is the scheduled time, the same for each delivery of a tick.
        input: $jsonStringify(${code(JSON.parse(input))}),
      },
    });
`;
}

function alarm(one: Alarm, { job }: Deployment): string {
  const share = one.threshold / (job.timeoutSeconds * 1_000);
  const isOfTimeout = one.metrics[0]?.source?.name === 'Duration';
  return `
    new aws.cloudwatch.MetricAlarm('${one.name}', {
      alarmDescription: ${code(one.description)},
      ${metricMembers(one.metrics)}
      comparisonOperator: ${code(one.comparison)},
      threshold: ${isOfTimeout ? `${share} * job.timeoutSeconds * 1_000` : one.threshold},
      evaluationPeriods: ${one.periods},
${one.datapoints === one.periods ? '' : `datapointsToAlarm: ${one.datapoints},\n`}
      treatMissingData: ${code(one.missingData)},
${one.actions.length === 0 ? '' : `alarmActions: ${code(one.actions)},\n`}
${one.okActions.length === 0 ? '' : `okActions: ${code(one.okActions)},\n`}
    });`.replace(/\n+/g, '\n');
}

function metricMembers(metrics: readonly Metric[]): string {
  const [only] = metrics;
  if (metrics.length === 1 && only?.id === '') {
    return Object.entries(sourceMembers(only, 'statistic'))
      .map(([key, value]) => `${member(key, code(value))},`)
      .join('\n');
  }
  const queries = metrics.map((metric) => ({
    id: metric.id,
    ...(metric.expression !== undefined && { expression: metric.expression, period: metric.periodSeconds }),
    label: metric.label,
    ...(metric.source && { metric: sourceMembers(metric, 'stat') }),
    returnData: metric.returned,
  }));
  return `metricQueries: ${code(queries)},`;
}

function sourceMembers({ source, periodSeconds }: Metric, statistic: string): Readonly<Record<string, unknown>> {
  if (!source) return {};
  const { namespace, name, dimensions } = source;
  const hasDimensions = Object.keys(dimensions).length > 0;
  return {
    namespace,
    metricName: name,
    ...(hasDimensions && { dimensions }),
    [statistic]: source.statistic,
    period: periodSeconds,
  };
}

/** A value as TypeScript. */
function code(value: unknown): string {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return `[${value.map(code).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .map(([key, part]) => member(key, code(part)));
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function member(key: string, value: string): string {
  if (key === value) return key;
  return `${/^\w+$/.test(key) ? key : `'${key}'`}: ${value}`;
}

/** What is known only when it is deployed is an output of Pulumi, which a plain template literal cannot hold. */
const PLAIN = ['job', 'schedule', 'timeZone', 'namespace'];

function text(value: string): string {
  const [, only = ''] = /^\{\{([\w.]+)\}\}$/.exec(value) ?? [];
  if (REFERENCES[only] !== undefined) return REFERENCES[only];
  const marks = [...value.matchAll(/\{\{([\w.]+)\}\}/g)].map(([, name = '']) => name);
  if (marks.length === 0) return `'${value.replaceAll("'", "\\'")}'`;
  const written = value
    .replaceAll('`', '\\`')
    .replace(/\{\{([\w.]+)\}\}/g, (_, name: string) => `\${${REFERENCES[name]}}`);
  return `${marks.every((name) => PLAIN.includes(name)) ? '' : '$interpolate'}\`${written}\``;
}
