import type { Alarm, Deployment, LambdaFunction, Queue, Retries, Role, Schedule, Table } from '../deployment.js';
import { type Resource, type Resources, resolver, type Values } from './intrinsics.js';
import { marked } from './marks.js';
import { readAlarm } from './read-alarm.js';
import { inOrder, readPolicy } from './read-policy.js';

export interface Template {
  readonly jobName: string;
  readonly resources: Resources;
  /** The values of its parameters. */
  readonly parameters?: Values;
  /** What an alarm is called in a {@link Deployment}. */
  readonly alarmName: (logicalId: string, alarm: Resource) => string;
}

/** A resource whose references are marks. */
interface Found {
  readonly id: string;
  readonly resource: Resource;
  readonly properties: Values;
}

/** The resources of a job. Any other is an error, so that nothing is overlooked. A topic only carries alarms on. */
const KNOWN =
  /^AWS::(DynamoDB::Table|Lambda::(Function|EventInvokeConfig)|Logs::LogGroup|SQS::Queue(Policy)?|IAM::(Role|Policy)|Scheduler::Schedule(Group)?|CloudWatch::Alarm|SNS::Topic)$/;

/** Reads a template of CloudFormation, as the CDK synthesises it. @throws Error for what it does not understand */
export function readTemplate({ jobName, resources, parameters = {}, alarmName }: Template): Deployment {
  const found = new Resolved(resources, parameters);
  const fn = found.one('AWS::Lambda::Function').properties;
  const schedule = found.one('AWS::Scheduler::Schedule').properties;
  const target = membersOf(schedule, 'Target');
  if (found.all('AWS::IAM::Role').length !== 2) throw new Error('more roles than the function’s and the schedule’s');
  return marked({
    job: {
      name: jobName,
      schedule: String(schedule['ScheduleExpression']),
      timeZone: String(schedule['ScheduleExpressionTimezone']),
      timeoutSeconds: Number(fn['Timeout']),
    },
    table: readTable(found.one('AWS::DynamoDB::Table')),
    fn: readFunction(fn, found.one('AWS::Logs::LogGroup').properties),
    logRetentionDays: Number(found.one('AWS::Logs::LogGroup').properties['RetentionInDays']),
    runRetries: readRunRetries(found.one('AWS::Lambda::EventInvokeConfig').properties),
    schedule: readSchedule(schedule, target),
    queue: readQueue(found.one('AWS::SQS::Queue').properties, found.one('AWS::SQS::QueuePolicy').properties),
    role: readRole(fn['Role'], found),
    schedulerRole: readRole(target['RoleArn'], found),
    alarms: found
      .all('AWS::CloudWatch::Alarm')
      .map(({ id, resource, properties }): Alarm => readAlarm(alarmName(id, resource), properties)),
  });
}

class Resolved {
  readonly #found: readonly Found[];

  constructor(resources: Resources, parameters: Values) {
    const resolve = resolver(resources, parameters);
    this.#found = Object.entries(resources).map(([id, resource]) => {
      if (!KNOWN.test(typeOf(resource))) throw new Error(`${id} is an ${resource.Type}`);
      return { id, resource, properties: resolve(resource.Properties ?? {}) as Values };
    });
  }

  all(type: string): Found[] {
    return this.#found.filter(({ resource }) => typeOf(resource) === type);
  }

  one(type: string): Found {
    const [first, ...others] = this.all(type);
    if (!first || others.length > 0) throw new Error(`${this.all(type).length} resources of type ${type}`);
    return first;
  }
}

/** The CDK makes each table a global one, of one region. */
const typeOf = ({ Type }: Resource): string => Type.replace('GlobalTable', 'Table');

