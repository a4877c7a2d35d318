import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { expect, test } from 'vitest';
import { narrowFunctionRole } from '../../infra/constructs/function-role.js';
import { appStack, propertiesOf, templateOf } from './synthesised.js';

const policy = (name: string) => ManagedPolicy.fromAwsManagedPolicyName(name);

/** The managed policies of a role in the template; undefined if the role has no such property. */
function policiesOf(given: readonly string[], later: readonly string[] = []): string[] | undefined {
  const stack = appStack();
  const assumedBy = new ServicePrincipal('lambda.amazonaws.com');
  const role = new Role(stack, 'Role', { assumedBy, managedPolicies: given.map(policy) });
  narrowFunctionRole(role);
  for (const name of later) role.addManagedPolicy(policy(name));
  const arns: { 'Fn::Join': [string, string[]] }[] | undefined = propertiesOf(templateOf(stack), 'AWS::IAM::Role')[0]
    ?.ManagedPolicyArns;
  return arns?.map((arn) => String(arn['Fn::Join'][1].at(-1)).replace(':iam::aws:policy/', ''));
}

const BASIC = 'service-role/AWSLambdaBasicExecutionRole';
const VPC = 'service-role/AWSLambdaVPCAccessExecutionRole';
const INTERFACES = 'service-role/AWSLambdaENIManagementAccess';

const INSIGHTS = 'CloudWatchLambdaInsightsExecutionRolePolicy';

test.each<[string, string[], string[], string[] | undefined]>([
  ['loses the right to all logs', [BASIC], [], undefined],
  ['keeps that to network interfaces', [BASIC, VPC], [], [INTERFACES]],
  ['keeps what else it has', [BASIC, 'ReadOnlyAccess'], [], ['ReadOnlyAccess']],
  ['keeps what begins alike', [`${BASIC}2`], [], [`${BASIC}2`]],
  ['keeps what is added later', [BASIC], [INSIGHTS], [INSIGHTS]],
])("a function's role %s", (_, given, later, expected) => {
  expect(policiesOf(given, later)).toEqual(expected);
});

test('a role that is made elsewhere is left as it is', () => {
  const stack = appStack();
  Role.customizeRoles(stack, { preventSynthesis: true });
  const role = new Role(stack, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });

  expect(role.node.defaultChild).toBeUndefined();
  expect(() => narrowFunctionRole(role)).not.toThrow();
});
