import type { Resources, Values } from './resources.js';

/*
 * Converts resources of Terraform's AWS provider to CloudFormation. Pulumi's provider is made from Terraform's, and has
 * the same resources and arguments. An argument without a counterpart stays, and is then reported as a difference.
 */

export interface ProviderResource {
  /** Terraform's type, such as `aws_sqs_queue`. */
  readonly type: string;
  readonly id: string;
  /** The arguments by their names in Pulumi, such as `hashKey`. References are marks, and policies are objects. */
  readonly args: Values;
  readonly isRetained?: boolean;
}

const TYPES: Readonly<Record<string, readonly [type: string, convert?: (properties: Values) => Values]>> = {
  aws_dynamodb_table: ['AWS::DynamoDB::Table', table],
  aws_lambda_function: ['AWS::Lambda::Function', lambda],
  aws_lambda_function_event_invoke_config: ['AWS::Lambda::EventInvokeConfig'],
  aws_cloudwatch_log_group: ['AWS::Logs::LogGroup'],
  aws_sqs_queue: ['AWS::SQS::Queue'],
  aws_sqs_queue_policy: ['AWS::SQS::QueuePolicy', ({ QueueUrl, ...rest }) => ({ ...rest, Queues: [QueueUrl] })],
  aws_sns_topic: ['AWS::SNS::Topic'],
  aws_iam_role: ['AWS::IAM::Role'],
  aws_iam_role_policy: ['AWS::IAM::Policy', ({ Role, ...rest }) => ({ ...rest, Roles: [Role] })],
  aws_scheduler_schedule_group: ['AWS::Scheduler::ScheduleGroup'],
  aws_scheduler_schedule: ['AWS::Scheduler::Schedule'],
  aws_cloudwatch_metric_alarm: ['AWS::CloudWatch::Alarm', alarm],
};

/** The arguments that have another name in CloudFormation. */
const NAMES: Readonly<Record<string, string>> = {
  okActions: 'OKActions',
  messageRetentionSeconds: 'MessageRetentionPeriod',
  assumeRolePolicy: 'AssumeRolePolicyDocument',
  inlinePolicies: 'Policies',
  policy: 'PolicyDocument',
};

/** Arguments that are not compared: names, the order of creation, and the code, which other tests run. */
const APART = /^(name|namePrefix|alarmName|dependsOn|filename|sourceCodeHash|nodejs)$/;

export function cloudFormationOf(resources: readonly ProviderResource[]): Resources {
  const converted = resources.map(({ type, id, args, isRetained = false }) => {
    const [Type, convert = (properties: Values) => properties] = TYPES[type] ?? [`unknown ${type}`];
    const own = Object.fromEntries(Object.entries(args).filter(([name]) => !APART.test(name)));
    const { Lifecycle, ...properties } = convert(renamed(own) as Values);
    const isKept = isRetained || Object(Lifecycle)['PreventDestroy'] === true;
    return [`${type}.${id}`, { Type, Properties: properties, ...(isKept && { DeletionPolicy: 'Retain' }) }] as const;
  });
  return Object.fromEntries(converted);
}

/** Gives arguments CloudFormation's names. Keeps the keys of dimensions, environment variables and policies. */
function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== 'object' || value === null || 'Statement' in value) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      const isOwn = key === 'variables' || key === 'dimensions';
      return [NAMES[key] ?? key.charAt(0).toUpperCase() + key.slice(1), isOwn ? part : renamed(part)];
    }),
  );
}

function table({ HashKey, Attributes, PointInTimeRecovery, Ttl, ...rest }: Values): Values {
  return {
    ...rest,
    AttributeDefinitions: (Attributes as readonly Values[]).map(({ Name, Type }) => ({
      AttributeName: Name,
      AttributeType: Type,
    })),
    KeySchema: [{ AttributeName: HashKey, KeyType: 'HASH' }],
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: Object(PointInTimeRecovery)['Enabled'] },
    ...(Ttl !== undefined && { TimeToLiveSpecification: Ttl }),
  };
}

function lambda({ LoggingConfig, ...rest }: Values): Values {
  // Leave out the log format `Text`, which is Lambda's default.
  const { LogFormat, ...logging } = LoggingConfig as Values;
  return { ...rest, LoggingConfig: LogFormat === 'Text' ? logging : LoggingConfig };
}

function alarm({ MetricQueries, ...rest }: Values): Values {
  if (!Array.isArray(MetricQueries)) return metric(rest);
  return {
    ...rest,
    Metrics: MetricQueries.map(({ Metric, ...query }: Values) => {
      if (Metric === undefined) return query;
      const { Period, Stat, ...source } = metric(Metric as Values);
      return { ...query, MetricStat: { Metric: source, Period, Stat } };
    }),
  };
}

function metric({ Dimensions, ...rest }: Values): Values {
  if (Dimensions === undefined) return rest;
  return { ...rest, Dimensions: Object.entries(Dimensions as Values).map(([Name, Value]) => ({ Name, Value })) };
}

/** A policy document of the provider as IAM's JSON. */
export function policyOf(statements: readonly Values[]): Values {
  const converted = statements.map(({ effect = 'Allow', actions, resources, principals, conditions, ...rest }) => ({
    ...rest,
    Effect: effect,
    Action: actions,
    Resource: resources,
    ...(principals !== undefined && { Principal: principalsOf(principals as readonly Values[]) }),
    Condition: conditionsOf((conditions ?? []) as readonly Values[]),
  }));
  return { Version: '2012-10-17', Statement: converted };
}

const principalsOf = (principals: readonly Values[]): Values =>
  Object.fromEntries(principals.map(({ type, identifiers }) => [type, String(identifiers)]));

function conditionsOf(conditions: readonly Values[]): Values {
  const operators: Record<string, Record<string, unknown>> = {};
  for (const { test, variable, values } of conditions) {
    operators[String(test)] = { ...operators[String(test)], [String(variable)]: values };
  }
  return operators;
}
