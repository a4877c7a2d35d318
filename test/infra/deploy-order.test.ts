import { Duration, type Stack } from 'aws-cdk-lib';
import type { Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type IFunction, type IVersion, Function as LambdaFunction, Version } from 'aws-cdk-lib/aws-lambda';
import { type AttachProps, type LockSchedule, LockTable, SingleExecution } from 'single-execution/cdk';
import { describe, expect, test } from 'vitest';
import { nightly, ownFunction } from './digest.js';
import { appStack, templateOf } from './synthesised.js';

const FUNCTION = 'arn:aws:lambda:eu-west-1:123456789012:function:digest';
const ROLE = 'arn:aws:iam::123456789012:role/digest';
const assumedBy = new ServicePrincipal('lambda.amazonaws.com');

const imported = (stack: Stack, role = Role.fromRoleArn(stack, 'Role', ROLE)): IFunction =>
  LambdaFunction.fromFunctionAttributes(stack, 'Mine', { functionArn: FUNCTION, role });
const versionOf = (lambda: IFunction): IVersion =>
  Version.fromVersionAttributes(lambda, 'One', { lambda, version: '1' });

type Kind = readonly [name: string, of: (stack: Stack) => IFunction];

/** Functions whose role can have a policy of this stack. */
const WRITABLE: readonly Kind[] = [
  ['an own function', (stack) => ownFunction(stack, 'Mine')],
  ['an alias of an own function', (stack) => ownFunction(stack, 'Mine').addAlias('live') as IFunction],
  ['a version of an own function', (stack) => ownFunction(stack, 'Mine').currentVersion as IFunction],
  [
    'an own function with an own role',
    (stack) => ownFunction(stack, 'Mine', { role: new Role(stack, 'Role', { assumedBy }) }),
  ],
  [
    'an own function with an imported role',
    (stack) => ownFunction(stack, 'Mine', { role: Role.fromRoleArn(stack, 'Role', ROLE) }),
  ],
  ['an imported function', (stack) => imported(stack)],
  [
    'an imported function with a role by its name',
    (stack) => imported(stack, Role.fromRoleName(stack, 'Role', 'digest')),
  ],
  ['an imported function with an own role', (stack) => imported(stack, new Role(stack, 'Role', { assumedBy }))],
  ['a version of an imported function', (stack) => versionOf(imported(stack))],
  [
    'an alias of an imported function',
    (stack) => new Alias(stack, 'Live', { aliasName: 'live', version: versionOf(imported(stack)) }) as IFunction,
  ],
];

function attach(stack: Stack, fn: IFunction, props: Partial<AttachProps> = {}): Template {
  SingleExecution.attach(fn, {
    lockTable: new LockTable(stack, 'Locks'),
    lockNames: ['digest'],
    schedules: [{ schedule: nightly }],
    timeout: Duration.seconds(3),
    ...props,
  });
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

function waits(template: Template, type: string): string[][] {
  return Object.keys(template.findResources(type)).map((id) => [...awaited(template, id)]);
}

describe('row 159: retries and destinations wait for the policy of the function, and schedules for that of their role', () => {
  test.each(WRITABLE)('row 159: of %s', (_, of) => {
    const stack = appStack();
    const template = attach(stack, of(stack));
    const [policy = ''] = policiesOf(template, 'dynamodb:UpdateItem');

    expect(policiesOf(template, 'sqs:SendMessage')).toContain(policy);
    expect(waits(template, 'AWS::Lambda::EventInvokeConfig')).toEqual([expect.arrayContaining([policy])]);
    expect(waits(template, 'AWS::Scheduler::Schedule')).toEqual([
      expect.arrayContaining(policiesOf(template, 'lambda:InvokeFunction')),
    ]);
  });

  test.each<[string, (stack: Stack) => Role]>([
    ['of this stack', (stack) => new Role(stack, 'Scheduler', { assumedBy })],
    ['imported', (stack) => Role.fromRoleArn(stack, 'Scheduler', `${ROLE}-schedule`) as Role],
  ])('row 159: a role that was given, %s', (_, of) => {
    const stack = appStack();
    const schedules: LockSchedule[] = [{ schedule: nightly, role: of(stack) }];
    const template = attach(stack, ownFunction(stack, 'Mine'), { schedules });
    const policies = policiesOf(template, 'lambda:InvokeFunction');

    expect(policies).toEqual([expect.stringMatching(/^Scheduler/)]);
    expect(waits(template, 'AWS::Scheduler::Schedule')).toEqual([expect.arrayContaining(policies)]);
  });
});

describe('row 159: a rule waits for the policy of the queue', () => {
  test.each([1, 2])('row 159: %i rules', (count) => {
    const stack = appStack();
    const rules = Array.from(
      { length: count },
      () => ({ schedule: nightly, via: 'rule', lockName: 'digest' }) as const,
    );
    const template = attach(stack, ownFunction(stack, 'Mine'), { schedules: rules });

    for (const ids of waits(template, 'AWS::Events::Rule')) {
      expect(ids).toEqual(expect.arrayContaining(Object.keys(template.findResources('AWS::SQS::QueuePolicy'))));
    }
  });
});

test('row 159: a role that cannot change has no policy to wait for', () => {
  const stack = appStack();
  const role = new Role(stack, 'Role', { assumedBy }).withoutPolicyUpdates();
  const template = attach(stack, imported(stack, role as Role));

  expect(policiesOf(template, 'dynamodb:UpdateItem')).toEqual([]);
  template.resourceCountIs('AWS::Lambda::EventInvokeConfig', 1);
});

test.each<[string, (stack: Stack) => IFunction]>([
  ['by its ARN', (stack) => LambdaFunction.fromFunctionArn(stack, 'Mine', FUNCTION)],
  ['by its name', (stack) => LambdaFunction.fromFunctionName(stack, 'Mine', 'digest')],
  ['as a version', (stack) => Version.fromVersionArn(stack, 'Mine', `${FUNCTION}:1`) as IFunction],
])('row 159: a function imported without its role is refused: %s', (_, of) => {
  const stack = appStack();

  expect(() => attach(stack, of(stack))).toThrow('was imported without its role');
});
