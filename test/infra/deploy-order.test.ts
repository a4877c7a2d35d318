import { Duration, type Stack } from 'aws-cdk-lib';
import type { Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type IFunction, type IVersion, Function as LambdaFunction, Version } from 'aws-cdk-lib/aws-lambda';
import type { AttachProps } from 'single-execution/cdk';
import { expect, test } from 'vitest';
import { attached, FUNCTION_ARN, nightly, ownFunction } from './digest.js';
import { appStack, templateOf } from './synthesised.js';

const ROLE = 'arn:aws:iam::123456789012:role/digest';
const assumedBy = new ServicePrincipal('lambda.amazonaws.com');

const ownRole = (stack: Stack) => new Role(stack, 'Role', { assumedBy });
const importedRole = (stack: Stack) => Role.fromRoleArn(stack, 'Role', ROLE);
const imported = (stack: Stack, role = importedRole(stack)): IFunction =>
  LambdaFunction.fromFunctionAttributes(stack, 'Mine', { functionArn: FUNCTION_ARN, role });
const versionOf = (lambda: IFunction): IVersion =>
  Version.fromVersionAttributes(lambda, 'One', { lambda, version: '1' });

function attach(stack: Stack, fn: IFunction, props: Partial<AttachProps> = {}): Template {
  attached(fn, { timeout: Duration.seconds(3), ...props });
  return templateOf(stack);
}

/** The ids that a resource waits for: named in `DependsOn`, and those that they wait for. */
function awaited(template: Template, id: string): Set<string> {
  const { Resources } = template.toJSON();
  const seen = new Set<string>();
  const visit = (of: string): void => {
    const { DependsOn = [], Properties } = Resources[of] ?? {};
    const referred = [...JSON.stringify(Properties ?? {}).matchAll(/"(?:Ref|Fn::GetAtt)":\[?"([^"]+)"/g)];
    for (const next of [...[DependsOn].flat(), ...referred.map(([, name]) => name)]) {
      if (next in Resources && !seen.has(next)) visit(seen.add(next) && next);
    }
  };
  visit(id);
  return seen;
}

/** The ids of policies with a right to this action. */
const policiesOf = (template: Template, action: string): string[] =>
  Object.entries(template.findResources('AWS::IAM::Policy'))
    .filter(([, { Properties }]) => JSON.stringify(Properties.PolicyDocument).includes(`"${action}"`))
    .map(([id]) => id);

/** Expects that there are resources of this type, and that each waits for all of these. */
function expectWaits(template: Template, type: string, ids: readonly string[]): void {
  const waiting = Object.keys(template.findResources(type));
  expect([waiting.length > 0, ids.length > 0]).toEqual([true, true]);
  for (const id of waiting) expect([...awaited(template, id)]).toEqual(expect.arrayContaining([...ids]));
}

test.each<[string, (stack: Stack) => IFunction]>([
  ['an own function', (stack) => ownFunction(stack)],
  ['an alias of an own function', (stack) => ownFunction(stack).addAlias('live') as IFunction],
  ['a version of an own function', (stack) => ownFunction(stack).currentVersion as IFunction],
  ['an own function with an own role', (stack) => ownFunction(stack, 'Mine', { role: ownRole(stack) })],
  ['an own function with an imported role', (stack) => ownFunction(stack, 'Mine', { role: importedRole(stack) })],
  ['an imported function', (stack) => imported(stack)],
  [
    'an imported function with a role by its name',
    (stack) => imported(stack, Role.fromRoleName(stack, 'Role', 'digest')),
  ],
  ['an imported function with an own role', (stack) => imported(stack, ownRole(stack))],
  ['a version of an imported function', (stack) => versionOf(imported(stack))],
  [
    'an alias of an imported function',
    (stack) => new Alias(stack, 'Live', { aliasName: 'live', version: versionOf(imported(stack)) }) as IFunction,
  ],
])('row 159: retries and destinations wait for the policy of %s, its schedules for that of their role', (_, of) => {
  const stack = appStack();
  const template = attach(stack, of(stack));
  const policies = policiesOf(template, 'dynamodb:UpdateItem');

  expect(policiesOf(template, 'sqs:SendMessage')).toEqual(expect.arrayContaining(policies));
  expectWaits(template, 'AWS::Lambda::EventInvokeConfig', policies);
  expectWaits(template, 'AWS::Scheduler::Schedule', policiesOf(template, 'lambda:InvokeFunction'));
});

test.each<[string, (stack: Stack) => Role]>([
  ['of this stack', ownRole],
  ['imported', (stack) => importedRole(stack) as Role],
])('row 159: a schedule waits for the policy of a role that was given, %s', (_, of) => {
  const stack = appStack();
  const template = attach(stack, ownFunction(stack), { schedules: [{ schedule: nightly, role: of(stack) }] });
  const policies = policiesOf(template, 'lambda:InvokeFunction');

  expect(policies).toEqual([expect.stringMatching(/^Role/)]);
  expectWaits(template, 'AWS::Scheduler::Schedule', policies);
});

test.each([1, 2])('row 159: %i rules wait for the policy of the queue', (count) => {
  const stack = appStack();
  const schedules = Array.from({ length: count }, () => ({ schedule: nightly, via: 'rule' }) as const);
  const template = attach(stack, ownFunction(stack), { schedules });

  expectWaits(template, 'AWS::Events::Rule', Object.keys(template.findResources('AWS::SQS::QueuePolicy')));
});

test('row 159: a role that cannot change has no policy to wait for', () => {
  const stack = appStack();
  const template = attach(stack, imported(stack, ownRole(stack).withoutPolicyUpdates() as Role));

  expect(policiesOf(template, 'dynamodb:UpdateItem')).toEqual([]);
  template.resourceCountIs('AWS::Lambda::EventInvokeConfig', 1);
});

test.each<[string, (stack: Stack) => IFunction]>([
  ['by its ARN', (stack) => LambdaFunction.fromFunctionArn(stack, 'Mine', FUNCTION_ARN)],
  ['by its name', (stack) => LambdaFunction.fromFunctionName(stack, 'Mine', 'digest')],
  ['as a version', (stack) => Version.fromVersionArn(stack, 'Mine', `${FUNCTION_ARN}:1`) as IFunction],
])('row 159: a function imported without its role is refused: %s', (_, of) => {
  const stack = appStack();

  expect(() => attach(stack, of(stack))).toThrow('was imported without its role');
});
