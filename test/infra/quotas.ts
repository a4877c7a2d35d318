import type { Template } from 'aws-cdk-lib/assertions';
import { resolved } from './synthesised-app.js';

/*
 * AWS's limits on a stack. Each figure is the default; some accounts have a higher one.
 * - IAM: IAM user guide, "IAM and AWS STS quotas": role trust policy 2,048 characters, inline policies of a role 10,240
 *   together, managed policy 6,144, 10 managed policies a role; white space does not count.
 * - SQS: SQS developer guide, "Custom policy limitations": 8,192 bytes, 20 statements, 50 principals, 10 conditions.
 * - Lambda: Lambda developer guide, "Lambda quotas": environment variables 4 KB.
 * - Scheduler: Scheduler user guide, "Managing a schedule group": 500 groups an account and region.
 * - EventBridge: EventBridge user guide, "Quotas": 300 rules an event bus.
 * - CloudWatch: API reference, PutMetricAlarm: name 255 characters, description 1,024; user guide, "CloudWatch quotas":
 *   10 metrics an alarm by an expression; API reference, MetricDataQuery: an expression has 2,048 characters.
 * - CloudFormation: user guide, "Understand CloudFormation quotas": 500 resources, a template of 1 MB.
 */
export const QUOTAS = {
  trustPolicy: 2_048,
  inlinePolicies: 10_240,
  managedPolicy: 6_144,
  managedPolicies: 10,
  queuePolicyBytes: 8_192,
  queuePolicyStatements: 20,
  environmentBytes: 4_096,
  scheduleGroups: 500,
  rules: 300,
  alarmDescription: 1_024,
  alarmMetrics: 10,
  alarmExpression: 2_048,
  resources: 500,
  templateBytes: 1_000_000,
} as const;

/** For each quota, the use by the largest resource of its kind in a stack. */
export type Usage = Readonly<Record<keyof typeof QUOTAS, number>>;

/** The properties that are measured, of all types of resources. */
interface Measured {
  readonly AssumeRolePolicyDocument?: object;
  readonly PolicyDocument: { readonly Statement: readonly object[] };
  readonly Roles: readonly string[];
  readonly Environment: { readonly Variables: Readonly<Record<string, string>> };
  readonly AlarmDescription: string;
  readonly Metrics?: readonly { readonly Expression?: string; readonly MetricStat?: object }[];
}

/** For each type of resource, the length of the longest name that AWS allows, and the start of its ARN. */
const KINDS: Readonly<Record<string, readonly [longestName: number, arn: string]>> = {
  'AWS::IAM::Role': [64, 'iam::123456789012:role/'],
  'AWS::Lambda::Function': [64, 'lambda:ap-southeast-1:123456789012:function:'],
  'AWS::SQS::Queue': [80, 'sqs:ap-southeast-1:123456789012:'],
  'AWS::DynamoDB::GlobalTable': [255, 'dynamodb:ap-southeast-1:123456789012:table/'],
  'AWS::Scheduler::ScheduleGroup': [64, 'scheduler:ap-southeast-1:123456789012:schedule-group/'],
  'AWS::Events::Rule': [64, 'events:ap-southeast-1:123456789012:rule/'],
  'AWS::Logs::LogGroup': [512, 'logs:ap-southeast-1:123456789012:log-group:'],
};

const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::AccountId': '123456789012',
  'AWS::Region': 'ap-southeast-1',
  'AWS::Partition': 'aws',
};

/** Measures a template as AWS would, once CloudFormation has named its resources. */
export function usageOf(template: Template, stackName: string): Usage {
  const resources: Record<string, { Type: string; Properties: object }> = template.toJSON()['Resources'];
  const resolve = (id: string, attribute?: string): string => {
    const [longest = 255, arn] = KINDS[resources[id]?.Type ?? ''] ?? [];
    const name = `${`${stackName}-${id}`.slice(0, longest - 13)}-1A2B3C4D5E6F`;
    return PSEUDO[id] ?? (attribute === 'Arn' ? `arn:aws:${arn}${name}` : name);
  };
  const of = (type: string): Measured[] =>
    Object.values(resources).flatMap(({ Type, Properties }) =>
      Type === type ? [resolved(Properties, resolve) as Measured] : [],
    );
  const alarms = of('AWS::CloudWatch::Alarm');
  const managed = of('AWS::IAM::ManagedPolicy').map(({ PolicyDocument }) => charactersOf(PolicyDocument));
  const queuePolicies = of('AWS::SQS::QueuePolicy').map(({ PolicyDocument }) => PolicyDocument);
  const expressions = alarms.flatMap(({ Metrics = [] }) => Metrics.map(({ Expression = '' }) => Expression.length));
  return {
    trustPolicy: most(of('AWS::IAM::Role').map((role) => charactersOf(role.AssumeRolePolicyDocument))),
    inlinePolicies: most(
      sums(
        of('AWS::IAM::Policy').flatMap(({ Roles, PolicyDocument }) =>
          Roles.map((role) => [role, charactersOf(PolicyDocument)] as const),
        ),
      ),
    ),
    managedPolicy: most(managed),
    managedPolicies: managed.length,
    queuePolicyBytes: most(queuePolicies.map(charactersOf)),
    queuePolicyStatements: most(queuePolicies.map(({ Statement }) => Statement.length)),
    environmentBytes: most(
      of('AWS::Lambda::Function').map(
        ({ Environment }) => Object.entries(Environment.Variables).flat().join('').length,
      ),
    ),
    scheduleGroups: of('AWS::Scheduler::ScheduleGroup').length,
    rules: of('AWS::Events::Rule').length,
    alarmDescription: most(alarms.map(({ AlarmDescription }) => AlarmDescription.length)),
    alarmMetrics: most(alarms.map(({ Metrics = [] }) => Metrics.filter(({ MetricStat }) => MetricStat).length)),
    alarmExpression: most(expressions),
    resources: Object.keys(resources).length,
    // Write the template as the CDK does.
    templateBytes: Buffer.byteLength(JSON.stringify(template.toJSON(), undefined, 1)),
  };
}

export function exceeded(usage: Usage): string[] {
  const names = Object.keys(QUOTAS) as (keyof typeof QUOTAS)[];
  return names.filter((name) => usage[name] > QUOTAS[name]).map((name) => `${name} ${usage[name]} > ${QUOTAS[name]}`);
}

const charactersOf = (document: unknown): number => JSON.stringify(document).length;

/** For each owner, the size of all its policies together. */
function sums(sizes: readonly (readonly [owner: string, size: number])[]): number[] {
  const byOwner: Record<string, number> = {};
  for (const [owner, size] of sizes) byOwner[owner] = (byOwner[owner] ?? 0) + size;
  return Object.values(byOwner);
}

const most = (numbers: readonly number[]): number => Math.max(0, ...numbers);
