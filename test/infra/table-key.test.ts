import { Stack } from 'aws-cdk-lib';
import { TableEncryptionV2 } from 'aws-cdk-lib/aws-dynamodb';
import { AccountRootPrincipal, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LockTable } from 'single-execution/cdk';
import { expect, test } from 'vitest';
import { digest, FUNCTION_ARN } from './digest.js';
import { propertiesOf, stackIn, statementsIn, templateOf } from './synthesised.js';

/** A key policy that gives administrators their rights, and does not let IAM policies give any. */
function distrustful(): PolicyDocument {
  const [actions, principals] = [['kms:Describe*', 'kms:Put*'], [new AccountRootPrincipal()]];
  return new PolicyDocument({ statements: [new PolicyStatement({ actions, principals, resources: ['*'] })] });
}

function lockTable(stack: Stack, policy?: PolicyDocument): LockTable {
  const key = new Key(stack, 'Key', policy && { policy });
  return new LockTable(stack, 'Locks', { encryption: TableEncryptionV2.customerManagedKey(key) });
}

/** The statements of the key's policy with `kms:Decrypt`. */
function usesIn(stack: Stack): object[] {
  const [key] = propertiesOf(templateOf(stack), 'AWS::KMS::Key');
  return key.KeyPolicy.Statement.filter((statement: object) => JSON.stringify(statement).includes('kms:Decrypt'));
}

const use = (Principal: unknown) => ({
  Effect: 'Allow',
  Action: ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'],
  Principal: { AWS: Principal },
  Resource: '*',
  Condition: { StringLike: { 'kms:ViaService': 'dynamodb.eu-west-1.*' } },
});
const account = { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':iam::123456789012:root']] };

test('a key that leaves it to IAM stays as it is', () => {
  const stack = stackIn();
  digest({ lockTable: lockTable(stack) }, stack);

  expect(usesIn(stack)).toEqual([]);
});

test("a key that does not names the function's role, through DynamoDB alone", () => {
  const stack = stackIn();
  const { role } = digest({ lockTable: lockTable(stack, distrustful()) }, stack);

  expect(usesIn(stack)).toEqual([use(stack.resolve(role?.roleArn))]);
});

test('in another stack it names the account, so that neither stack waits for the other', () => {
  const stack = stackIn();
  const tables = new Stack(stack.node.root, 'Tables', { env: { account: '123456789012', region: 'eu-west-1' } });
  digest({ lockTable: lockTable(tables, distrustful()) }, stack);

  expect(usesIn(tables)).toEqual([use(account)]);
  expect(tables.dependencies).toEqual([]);
  expect(JSON.stringify(statementsIn(templateOf(stack)))).toContain('dynamodb.eu-west-1.*');
});

test('for a function that was imported without its role it names the account', () => {
  const stack = stackIn();
  const fn = LambdaFunction.fromFunctionArn(stack, 'Mine', FUNCTION_ARN);
  lockTable(stack, distrustful()).grantLock(fn, ['digest']);

  expect(usesIn(stack)).toEqual([use(account)]);
});
