import { CfnResource, Stack } from 'aws-cdk-lib';
import {
  AccountPrincipal,
  AccountRootPrincipal,
  Grant,
  type IGrantable,
  type IPrincipal,
  PolicyStatement,
} from 'aws-cdk-lib/aws-iam';
import type { CfnKey, IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { keyStatement, targetKey } from './key-rights.js';
import { isUnknown } from './missing-rights.js';
import type { TableResource } from './table-resource.js';

const READ = ['kms:Decrypt', 'kms:DescribeKey'];
const WRITE = ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'];

/**
 * Allows a grantee to use a customer's key, but only through DynamoDB, which uses the key with the caller's rights.
 * Also extends the key's policy, if that policy does not leave access to the IAM policies of the account.
 */
export function grantTableKey(table: TableResource, grantee: IGrantable, use: 'read' | 'write'): Grant[] {
  if (!table.encryptionKey) return [];
  const key = targetKey(table.encryptionKey);
  const actions = use === 'read' ? READ : WRITE;
  const region = table.env?.region ?? Stack.of(table).region;
  const conditions = { StringLike: { 'kms:ViaService': `dynamodb.${region}.*` } };
  if (!trustsAccount(key)) {
    const principals = [principalOf(key, grantee)];
    key.addToResourcePolicy(new PolicyStatement({ principals, actions, resources: ['*'], conditions }));
  }
  const { resourceArns, conditions: ofAlias } = keyStatement(key);
  return [Grant.addToPrincipal({ grantee, actions, resourceArns, conditions: { ...conditions, ...ofAlias } })];
}

/**
 * Whether IAM policies of the key's account can give access to a key. CDK's own keys allow this by default. Imported
 * keys are assumed to allow it.
 */
function trustsAccount(key: IKey): boolean {
  const resource = key.node.defaultChild;
  if (!resource || !CfnResource.isCfnResource(resource)) return true;
  const stack = Stack.of(key);
  const { Statement: statements = [] }: { Statement?: Statement[] } = stack.resolve((resource as CfnKey).keyPolicy);
  const root = JSON.stringify(stack.resolve(new AccountRootPrincipal().arn));
  return statements.some(
    ({ Effect, Action, Principal, Condition }) =>
      Effect === 'Allow' &&
      !Condition &&
      [Action].flat().includes('kms:*') &&
      JSON.stringify(Principal ?? '').includes(root),
  );
}

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Principal?: unknown;
  readonly Condition?: unknown;
}

/**
 * Returns the principal to name in the key's policy: the grantee's own principal. If that is a construct of another
 * stack, such as a role, its account is named, because the key's stack must not depend on that stack. For an unknown
 * principal, the key's own account is named.
 */
function principalOf(key: IKey, { grantPrincipal }: IGrantable): IPrincipal {
  const stack = Stack.of(key);
  if (isUnknown(grantPrincipal)) return new AccountPrincipal(stack.account);
  if (!Construct.isConstruct(grantPrincipal) || Stack.of(grantPrincipal) === stack) return grantPrincipal;
  return new AccountPrincipal(grantPrincipal.principalAccount ?? Stack.of(grantPrincipal).account);
}
