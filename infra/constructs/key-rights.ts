import { Stack } from 'aws-cdk-lib';
import { Grant, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IAlias, IKey } from 'aws-cdk-lib/aws-kms';
import type { IConstruct } from 'constructs';
import { warnToAdd } from './missing-rights.js';

const SEND = ['kms:Decrypt', 'kms:GenerateDataKey*'];

/** The resources and conditions of a statement of IAM for a key. */
interface KeyStatement {
  readonly resourceArns: string[];
  readonly conditions: Record<string, Record<string, unknown>>;
}

/**
 * Makes the part of a statement of IAM that names a key. IAM ignores the ARN of an alias there: an alias of this app is
 * replaced by its key, and an imported alias by a condition.
 */
export function keyStatement(key: IKey): KeyStatement {
  const aliasName = importedAlias(key);
  if (aliasName === undefined) {
    return { resourceArns: [targetKey(key).keyArn], conditions: {} };
  }
  const every = Stack.of(key).formatArn({ service: 'kms', resource: 'key', resourceName: '*' });
  return { resourceArns: [every], conditions: { 'ForAnyValue:StringEquals': { 'kms:ResourceAliases': aliasName } } };
}

/**
 * Allows a grantee to write and read with a key. Warns if neither IAM nor the policy of the key can give the right
 * here: the policy of an imported key, for a service.
 */
export function grantKeyUse(scope: IConstruct, key: IKey, grantee: IGrantable): Grant {
  const grant =
    importedAlias(key) === undefined
      ? key.grantEncryptDecrypt(grantee)
      : Grant.addToPrincipal({ grantee, actions: SEND, ...keyStatement(key) });
  // CDK calls a grant to a service successful, although an imported key has no policy to extend.
  if (grant.principalStatements.length === 0 && !targetKey(key).node.defaultChild) {
    const principals = [grantee.grantPrincipal];
    const statement = new PolicyStatement({ principals, actions: SEND, resources: ['*'] });
    warnToAdd(scope, `key ${key.node.path}`, statement);
  }
  return grant;
}

/** Returns the key of an alias. Returns a key, and an alias whose key is not known here, as it is. */
export function targetKey(key: IKey): IKey {
  return isAlias(key) && importedAlias(key) === undefined ? key.aliasTargetKey : key;
}

/** Returns the name of an alias whose key is not known here; undefined for a key, and for an alias of a known key. */
export function importedAlias(key: IKey): string | undefined {
  if (!isAlias(key)) return /:(alias\/[^:]+)$/.exec(key.keyArn)?.[1];
  try {
    return key.aliasTargetKey ? undefined : key.aliasName;
  } catch {
    return key.aliasName;
  }
}

const isAlias = (key: IKey): key is IAlias => 'aliasName' in key;
