import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IConstruct } from 'constructs';
import { type LockKeys, lockKeys } from './lock-keys.js';

/** A `Table` or `TableV2` of this app, or an imported one. */
export interface TableResource extends IConstruct {
  readonly tableArn: string;
  readonly tableName: string;
  readonly encryptionKey?: IKey | undefined;
}

/**
 * Allows the verbs of a run on these locks alone: `dynamodb:UpdateItem` under a condition on the partition key. A run
 * never reads, puts, deletes or scans.
 *
 * @param lockNames names as given to `withSingleExecution`, or `prefix*`
 * @param keyPrefix what the store puts before each name
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
 */
export function grantLock(
  table: TableResource,
  grantee: IGrantable,
  lockNames: readonly string[],
  keyPrefix: string,
): Grant {
  if (lockNames.length === 0) throw new TypeError('lockNames is empty: name the locks that are taken');
  const keys = lockNames.map((name) => lockKeys(name, keyPrefix));
  const grants = [
    grantUpdate(table, grantee, 'ForAllValues:StringEquals', valuesOf(keys, 'exact')),
    grantUpdate(table, grantee, 'ForAllValues:StringLike', valuesOf(keys, 'prefix')),
    ...grantKey(table, grantee),
  ];
  return grants.reduce((all, grant) => all.combine(grant));
}

/** Allows what operators do on every lock of the table: list, look, pause, resume, and release by force. */
export function grantOperate(table: TableResource, grantee: IGrantable): Grant {
  const grant = Grant.addToPrincipal({
    grantee,
    actions: ['dynamodb:DescribeTable', 'dynamodb:GetItem', 'dynamodb:Scan', 'dynamodb:UpdateItem'],
    resourceArns: [table.tableArn],
  });
  return grantKey(table, grantee).reduce((all, key) => all.combine(key), grant);
}

/** A customer's key, in DynamoDB's hands, is used with the rights of the caller. */
function grantKey({ encryptionKey }: TableResource, grantee: IGrantable): Grant[] {
  const actions = ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'];
  return encryptionKey ? [encryptionKey.grant(grantee, ...actions)] : [];
}

function grantUpdate(table: TableResource, grantee: IGrantable, operator: string, values: readonly string[]): Grant {
  if (values.length === 0) return Grant.drop(grantee, `no lock for ${operator}`);
  return Grant.addToPrincipal({
    grantee,
    actions: ['dynamodb:UpdateItem'],
    resourceArns: [table.tableArn],
    conditions: {
      [operator]: { 'dynamodb:LeadingKeys': values },
      // "For all values" holds when there are none, so there must be some.
      Null: { 'dynamodb:LeadingKeys': 'false' },
    },
  });
}

function valuesOf(keys: readonly LockKeys[], kind: LockKeys['kind']): string[] {
  const texts = new Set(keys.filter((key) => key.kind === kind).map(({ text }) => text));
  return [...texts].map((text) => (kind === 'exact' ? literal(text, /\$/g) : `${literal(text, /[$*?]/g)}*`));
}

/** IAM reads `${…}` in every value of a condition, and `*` and `?` where it matches by likeness. */
function literal(text: string, special: RegExp): string {
  return text.replace(special, (character) => `\${${character}}`);
}
