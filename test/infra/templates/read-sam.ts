import { parse, type ScalarTag } from 'yaml';
import { type Deployment, readTemplate } from './deployment.js';
import type { Resource, Resources, Values } from './resources.js';

const tag = (name: string, key: string): ScalarTag => ({ tag: name, resolve: (text) => ({ [key]: text }) });

/** CloudFormation reads YAML 1.1, with short forms of its functions. */
export function parseCloudFormation(text: string): SamTemplate {
  return parse(text, {
    version: '1.1',
    customTags: [tag('!Ref', 'Ref'), tag('!GetAtt', 'Fn::GetAtt'), tag('!Sub', 'Fn::Sub')],
  });
}

export interface SamTemplate {
  readonly Transform: string;
  readonly Parameters: Readonly<Record<string, { readonly Default: unknown }>>;
  readonly Resources: Resources;
}

/** Reads a template of SAM that deploys one job. */
export function readSam(text: string): Deployment {
  const { Transform, Parameters, Resources } = parseCloudFormation(text);
  if (Transform !== 'AWS::Serverless-2016-10-31') throw new Error(`Transform is ${Transform}`);
  const resources = Object.entries(Resources).flatMap(([id, resource]) => transformed(id, resource));
  return readTransformed({ Parameters, Resources: Object.fromEntries(resources) });
}

/** Reads what SAM made of such a template. */
export function readTransformed({ Parameters, Resources }: Pick<SamTemplate, 'Parameters' | 'Resources'>): Deployment {
  const parameters = Object.fromEntries(Object.entries(Parameters).map(([name, { Default }]) => [name, Default]));
  return readTemplate({
    jobName: String(parameters['JobName']),
    resources: Resources,
    parameters,
    alarmName: (id) => id.replace(/Alarm$/, ''),
  });
}

/** What SAM makes of a function that names its roles: the same, a configuration of its retries, and its schedule. */
function transformed(id: string, resource: Resource): [string, Resource][] {
  if (resource.Type !== 'AWS::Serverless::Function') return [[id, resource]];
  const { CodeUri: _, Events, EventInvokeConfig, ...properties } = resource.Properties ?? {};
  const { DestinationConfig, ...invoke } = EventInvokeConfig as Values;
  const { Type, Destination } = (DestinationConfig as { readonly OnFailure: Values }).OnFailure;
  if (Type !== 'SQS') throw new Error(`failures go to ${Type}`);
  const onFailure = { DestinationConfig: { OnFailure: { Destination } }, FunctionName: { Ref: id } };
  return [
    [id, { Type: 'AWS::Lambda::Function', Properties: properties }],
    [`${id}Retries`, { Type: 'AWS::Lambda::EventInvokeConfig', Properties: { ...invoke, ...onFailure } }],
    ...Object.entries(Events as Readonly<Record<string, Resource>>).map(([event, given]): [string, Resource] => [
      id + event,
      scheduleOf(id, given),
    ]),
  ];
}

function scheduleOf(id: string, { Type, Properties = {} }: Resource): Resource {
  if (Type !== 'ScheduleV2') throw new Error(`an event of type ${Type}`);
  const { RoleArn, RetryPolicy, DeadLetterConfig, Input, OmitName: _, ...schedule } = Properties;
  const Target = { Arn: { 'Fn::GetAtt': `${id}.Arn` }, RoleArn, RetryPolicy, DeadLetterConfig, Input };
  return { Type: 'AWS::Scheduler::Schedule', Properties: { ...schedule, Target } };
}
