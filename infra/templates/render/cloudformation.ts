import type { Alarm, Deployment, Metric, MetricSource, Role, Statement } from '../deployment.js';
import type { Yaml, YamlObject } from './yaml.js';

/*
 * What SAM and the Serverless Framework leave to CloudFormation. Texts have the marks of a deployment.
 */

/** The memory of all locks. */
export function tableResource({ table }: Deployment): YamlObject {
  return {
    Type: 'AWS::DynamoDB::Table',
    ...(table.retained && { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' }),
    Properties: {
      '# No TimeToLiveSpecification: an expired lock is still the memory of its ticks.': undefined,
      BillingMode: table.onDemand ? 'PAY_PER_REQUEST' : 'PROVISIONED',
      AttributeDefinitions: [{ AttributeName: table.partitionKey, AttributeType: 'S' }],
      KeySchema: [{ AttributeName: table.partitionKey, KeyType: 'HASH' }],
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: table.pointInTimeRecovery },
      DeletionProtectionEnabled: table.deletionProtection,
    },
  };
}

/** Where ticks go that were given up. */
export function queueResources({ queue }: Deployment): Record<string, YamlObject> {
  return {
    DeadLetters: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        [`# ${queue.retentionSeconds / 86_400} days.`]: undefined,
        MessageRetentionPeriod: queue.retentionSeconds,
        SqsManagedSseEnabled: queue.encryptedBySqs,
      },
    },
    DeadLettersPolicy: {
      Type: 'AWS::SQS::QueuePolicy',
      Properties: { Queues: ['{{queue.url}}'], PolicyDocument: document(queue.policy) },
    },
  };
}

/** The group of the schedule, by which Scheduler reports what it sent. */
export function groupResources(): Record<string, YamlObject> {
  return { SendDigestSchedules: { Type: 'AWS::Scheduler::ScheduleGroup' } };
}

export function roleResource({ trust, statements }: Role): YamlObject {
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: document(trust),
      Policies: [{ PolicyName: 'own', PolicyDocument: document(statements) }],
    },
  };
}

/** Alarms and the topic that they notify. */
export function alarmResources({ alarms }: Deployment): Record<string, YamlObject> {
  return {
    Alarms: {
      '# Subscribe to it: until then no alarm reaches anybody.': undefined,
      Type: 'AWS::SNS::Topic',
    },
    ...Object.fromEntries(alarms.map((alarm) => [`${alarm.name}Alarm`, alarmResource(alarm)])),
  };
}

function alarmResource(alarm: Alarm): YamlObject {
  const { periods, datapoints } = alarm;
  return {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmDescription: alarm.description,
      ...metricProperties(alarm.metrics),
      ComparisonOperator: alarm.comparison,
      Threshold: alarm.threshold,
      EvaluationPeriods: periods,
      ...(datapoints !== periods && { DatapointsToAlarm: datapoints }),
      TreatMissingData: alarm.missingData,
      ...(alarm.actions.length > 0 && { AlarmActions: alarm.actions }),
      ...(alarm.okActions.length > 0 && { OKActions: alarm.okActions }),
    },
  };
}

function metricProperties(metrics: readonly Metric[]): YamlObject {
  const [only] = metrics;
  if (metrics.length === 1 && only?.source && only.id === '') {
    const { statistic, ...metric } = only.source;
    return { ...metricMembers(metric), Statistic: statistic, Period: only.periodSeconds };
  }
  return { Metrics: metrics.map(part) };
}

function part({ id, label, source, expression, periodSeconds, returned }: Metric): Yaml {
  const own = source
    ? { MetricStat: { Metric: metricMembers(source), Period: periodSeconds, Stat: source.statistic } }
    : { Expression: expression, Period: periodSeconds };
  return { Id: id, ...own, Label: label, ReturnData: returned };
}

function metricMembers({ namespace, name, dimensions }: Omit<MetricSource, 'statistic'>): YamlObject {
  const pairs = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
  return { Namespace: namespace, MetricName: name, ...(pairs.length > 0 && { Dimensions: pairs }) };
}

function document(statements: readonly Statement[]): YamlObject {
  return { Version: '2012-10-17', Statement: statements.map(statement) };
}

/** One of several, or a list. */
const short = (values: readonly string[]): Yaml => (values.length === 1 ? values[0] : values);

function statement({ effect, actions, resources, principals, conditions }: Statement): YamlObject {
  return {
    Effect: effect,
    ...(principals.length > 0 && { Principal: principalOf(principals) }),
    Action: short(actions),
    ...(resources.length > 0 && { Resource: short(resources) }),
    ...(Object.keys(conditions).length > 0 && {
      Condition: Object.fromEntries(
        Object.entries(conditions).map(([operator, keys]) => [
          operator,
          Object.fromEntries(Object.entries(keys).map(([key, values]) => [key, conditionValue(operator, values)])),
        ]),
      ),
    }),
  };
}

/** A set operator compares with a list. */
function conditionValue(operator: string, values: readonly string[]): Yaml {
  return operator.startsWith('ForA') ? values : short(values);
}

/** `Service:lambda.amazonaws.com` as `{ Service: lambda.amazonaws.com }`. */
function principalOf(principals: readonly string[]): YamlObject {
  return Object.fromEntries(
    principals.map((principal) => {
      const colon = principal.indexOf(':');
      return [principal.slice(0, colon), principal.slice(colon + 1)];
    }),
  );
}
