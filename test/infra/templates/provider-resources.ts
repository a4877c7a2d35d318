import type { Resource, Resources, Values } from '../../../infra/templates/read/intrinsics.js';

/*
 * Terraform's provider of AWS and Pulumi's, which is made of it, have the same resources under the same names of
 * arguments. Here they are put into CloudFormation's, so that one reader reads all. An argument that is not known is an
 * error: nothing is overlooked.
 */

export interface ProviderResource {
  /** Terraform's, such as `aws_sqs_queue`. */
  readonly type: string;
  readonly id: string;
  /** By their names in Pulumi, such as `hashKey`. References are marks, and policies are objects. */
  readonly args: Values;
  readonly isRetained?: boolean;
}

type Converted = Omit<Resource, 'Type'>;

export function cloudFormationOf(resources: readonly ProviderResource[]): Resources {
  const converted = resources.map((resource): [string, Resource] => {
    const [type, convert] = KINDS[resource.type] ?? [];
    if (type === undefined || convert === undefined) throw new Error(`${resource.id} is a ${resource.type}`);
    return [`${resource.type}.${resource.id}`, { Type: type, ...convert(new Arguments(resource), resource) }];
  });
  return Object.fromEntries(
    converted.map(([id, resource]) => [id.replace(/^(aws_iam_role|aws_cloudwatch_metric_alarm)\./, ''), resource]),
  );
}

/** Arguments, each taken once; what nobody takes is an error. */
class Arguments {
  readonly #id: string;
  readonly #left: Map<string, unknown>;

  constructor({ type, id, args }: ProviderResource) {
    this.#id = `${type} ${id}`;
    this.#left = new Map(Object.entries(args));
  }

  take(name: string): unknown {
    const value = this.#left.get(name);
    this.#left.delete(name);
    return value;
  }

  /** A block, which Terraform lists and Pulumi does not. */
  block(name: string): Arguments {
    const value = this.take(name);
    const [first = {}, ...others] = Array.isArray(value) ? value : [value ?? {}];
    if (others.length > 0) throw new Error(`${this.#id} has several ${name}`);
    return new Arguments({ type: this.#id, id: name, args: first });
  }

  ignore(...names: readonly string[]): void {
    for (const name of names) this.#left.delete(name);
  }

  end(): void {
    if (this.#left.size > 0) throw new Error(`${this.#id} has ${[...this.#left.keys()].join(', ')}`);
  }
}

function properties(args: Arguments, own: Values): Converted {
  args.end();
  return { Properties: Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)) };
}

const KINDS: Readonly<Record<string, readonly [string, (args: Arguments, resource: ProviderResource) => Converted]>> = {
  aws_dynamodb_table: ['AWS::DynamoDB::Table', table],
  aws_lambda_function: ['AWS::Lambda::Function', lambda],
  aws_lambda_function_event_invoke_config: ['AWS::Lambda::EventInvokeConfig', invokeConfig],
  aws_cloudwatch_log_group: [
    'AWS::Logs::LogGroup',
    (args) => properties(args, { LogGroupName: args.take('name'), RetentionInDays: args.take('retentionInDays') }),
  ],
  aws_sqs_queue: ['AWS::SQS::Queue', queue],
  aws_sqs_queue_policy: [
    'AWS::SQS::QueuePolicy',
    (args) => properties(args, { Queues: [args.take('queueUrl')], PolicyDocument: args.take('policy') }),
  ],
  aws_sns_topic: ['AWS::SNS::Topic', (args) => properties(args, { TopicName: args.take('name') })],
  aws_iam_role: ['AWS::IAM::Role', role],
  aws_iam_role_policy: [
    'AWS::IAM::Policy',
    (args) => properties(args, { Roles: [args.take('role')], PolicyDocument: args.take('policy') }),
  ],
  aws_scheduler_schedule_group: [
    'AWS::Scheduler::ScheduleGroup',
    (args) => properties(args, { Name: args.take('name') }),
  ],
  aws_scheduler_schedule: ['AWS::Scheduler::Schedule', schedule],
  aws_cloudwatch_metric_alarm: ['AWS::CloudWatch::Alarm', alarm],
};

function table(args: Arguments, { isRetained = false }: ProviderResource): Converted {
  args.ignore('name');
  const [key, recovery, lifecycle] = [
    args.block('attributes'),
    args.block('pointInTimeRecovery'),
    args.block('lifecycle'),
  ];
  const partitionKey = args.take('hashKey');
  if (key.take('name') !== partitionKey || key.take('type') !== 'S') throw new Error('the key is no text');
  return {
    ...properties(args, {
      BillingMode: args.take('billingMode'),
      KeySchema: [{ AttributeName: partitionKey, KeyType: 'HASH' }],
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: recovery.take('enabled') },
      DeletionProtectionEnabled: args.take('deletionProtectionEnabled'),
      TimeToLiveSpecification: args.take('ttl'),
    }),
    ...((isRetained || lifecycle.take('preventDestroy') === true) && { DeletionPolicy: 'Retain' }),
  };
}

