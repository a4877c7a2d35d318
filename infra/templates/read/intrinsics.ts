/*
 * CloudFormation's references, put into words. Each resource of a job is the only one of its kind, so that a reference
 * is told by the kind: `{{table.arn}}`.
 */

export type Values = Readonly<Record<string, unknown>>;

export interface Resource {
  readonly Type: string;
  readonly Properties?: Values;
  readonly Metadata?: Values;
  readonly DeletionPolicy?: string;
}

export type Resources = Readonly<Record<string, Resource>>;

/** What `Ref` gives of a kind of resource, and what marks call the kind. */
const KINDS: Readonly<Record<string, readonly [kind: string, ref: string]>> = {
  'AWS::DynamoDB::Table': ['table', 'name'],
  'AWS::DynamoDB::GlobalTable': ['table', 'name'],
  'AWS::Lambda::Function': ['function', 'name'],
  'AWS::Logs::LogGroup': ['log', 'name'],
  'AWS::SQS::Queue': ['queue', 'url'],
  'AWS::SNS::Topic': ['topic', 'arn'],
  'AWS::Scheduler::ScheduleGroup': ['group', 'name'],
};

const ATTRIBUTES: Readonly<Record<string, string>> = { Arn: 'arn', QueueName: 'name', TopicArn: 'arn' };

const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::AccountId': '{{account}}',
  'AWS::Region': '{{region}}',
  'AWS::Partition': '{{partition}}',
  'AWS::StackName': '{{stack}}',
};

/** Reads the parts of a template: what `Ref`, `Fn::GetAtt`, `Fn::Join` and `Fn::Sub` stand for. */
export function resolver(resources: Resources, parameters: Values): (value: unknown) => unknown {
  function refer(id: string, attribute?: string): string {
    const fixed = attribute === undefined ? (PSEUDO[id] ?? parameters[id]) : undefined;
    if (fixed !== undefined) return String(fixed);
    const type = resources[id]?.Type ?? 'nothing';
    if (type === 'AWS::IAM::Role') return attribute === 'Arn' ? `{{role.arn:${id}}}` : `{{role.name:${id}}}`;
    const [kind, ref] = KINDS[type] ?? [];
    const name = attribute === undefined ? ref : ATTRIBUTES[attribute];
    if (kind === undefined || name === undefined) throw new Error(`a reference to ${attribute} of ${id}, ${type}`);
    return `{{${kind}.${name}}}`;
  }

  function intrinsic(name: string, given: unknown): unknown {
    if (name === 'Ref') return refer(String(given));
    if (name === 'Fn::GetAtt')
      return refer(...((Array.isArray(given) ? given : String(given).split('.')) as [string, string]));
    if (name === 'Fn::Sub') {
      return String(given).replace(/\$\{([^}!]+)\}/g, (_, path: string) => refer(...(path.split('.') as [string])));
    }
    if (name === 'Fn::Join' && Array.isArray(given)) return (read(given[1]) as unknown[]).join(String(given[0]));
    throw new Error(`${name} of ${JSON.stringify(given)}`);
  }

  function read(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(read);
    if (typeof value !== 'object' || value === null) return value;
    const [[name, given] = ['', undefined], ...others] = Object.entries(value);
    if (others.length === 0 && /^(Ref|Fn::.+)$/.test(name)) return intrinsic(name, given);
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, read(part)]));
  }
  return read;
}
