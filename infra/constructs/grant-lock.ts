import { Grant, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type LockKeys, lockKeys } from './lock-keys.js';
import { differ, ownerOf, warnIfMissing, warnToAdd } from './missing-rights.js';
import { grantTableKey } from './table-key.js';
import type { TableResource } from './table-resource.js';

/**
 * Allows runs to use these locks and no others: `dynamodb:UpdateItem` under a condition on the partition key. A run
 * needs no right to get, put, delete or scan items. If a customer's key encrypts the table, the run may use that key
 * through DynamoDB.
 *
 * @param lockNames names as given to `withSingleExecution`, or `prefix*`
 * @param keyPrefix the text that the store puts before each name
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
 */
export function grantLock(
  table: TableResource,
  grantee: IGrantable,
  lockNames: readonly string[],
  keyPrefix: string,
): Grant {
  if (lockNames.length === 0) throw new TypeError('lockNames is empty: name the locks that are taken');
  refuseLongPolicy(lockNames);
  const keys = lockNames.map((name) => lockKeys(name, keyPrefix));
  for (const { text } of keys) checkPolicyText(text);
  const grants = [
    grantUpdate(table, grantee, 'ForAllValues:StringEquals', valuesOf(keys, 'exact')),
    grantUpdate(table, grantee, 'ForAllValues:StringLike', valuesOf(keys, 'prefix')),
    ...grantTableKey(table, grantee, 'write'),
  ];
  return settled(table, grantee, grants);
}

/**
 * Allows a grantee to look at locks. In a shared table the right covers only the items with this prefix, except for
 * listing, which scans the whole table.
 */
export function grantRead(table: TableResource, grantee: IGrantable, keyPrefix: string): Grant {
  const grants = [
    ...grantItems(table, grantee, keyPrefix, ['dynamodb:GetItem']),
    ...grantTableKey(table, grantee, 'read'),
  ];
  return settled(table, grantee, grants);
}

/**
 * Allows a grantee all that `lockAdmin` does. In a shared table the right covers only the items with this prefix,
 * except for listing, which scans the whole table.
 */
export function grantOperate(table: TableResource, grantee: IGrantable, keyPrefix: string): Grant {
  const grants = [
    ...grantItems(table, grantee, keyPrefix, ['dynamodb:GetItem', 'dynamodb:UpdateItem']),
    ...grantTableKey(table, grantee, 'write'),
  ];
  return settled(table, grantee, grants);
}

/**
 * Combines the grants of a grantee. Warns of a right that no policy of this app holds, and of a grantee in another
 * account, which the policy of the table must allow too.
 */
function settled(table: TableResource, grantee: IGrantable, grants: readonly Grant[]): Grant {
  const grant = warnIfMissing(
    table,
    grantee,
    grants.reduce((all, other) => all.combine(other)),
  );
  const { grantPrincipal } = grantee;
  if (!differ(grantPrincipal.principalAccount, table.env?.account)) return grant;
  const actions = [
    ...new Set(grants.flatMap((it) => it.principalStatements.flatMap((statement) => statement.actions))),
  ];
  const ofTable = actions.filter((action) => action.startsWith('dynamodb:'));
  const statement = new PolicyStatement({
    principals: [grantPrincipal],
    actions: ofTable,
    resources: [table.tableArn],
  });
  warnToAdd(table, `table ${table.node.path}, which ${ownerOf(grantee)} uses from another account,`, statement);
  return grant;
}

/** What `doctor` and a list need on the table itself. */
const DESCRIBE = ['dynamodb:DescribeTable', 'dynamodb:DescribeTimeToLive', 'dynamodb:Scan'];

function grantItems(table: TableResource, grantee: IGrantable, keyPrefix: string, actions: string[]): Grant[] {
  checkPolicyText(keyPrefix);
  const resourceArns = [table.tableArn];
  return [
    Grant.addToPrincipal({ grantee, resourceArns, actions: DESCRIBE }),
    Grant.addToPrincipal({
      grantee,
      resourceArns,
      actions,
      ...(keyPrefix !== '' && { conditions: onKeys('ForAllValues:StringLike', [likeness(keyPrefix)]) }),
    }),
  ];
}

function grantUpdate(table: TableResource, grantee: IGrantable, operator: string, values: readonly string[]): Grant {
  if (values.length === 0) return Grant.drop(grantee, `no lock for ${operator}`);
  return Grant.addToPrincipal({
    grantee,
    actions: ['dynamodb:UpdateItem'],
    resourceArns: [table.tableArn],
    conditions: onKeys(operator, values),
  });
}

function onKeys(operator: string, values: readonly string[]): Record<string, Record<string, unknown>> {
  return {
    [operator]: { 'dynamodb:LeadingKeys': values },
    // `ForAllValues` is also true of an empty list, so a value must be present.
    Null: { 'dynamodb:LeadingKeys': 'false' },
  };
}

function valuesOf(keys: readonly LockKeys[], kind: LockKeys['kind']): string[] {
  const texts = new Set(keys.filter((key) => key.kind === kind).map(({ text }) => text));
  return [...texts].map((text) => (kind === 'exact' ? literal(text, /\$/g) : likeness(text)));
}

/** Escapes a text for a condition of IAM, which interprets `${…}` in every value, and `*` and `?` in a `StringLike`. */
function literal(text: string, special: RegExp): string {
  return text.replace(special, (character) => `\${${character}}`);
}

const likeness = (prefix: string): string => `${literal(prefix, /[$*?]/g)}*`;

/**
 * The longest list of names. IAM limits all inline policies of a role together to 10,240 characters. CDK moves other
 * statements of a role to managed policies of 6,144 characters, and none of those could hold a longer list.
 */
const MOST_CHARACTERS = 8_000;

/** @throws RangeError for more names than an IAM policy can have */
function refuseLongPolicy(lockNames: readonly string[]): void {
  const { length } = JSON.stringify(lockNames);
  if (length <= MOST_CHARACTERS) return;
  throw new RangeError(
    `lockNames has ${lockNames.length} names, and their list takes ${length} characters of the role's policy, of which IAM takes 10,240: name them by a prefix, such as 'tenant/*', or move some to another function`,
  );
}

/** @throws TypeError for a key that IAM refuses in a policy, although DynamoDB would take it */
function checkPolicyText(key: string): void {
  if (/[^ -\u00FF]/.test(key)) {
    throw new TypeError(`lock '${key}' cannot be named in an IAM policy, which only takes Latin-1: use another name`);
  }
}
