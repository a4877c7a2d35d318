import { CfnResource, Stack } from 'aws-cdk-lib';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';

/**
 * The properties that the constructs have read or computed. Retries, alarms and checks follow from them, so a later
 * change would make those wrong.
 */
const READ: Readonly<Record<string, readonly string[]>> = {
  'AWS::Lambda::Function': ['timeout'],
  'AWS::Lambda::EventInvokeConfig': ['maximumRetryAttempts', 'maximumEventAgeInSeconds'],
  'AWS::Scheduler::Schedule': ['scheduleExpression', 'scheduleExpressionTimezone', 'flexibleTimeWindow'],
  'AWS::Events::Rule': ['scheduleExpression'],
};

/**
 * Makes synthesis refuse a resource whose properties changed after the constructs read them: by an aspect, or by code
 * that ran later.
 *
 * @param resources the function and what was made for it; undefined for an imported function
 * @param variables the environment variables that the constructs have set
 */
export function refuseLaterChanges(
  owner: IConstruct,
  resources: readonly (IConstruct | undefined)[],
  variables: Readonly<Record<string, string>>,
): void {
  const found = resources.filter((it) => it !== undefined && CfnResource.isCfnResource(it)) as CfnResource[];
  const before = found.map((resource) => propertiesOf(resource));
  owner.node.addValidation({
    validate: () =>
      found.flatMap((resource, i) => {
        const given = { ...before[i], ...(isFunction(resource) && variables) };
        const now = { ...propertiesOf(resource), ...(isFunction(resource) && variablesOf(resource)) };
        return changesOf(resource, given, now);
      }),
  });
}

type Values = Readonly<Record<string, unknown>>;

/** Compares values as they are deployed: a reference to another stack changes its form when it is synthesised. */
function changesOf(resource: CfnResource, before: Values, now: Values): string[] {
  const deployed = (value: unknown) => JSON.stringify(Stack.of(resource).resolve(value));
  return Object.keys(before)
    .map((name) => ({ name, was: deployed(before[name]), is: deployed(now[name]) }))
    .filter(({ was, is }) => was !== is)
    .map(
      ({ name, was, is }) =>
        `${name} of ${resource.node.path} was ${was} when it was read, and is ${is} now: retries, alarms and checks follow from the first; set it before, or do not change it later`,
    );
}

function propertiesOf(resource: CfnResource): Values {
  const values = resource as CfnResource & Values;
  return Object.fromEntries((READ[resource.cfnResourceType] ?? []).map((name) => [name, values[name]]));
}

const isFunction = ({ cfnResourceType }: CfnResource): boolean =>
  cfnResourceType === CfnFunction.CFN_RESOURCE_TYPE_NAME;

function variablesOf(fn: CfnResource): Values {
  return Stack.of(fn).resolve((fn as CfnFunction).environment)?.variables ?? {};
}