function readTable({ resource, properties }: Found): Table {
  const [replica = {}] = (properties['Replicas'] ?? []) as readonly Values[];
  const own: Values = { ...properties, ...replica };
  const [key, ...keys] = own['KeySchema'] as readonly Values[];
  if (keys.length > 0 || key?.['KeyType'] !== 'HASH') throw new Error('the table’s key is not a partition key alone');
  return {
    partitionKey: String(key['AttributeName']),
    onDemand: own['BillingMode'] === 'PAY_PER_REQUEST',
    pointInTimeRecovery: membersOf(own, 'PointInTimeRecoverySpecification')['PointInTimeRecoveryEnabled'] === true,
    deletionProtection: own['DeletionProtectionEnabled'] === true,
    timeToLive: own['TimeToLiveSpecification'] !== undefined,
    retained: resource.DeletionPolicy === 'Retain',
  };
}

function readFunction(fn: Values, log: Values): LambdaFunction {
  // Where nothing is said, Lambda writes to the group that is named after the function.
  const ownLog = log['LogGroupName'] === `/aws/lambda/${fn['FunctionName']}` ? '{{log.name}}' : undefined;
  const logGroup = membersOf(fn, 'LoggingConfig')['LogGroup'] ?? ownLog;
  if (logGroup !== '{{log.name}}') throw new Error(`the function writes its log to ${logGroup}`);
  return {
    runtime: String(fn['Runtime']),
    architecture: String(fn['Architectures']),
    memoryMb: Number(fn['MemorySize']),
    environment: membersOf(membersOf(fn, 'Environment'), 'Variables') as Readonly<Record<string, string>>,
  };
}

function readRunRetries(invoke: Values): Retries {
  if (invoke['FunctionName'] !== '{{function.name}}') throw new Error('retries of another function');
  return {
    attempts: Number(invoke['MaximumRetryAttempts']),
    maxAgeSeconds: Number(invoke['MaximumEventAgeInSeconds']),
    deadLetters: String(membersOf(membersOf(invoke, 'DestinationConfig'), 'OnFailure')['Destination']),
  };
}

function readSchedule(schedule: Values, target: Values): Schedule {
  const retries = membersOf(target, 'RetryPolicy');
  return {
    group: String(schedule['GroupName']),
    state: String(schedule['State'] ?? 'ENABLED'),
    window: String(membersOf(schedule, 'FlexibleTimeWindow')['Mode']),
    target: String(target['Arn']),
    input: inputOf(String(target['Input'])),
    delivery: {
      attempts: Number(retries['MaximumRetryAttempts']),
      maxAgeSeconds: Number(retries['MaximumEventAgeInSeconds']),
      deadLetters: String(membersOf(target, 'DeadLetterConfig')['Arn']),
    },
  };
}

/** The event in a spelling of its own. */
function inputOf(text: string): string {
  return JSON.stringify(JSON.parse(text), null, 2);
}

function readQueue(queue: Values, policy: Values): Queue {
  if (String(policy['Queues']) !== '{{queue.url}}') throw new Error('the policy is of another queue');
  return {
    retentionSeconds: Number(queue['MessageRetentionPeriod']),
    encryptedBySqs: queue['SqsManagedSseEnabled'] === true,
    policy: readPolicy(policy['PolicyDocument']),
  };
}

function readRole(arn: unknown, found: Resolved): Role {
  const role = found.all('AWS::IAM::Role').find(({ id }) => arn === `{{role.arn:${id}}}`);
  if (!role) throw new Error(`no role is ${arn}`);
  const { AssumeRolePolicyDocument, Policies = [], ManagedPolicyArns = [] } = role.properties;
  if ((ManagedPolicyArns as readonly unknown[]).length > 0) throw new Error(`managed policies ${ManagedPolicyArns}`);
  const attached = found
    .all('AWS::IAM::Policy')
    .filter(({ properties }) => (properties['Roles'] as readonly unknown[]).includes(`{{role.name:${role.id}}}`))
    .map(({ properties }) => properties);
  const policies = [...(Policies as readonly Values[]), ...attached];
  return {
    trust: readPolicy(AssumeRolePolicyDocument),
    statements: inOrder(policies.flatMap(({ PolicyDocument }) => readPolicy(PolicyDocument))),
  };
}

const membersOf = (value: Values, name: string): Values => (value[name] ?? {}) as Values;
