import { inOrder, kindOf, propertiesReader, type Resource, type Resources, type Values } from './resources.js';

/*
 * What a template of any tool deploys for one job, as properties of CloudFormation. Marks in the text stand for
 * references to resources, such as `{{table.arn}}`, and for values that a user changes, such as `{{job}}`.
 */
export interface Deployment {
  readonly job: Job;
  readonly table: Values;
  readonly fn: Values & { readonly MemorySize: number; readonly Environment: { readonly Variables: Environment } };
  readonly log: Values;
  /** Lambda's own retries of a run that failed. */
  readonly runRetries: Values;
  readonly schedule: Values;
  /** The event that the schedule sends. */
  readonly input: Values;
  readonly queue: Values;
  readonly queuePolicy: Values;
  readonly role: Role;
  readonly schedulerRole: Role;
  /** The alarms by name, such as `DidNotRun`. */
  readonly alarms: Readonly<Record<string, Values>>;
}

interface Job {
  readonly name: string;
  readonly schedule: string;
  readonly timeZone: string;
  readonly timeoutSeconds: number;
}

interface Role {
  readonly trust: readonly Values[];
  readonly statements: readonly Values[];
}

type Environment = Readonly<Record<string, string>>;

interface Template {
  readonly jobName: string;
  readonly resources: Resources;
  readonly parameters?: Values;
  readonly alarmName: (logicalId: string, alarm: Resource) => string;
}

/** @throws Error if the job has no resource of a kind, or two */
export function readTemplate({ jobName, resources, parameters = {}, alarmName }: Template): Deployment {
  const propertiesOf = propertiesReader(resources, parameters);
  const all = (kind: string) =>
    Object.entries(resources)
      .filter(([, resource]) => kindOf(resource).kind === kind)
      .map(([id, resource]) => ({ id, resource, properties: propertiesOf(resource) }));
  const one = (kind: string): Values => {
    const [first, ...others] = all(kind);
    if (!first || others.length > 0) throw new Error(`${all(kind).length} resources of the kind ${kind}`);
    return first.properties;
  };
  const roles = new Map(all('role').map(({ id, properties }) => [id, properties]));
  if (roles.size !== 2) throw new Error(`${roles.size} roles`);
  const roleOf = (arn: unknown): Role => {
    const id = /^\{\{role\.arn:(.+)\}\}$/.exec(String(arn))?.[1] ?? '';
    const { AssumeRolePolicyDocument: trust, Policies = [], ...rest } = roles.get(id) ?? { no: arn };
    if (Object.keys(rest).length > 0) throw new Error(`a role with ${JSON.stringify(rest)}`);
    const attached = all('rolePolicy').filter(
      ({ properties }) => String(properties['Roles']) === `{{role.name:${id}}}`,
    );
    const policies = [...(Policies as readonly Values[]), ...attached.map(({ properties }) => properties)];
    const statements = policies.flatMap(({ PolicyDocument }) => PolicyDocument as readonly Values[]);
    return { trust: trust as readonly Values[], statements: inOrder(statements) };
  };
  const { Role, ...fn } = one('function') as Deployment['fn'];
  const { Target, ...schedule } = one('schedule');
  const { RoleArn, Input, ...target } = Target as Values;
  return marked({
    job: {
      name: jobName,
      schedule: String(schedule['ScheduleExpression']),
      timeZone: String(schedule['ScheduleExpressionTimezone']),
      timeoutSeconds: Number(fn['Timeout']),
    },
    table: one('table'),
    fn: fn as Deployment['fn'],
    log: one('log'),
    runRetries: one('retries'),
    schedule: { ...schedule, Target: target },
    input: JSON.parse(String(Input)),
    queue: one('queue'),
    queuePolicy: one('queuePolicy'),
    role: roleOf(Role),
    schedulerRole: roleOf(RoleArn),
    alarms: Object.fromEntries(all('alarm').map((alarm) => [alarmName(alarm.id, alarm.resource), alarm.properties])),
  });
}

/** Puts marks in place of the values that users change, and of the namespace of the metrics. */
function marked({ job, ...rest }: Deployment): Deployment {
  const { SINGLE_EXECUTION_NAMESPACE: namespace = '', ...variables } = rest.fn.Environment.Variables;
  if (!namespace.startsWith('SingleExecution/')) throw new Error(`the namespace of the metrics is '${namespace}'`);
  // A handler without a time zone uses UTC.
  const zone = job.timeZone === 'Etc/UTC' ? { SINGLE_EXECUTION_TIME_ZONE: job.timeZone } : {};
  const Variables = { SINGLE_EXECUTION_NAMESPACE: namespace, ...zone, ...variables };
  const marks: readonly [string, string][] = [
    [namespace, '{{namespace}}'],
    [job.schedule, '{{schedule}}'],
    [job.timeZone, '{{timeZone}}'],
    [job.name, '{{job}}'],
  ];
  const replaced = (value: unknown): unknown => {
    if (typeof value === 'string') return marks.reduce((text, [from, to]) => text.replaceAll(from, to), value);
    if (Array.isArray(value)) return value.map(replaced);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, replaced(part)]));
  };
  return { job, ...(replaced({ ...rest, fn: { ...rest.fn, Environment: { Variables } } }) as Omit<Deployment, 'job'>) };
}
