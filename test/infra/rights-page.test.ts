import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { type Grant, PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ILockTable, LockTable } from 'single-execution/cdk';
import { expect, test } from 'vitest';
import { examplesOf } from '../docs/examples.js';
import { isAllowed } from './iam-policy.js';
import { appStack } from './synthesised.js';

const ARN = 'arn:aws:dynamodb:eu-west-1:123456789012:table/locks';
const READING = ['DescribeTable', 'DescribeTimeToLive', 'GetItem', 'Scan', 'Query'];
const VERBS = [...READING, 'UpdateItem', 'PutItem', 'DeleteItem', 'UpdateTable'];
const KEYS = [['send-digest'], ['another'], ['send-digest', 'another'], undefined];

/** The policy that a grant of the constructs makes for the page's table. */
function granted(grant: (locks: ILockTable, role: Role) => Grant): unknown {
  const stack = appStack();
  const locks = LockTable.fromTable(stack, 'Locks', TableV2.fromTableArn(stack, 'Table', ARN));
  const role = new Role(stack, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  return stack.resolve(new PolicyDocument({ statements: grant(locks, role).principalStatements }));
}

test.each([
  ['a function', 0, granted((locks, role) => locks.grantLock(role, ['send-digest']))],
  ['operators', 1, granted((locks, role) => locks.grantOperate(role))],
])('the policy for %s in docs/deploy/rights.md allows what the construct grants, and no more', (_, index, policy) => {
  const page = JSON.parse(examplesOf('docs/deploy/rights.md', 'json')[index]?.code ?? '');
  const requests = VERBS.flatMap((verb) =>
    KEYS.map((keys) => ({
      action: `dynamodb:${verb}`,
      resource: ARN,
      ...(keys && { context: { 'dynamodb:LeadingKeys': keys } }),
    })),
  );

  const allowed = requests.filter((request) => isAllowed(page, request));
  expect(allowed).toEqual(requests.filter((request) => isAllowed(policy, request)));
  expect(allowed.length).toBeGreaterThan(0);
});