function lambda(args: Arguments): Converted {
  // The code and its ways: what they make runs in a test of its own.
  args.ignore('handler', 'filename', 'sourceCodeHash', 'dependsOn', 'nodejs');
  const logging = args.block('loggingConfig');
  logging.ignore('logFormat');
  return properties(args, {
    FunctionName: args.take('functionName'),
    Runtime: args.take('runtime'),
    Architectures: args.take('architectures'),
    MemorySize: args.take('memorySize'),
    Timeout: args.take('timeout'),
    Role: args.take('role'),
    LoggingConfig: { LogGroup: logging.take('logGroup') },
    Environment: { Variables: args.block('environment').take('variables') },
  });
}

function invokeConfig(args: Arguments): Converted {
  const destination = args.block('destinationConfig').block('onFailure').take('destination');
  return properties(args, {
    FunctionName: args.take('functionName'),
    MaximumRetryAttempts: args.take('maximumRetryAttempts'),
    MaximumEventAgeInSeconds: args.take('maximumEventAgeInSeconds'),
    DestinationConfig: { OnFailure: { Destination: destination } },
  });
}

function queue(args: Arguments): Converted {
  args.ignore('name');
  return properties(args, {
    MessageRetentionPeriod: args.take('messageRetentionSeconds'),
    SqsManagedSseEnabled: args.take('sqsManagedSseEnabled'),
  });
}

function role(args: Arguments): Converted {
  args.ignore('name');
  const policies = (args.take('inlinePolicies') ?? []) as readonly Values[];
  return properties(args, {
    AssumeRolePolicyDocument: args.take('assumeRolePolicy'),
    Policies: policies.map(({ policy }) => ({ PolicyDocument: policy })),
    ManagedPolicyArns: args.take('managedPolicyArns'),
  });
}

function schedule(args: Arguments): Converted {
  args.ignore('name', 'dependsOn');
  const [window, target] = [args.block('flexibleTimeWindow'), args.block('target')];
  const retries = target.block('retryPolicy');
  const own = {
    Arn: target.take('arn'),
    RoleArn: target.take('roleArn'),
    Input: target.take('input'),
    RetryPolicy: {
      MaximumRetryAttempts: retries.take('maximumRetryAttempts'),
      MaximumEventAgeInSeconds: retries.take('maximumEventAgeInSeconds'),
    },
    DeadLetterConfig: { Arn: target.block('deadLetterConfig').take('arn') },
  };
  target.end();
  return properties(args, {
    GroupName: args.take('groupName'),
    ScheduleExpression: args.take('scheduleExpression'),
    ScheduleExpressionTimezone: args.take('scheduleExpressionTimezone'),
    FlexibleTimeWindow: { Mode: window.take('mode') },
    State: args.take('state'),
    Target: own,
  });
}

function alarm(args: Arguments): Converted {
  args.ignore('alarmName');
  const queries = args.take('metricQueries') as readonly Values[] | undefined;
  return properties(args, {
    AlarmDescription: args.take('alarmDescription'),
    ComparisonOperator: args.take('comparisonOperator'),
    Threshold: args.take('threshold'),
    EvaluationPeriods: args.take('evaluationPeriods'),
    DatapointsToAlarm: args.take('datapointsToAlarm'),
    TreatMissingData: args.take('treatMissingData'),
    AlarmActions: args.take('alarmActions'),
    OKActions: args.take('okActions'),
    ...(queries ? { Metrics: queries.map(metricQuery) } : metric(args, 'statistic', 'Statistic')),
  });
}

function metricQuery(given: Values): Values {
  const query = new Arguments({ type: 'metric query', id: String(given['id']), args: given });
  const own = {
    Id: query.take('id'),
    Expression: query.take('expression'),
    Label: query.take('label'),
    Period: query.take('period'),
    ReturnData: query.take('returnData'),
  };
  if (given['metric'] === undefined) {
    query.end();
    return own;
  }
  const { Period, Stat, ...Metric } = metric(query.block('metric'), 'stat', 'Stat');
  query.end();
  return { ...own, MetricStat: { Metric, Period, Stat } };
}

function metric(args: Arguments, statistic: string, name: string): Values {
  const dimensions = Object.entries((args.take('dimensions') ?? {}) as Values);
  return {
    Namespace: args.take('namespace'),
    MetricName: args.take('metricName'),
    Dimensions: dimensions.map(([Name, Value]) => ({ Name, Value })),
    Period: args.take('period'),
    [name]: args.take(statistic),
  };
}

/** A policy document of the provider as IAM's JSON. */
export function policyOf(statements: readonly Values[]): Values {
  const converted = statements.map((given) => {
    const { effect = 'Allow', actions, resources, principals, conditions, ...rest } = given;
    if (Object.keys(rest).length > 0) throw new Error(`a statement with ${Object.keys(rest).join(', ')}`);
    return {
      Effect: effect,
      Action: actions,
      Resource: resources,
      ...(principals !== undefined && { Principal: principalsOf(principals as readonly Values[]) }),
      Condition: conditionsOf((conditions ?? []) as readonly Values[]),
    };
  });
  return { Version: '2012-10-17', Statement: converted };
}

const principalsOf = (principals: readonly Values[]): Values =>
  Object.fromEntries(principals.map(({ type, identifiers }) => [type, identifiers]));

function conditionsOf(conditions: readonly Values[]): Values {
  const operators: Record<string, Record<string, unknown>> = {};
  for (const { test, variable, values } of conditions) {
    operators[String(test)] = { ...operators[String(test)], [String(variable)]: values };
  }
  return operators;
}
