/*
 * CloudFormation's resources in one spelling, so that they can be compared. References are marks, such as
 * `{{table.arn}}`, and IAM's documents are sorted lists of statements.
 */

export type Values = Readonly<Record<string, unknown>>;

export interface Resource {
  readonly Type: string;
  readonly Properties?: Values;
  readonly Metadata?: Values;
  readonly DeletionPolicy?: string;
}

export type Resources = Readonly<Record<string, Resource>>;

export interface Kind {
  /** A job has only one resource of each kind, except roles and alarms. */
  readonly kind: string;
  /** The attribute that `Ref` returns. */
  readonly ref?: string;
  /** Properties that are not compared: names and code, in which tools may differ. */
  readonly apart: readonly string[];
}

const KINDS: Readonly<Record<string, Kind>> = {
  'AWS::DynamoDB::Table': { kind: 'table', ref: 'name', apart: ['TableName', 'Region'] },
  'AWS::DynamoDB::GlobalTable': { kind: 'table', ref: 'name', apart: ['TableName', 'Region'] },
  'AWS::Lambda::Function': { kind: 'function', ref: 'name', apart: ['FunctionName', 'Code', 'Handler'] },
  'AWS::Lambda::EventInvokeConfig': { kind: 'retries', apart: ['Qualifier'] },
  'AWS::Logs::LogGroup': { kind: 'log', ref: 'name', apart: ['LogGroupName'] },
  'AWS::SQS::Queue': { kind: 'queue', ref: 'url', apart: ['QueueName'] },
  'AWS::SQS::QueuePolicy': { kind: 'queuePolicy', apart: [] },
  'AWS::SNS::Topic': { kind: 'topic', ref: 'arn', apart: ['TopicName'] },
  'AWS::IAM::Role': { kind: 'role', ref: 'name', apart: ['RoleName'] },
  'AWS::IAM::Policy': { kind: 'rolePolicy', apart: ['PolicyName'] },
  'AWS::Scheduler::ScheduleGroup': { kind: 'group', ref: 'name', apart: ['Name'] },
  'AWS::Scheduler::Schedule': { kind: 'schedule', apart: ['Name'] },
  'AWS::CloudWatch::Alarm': { kind: 'alarm', apart: ['AlarmName'] },
};

const ATTRIBUTES: Readonly<Record<string, string>> = { Arn: 'arn', QueueName: 'name', TopicArn: 'arn' };

const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::AccountId': '{{account}}',
  'AWS::Region': '{{region}}',
  'AWS::Partition': '{{partition}}',
  'AWS::StackName': '{{stack}}',
};

/** @throws Error for a type of resource that no job has, so that no resource is overlooked */
export function kindOf({ Type }: Resource): Kind {
  const kind = KINDS[Type];
  if (!kind) throw new Error(`a resource of type ${Type}`);
  return kind;
}

/** The properties of resources in one spelling, without names and code. */
export function propertiesReader(resources: Resources, parameters: Values): (resource: Resource) => Values {
  const resolve = resolver(resources, parameters);
  return (resource) => {
    // The CDK makes each table a global table, with one region.
    const { Replicas: [replica] = [], ...own } = (resource.Properties ?? {}) as { readonly Replicas?: [Values] };
    const { kind, apart } = kindOf(resource);
    const kept = kind === 'table' ? { DeletionPolicy: resource.DeletionPolicy } : {};
    const all = Object.entries({ ...own, ...replica, ...kept }).filter(([name]) => !apart.includes(name));
    return spelt(resolve(Object.fromEntries(all))) as Values;
  };
}

/** Replaces `Ref`, `Fn::GetAtt`, `Fn::Join` and `Fn::Sub` by their values. */
function resolver(resources: Resources, parameters: Values): (value: unknown) => unknown {
  function refer(id: string, attribute?: string): unknown {
    const fixed = attribute === undefined ? (PSEUDO[id] ?? parameters[id]) : undefined;
    if (fixed !== undefined) return fixed;
    const { kind, ref } = kindOf(resources[id] ?? { Type: `nothing, ${id}` });
    const name = attribute === undefined ? ref : ATTRIBUTES[attribute];
    if (name === undefined) throw new Error(`a reference to ${attribute} of ${id}`);
    return kind === 'role' ? `{{role.${name}:${id}}}` : `{{${kind}.${name}}}`;
  }
  const referAt = (path: string) => refer(...(path.split('.') as [string, string?]));

  function read(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(read);
    if (typeof value !== 'object' || value === null) return value;
    const [[name, given] = ['', undefined]] = Object.entries(value);
    if (name === 'Ref') return refer(String(given));
    if (name === 'Fn::GetAtt') return referAt(Array.isArray(given) ? given.join('.') : String(given));
    if (name === 'Fn::Sub') return String(given).replace(/\$\{([^}!]+)\}/g, (_, path: string) => String(referAt(path)));
    if (name === 'Fn::Join') return (read((given as [string, unknown])[1]) as unknown[]).join(String(Object(given)[0]));
    if (name.startsWith('Fn::')) throw new Error(`${name} of ${JSON.stringify(given)}`);
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, read(part)]));
  }
  return read;
}

/** A value without properties that have their default. Documents of IAM become lists of statements. */
function spelt(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(spelt);
  if (typeof value !== 'object' || value === null) return value;
  if ('Statement' in value) return inOrder(list(value.Statement).map((one) => statement(one as Values)));
  const { DatapointsToAlarm, ...rest } = value as Values;
  const all = DatapointsToAlarm === rest['EvaluationPeriods'] ? rest : value;
  return Object.fromEntries(
    Object.entries(all)
      .filter(([, part]) => part !== undefined)
      .map(([key, part]) => [key, spelt(part)]),
  );
}

/** A statement whose values are lists. IAM ignores their order, and reads one value as a list of one. */
function statement({ Sid: _, Action, Resource, Principal, Condition = {}, ...rest }: Values): Values {
  const conditions = Object.entries(Condition as Readonly<Record<string, Values>>).map(([operator, keys]) => [
    operator,
    Object.fromEntries(Object.entries(keys).map(([key, values]) => [key, list(values)])),
  ]);
  return {
    ...rest,
    Action: list(Action),
    Resource: list(Resource),
    Principal,
    Condition: Object.fromEntries(conditions),
  };
}

export function inOrder(statements: readonly Values[]): Values[] {
  const keyOf = ({ Action, Resource }: Values) => JSON.stringify([Action, Resource]);
  return [...statements].sort((one, other) => keyOf(one).localeCompare(keyOf(other)));
}

const list = (value: unknown): unknown[] =>
  Array.isArray(value) ? [...value].sort() : value === undefined ? [] : [value];
