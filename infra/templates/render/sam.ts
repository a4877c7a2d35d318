import type { Deployment } from '../deployment.js';
import { alarmResources, groupResources, queueResources, roleResource, tableResource } from './cloudformation.js';
import { cloudFormationScalar } from './cloudformation-scalar.js';
import { type YamlObject, yamlLines } from './yaml.js';

const HEAD = `# A nightly job under a lock: the lock table, the function with the rights of its own lock, its schedule with retries,
# dead letters, a log and alarms. The same as single-execution's CDK construct makes of it.
`;

const scalarOf = cloudFormationScalar({
  references: {
    job: 'JobName',
    schedule: 'Schedule',
    timeZone: 'TimeZone',
    timeout: 'TimeoutSeconds',
    'function.name': 'SendDigestFunction',
    'function.arn': 'SendDigestFunction.Arn',
    'log.name': 'SendDigestLog',
    'log.arn': 'SendDigestLog.Arn',
    'role.arn': 'SendDigestRole.Arn',
  },
});

/** The template of AWS SAM. */
export function samTemplate(deployment: Deployment): string {
  const { role, schedulerRole, logRetentionDays } = deployment;
  const resources: Record<string, YamlObject> = {
    Locks: tableResource(deployment),
    SendDigestFunction: functionResource(deployment),
    SendDigestLog: { Type: 'AWS::Logs::LogGroup', Properties: { RetentionInDays: logRetentionDays } },
    SendDigestRole: {
      "# SAM's own role for a function may write to every log group of the account.": undefined,
      ...roleResource(role),
    },
    SendDigestScheduleRole: roleResource(schedulerRole),
    ...groupResources(),
    ...queueResources(deployment),
    ...alarmResources(deployment),
  };
  const head = yamlLines(
    {
      AWSTemplateFormatVersion: '2010-09-09',
      Transform: 'AWS::Serverless-2016-10-31',
      Parameters: parameters(deployment),
    },
    scalarOf,
  );
  const body = Object.entries(resources).map(([id, resource]) =>
    yamlLines({ [id]: resource }, scalarOf).map((line) => (line === '' ? '' : `  ${line}`)),
  );
  return `${HEAD}${head.join('\n')}\n\nResources:\n${body.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function parameters({ job }: Deployment): YamlObject {
  return {
    JobName: {
      Type: 'String',
      Default: job.name,
      Description: 'The name of the lock, as the handler gives it to withSingleExecution',
    },
    Schedule: {
      Type: 'String',
      Default: job.schedule,
      Description: 'Retries and the NotTriggered alarm below are for one tick a day - change them with it',
    },
    TimeZone: { Type: 'String', Default: job.timeZone },
    TimeoutSeconds: {
      Type: 'Number',
      Default: job.timeoutSeconds,
      Description:
        'LongRun goes off at 90 % of it and DidNotRun after a run and its retries - change both alarms with it',
    },
  };
}

function functionResource({ fn, runRetries, schedule, job }: Deployment): YamlObject {
  return {
    Type: 'AWS::Serverless::Function',
    Metadata: {
      BuildMethod: 'esbuild',
      BuildProperties: {
        EntryPoints: [`${job.name}.ts`],
        Target: 'node22',
        MainFields: 'module,main',
        Minify: true,
        Sourcemap: true,
        '# A text: SAM overlooks a false.': undefined,
        SourcesContent: 'false',
      },
    },
    Properties: {
      CodeUri: '.',
      Handler: `${job.name}.handler`,
      Runtime: fn.runtime,
      Architectures: [fn.architecture],
      MemorySize: fn.memoryMb,
      Timeout: '{{timeout}}',
      Role: '{{role.arn}}',
      LoggingConfig: { LogGroup: '{{log.name}}' },
      Environment: { Variables: fn.environment },
      EventInvokeConfig: {
        "# Lambda's retries of a run that failed: all are over before the next tick, a day later.": undefined,
        MaximumRetryAttempts: runRetries.attempts,
        MaximumEventAgeInSeconds: runRetries.maxAgeSeconds,
        DestinationConfig: { OnFailure: { Type: 'SQS', Destination: runRetries.deadLetters } },
      },
      Events: {
        Nightly: {
          Type: 'ScheduleV2',
          Properties: {
            GroupName: schedule.group,
            ScheduleExpression: '{{schedule}}',
            ScheduleExpressionTimezone: '{{timeZone}}',
            '# CloudFormation chooses a name, so that several stacks can have this schedule.': undefined,
            OmitName: true,
            FlexibleTimeWindow: { Mode: schedule.window },
            State: schedule.state,
            RoleArn: '{{schedulerRole.arn}}',
            RetryPolicy: {
              '# Retries of a delivery that Lambda did not accept: until the next tick, a day later.': undefined,
              MaximumRetryAttempts: schedule.delivery.attempts,
              MaximumEventAgeInSeconds: schedule.delivery.maxAgeSeconds,
            },
            DeadLetterConfig: { Arn: schedule.delivery.deadLetters },
            '# Its time is the scheduled time, the same for each delivery of a tick.': undefined,
            Input: schedule.input,
          },
        },
      },
    },
  };
}
