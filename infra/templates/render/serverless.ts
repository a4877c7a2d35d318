import type { Deployment } from '../deployment.js';
import { buildCommand } from './build-command.js';
import { alarmResources, groupResources, queueResources, roleResource, tableResource } from './cloudformation.js';
import { cloudFormationScalar } from './cloudformation-scalar.js';
import { type YamlObject, yamlLines } from './yaml.js';

const HEAD = `# A nightly job under a lock: the lock table, the function with the rights of its own lock, its schedule with retries,
# dead letters, a log and alarms. The same as single-execution's CDK construct makes of it.
`;

const scalarOf = cloudFormationScalar({
  references: {
    'function.name': 'SendDigestLambdaFunction',
    'function.arn': 'SendDigestLambdaFunction.Arn',
    'log.arn': 'SendDigestLogGroup.Arn',
  },
  texts: {
    job: '${self:custom.job}',
    schedule: '${self:custom.schedule}',
    timeZone: '${self:custom.timeZone}',
    timeout: '${self:custom.timeoutSeconds}',
  },
});

/** The `serverless.yml` of the Serverless Framework, version 3, and of osls. */
export function serverlessService(deployment: Deployment): string {
  const { job, fn, logRetentionDays } = deployment;
  const parts: YamlObject[] = [
    {
      service: job.name,
      custom: {
        '# The lock, as the handler gives it to withSingleExecution.': undefined,
        job: job.name,
        '# The retries and the NotTriggered alarm below are for one tick a day: change them with it.': undefined,
        schedule: job.schedule,
        timeZone: job.timeZone,
        '# LongRun goes off at 90 % of it, and DidNotRun after a run and its retries: change both alarms with it.':
          undefined,
        timeoutSeconds: job.timeoutSeconds,
      },
    },
    {
      provider: {
        name: 'aws',
        runtime: fn.runtime,
        architecture: fn.architecture,
        logRetentionInDays: logRetentionDays,
        versionFunctions: false,
      },
    },
    {
      '# The bundled handler:': undefined,
      ...Object.fromEntries(buildCommand(job.name).map((line) => [`# ${line}`, undefined])),
      package: { patterns: ['!**', 'dist/**'] },
    },
    { functions: { sendDigest: functionSettings(deployment) } },
  ];
  const head = parts.map((part) => yamlLines(part, scalarOf).join('\n')).join('\n\n');
  return `${HEAD}${head}\n\nresources:\n  Resources:\n${resourcesText(deployment)}\n`;
}

function functionSettings({ job, fn, runRetries }: Deployment): YamlObject {
  return {
    name: '${self:custom.job}-${sls:stage}',
    handler: `dist/${job.name}.handler`,
    memorySize: fn.memoryMb,
    timeout: '{{timeout}}',
    "# The framework's own role for a function may write to other log groups.": undefined,
    role: 'SendDigestRole',
    environment: fn.environment,
    "# Lambda's retries of a run that failed: all are over before the next tick, a day later.": undefined,
    maximumRetryAttempts: runRetries.attempts,
    maximumEventAge: runRetries.maxAgeSeconds,
    destinations: { onFailure: { type: 'sqs', arn: runRetries.deadLetters } },
  };
}

function resourcesText(deployment: Deployment): string {
  const resources: Record<string, YamlObject> = {
    Locks: tableResource(deployment),
    SendDigestSchedule: scheduleResource(deployment),
    SendDigestRole: roleResource(deployment.role),
    SendDigestScheduleRole: roleResource(deployment.schedulerRole),
    ...groupResources(),
    ...queueResources(deployment),
    ...alarmResources(deployment),
  };
  const texts = Object.entries(resources).map(([id, resource]) =>
    yamlLines({ [id]: resource }, scalarOf)
      .map((line) => `    ${line}`)
      .join('\n'),
  );
  return texts.join('\n\n');
}

/** `events.schedule` knows no retries, no dead letters and no context attributes. */
function scheduleResource({ schedule: { group, state, window, target, input, delivery } }: Deployment): YamlObject {
  return {
    "# events.schedule can set no retries and no dead letters, and takes no text with Scheduler's own attributes.":
      undefined,
    Type: 'AWS::Scheduler::Schedule',
    Properties: {
      GroupName: group,
      ScheduleExpression: '{{schedule}}',
      ScheduleExpressionTimezone: '{{timeZone}}',
      FlexibleTimeWindow: { Mode: window },
      State: state,
      Target: {
        Arn: target,
        RoleArn: '{{schedulerRole.arn}}',
        RetryPolicy: {
          '# Retries of a delivery that Lambda did not accept: until the next tick, a day later.': undefined,
          MaximumRetryAttempts: delivery.attempts,
          MaximumEventAgeInSeconds: delivery.maxAgeSeconds,
        },
        DeadLetterConfig: { Arn: delivery.deadLetters },
        '# Its time is the scheduled time, the same for each delivery of a tick.': undefined,
        Input: input,
      },
    },
  };
}
