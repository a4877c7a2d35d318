import { CfnResource, Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * The properties that the constructs have read or computed. Retries, alarms and checks follow from them, so a later
 * change would make those wrong.
 */
const READ: Readonly<Record<string, readonly string[]>> = {
  'AWS::Lambda::Function': ['timeout', 'environment'],
  'AWS::Lambda::EventInvokeConfig': ['maximumRetryAttempts', 'maximumEventAgeInSeconds'],
  'AWS::Scheduler::Schedule': ['scheduleExpression', 'scheduleExpressionTimezone', 'flexibleTimeWindow'],
  'AWS::Events::Rule': ['scheduleExpression'],
};

/**
 * Makes synthesis refuse a resource whose properties changed after the constructs read them: by an aspect, or by code
 * that ran later.
 *
 * @param variables the names of the environment variables that the constructs have set
 */
export function refuseLaterChanges(
  owner: IConstruct,
  resources: readonly (IConstruct | undefined)[],
  variables: readonly string[],
): void {
  const found = resources.filter((it) => it !== undefined && CfnResource.isCfnResource(it)) as CfnResource[];
  const before = found.map((resource) => readOf(resource, variables));
  owner.node.addValidation({
    validate: () =>
      found.flatMap((resource, i) => {
        const now = readOf(resource, variables);
        return Object.keys(now)
          .filter((name) => now[name] !== before[i]?.[name])
          .map(
            (name) =>
              `${name} of ${resource.node.path} was ${before[i]?.[name]} when it was read, and is ${now[name]} now: retries, alarms and checks follow from the first; set it before, or do not change it later`,
          );
      }),
  });
}

function readOf(resource: CfnResource, variables: readonly string[]): Record<string, string | undefined> {
  const stack = Stack.of(resource);
  const values = resource as CfnResource & Readonly<Record<string, unknown>>;
  const read: Record<string, string | undefined> = {};
  for (const name of READ[resource.cfnResourceType] ?? []) {
    const value = stack.resolve(values[name]);
    if (name === 'environment') {
      for (const variable of variables) read[variable] = JSON.stringify(value?.variables?.[variable]);
    } else read[name] = JSON.stringify(value);
  }
  return read;
}
