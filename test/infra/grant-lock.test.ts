// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what looks like variables are names of locks

import type { Stack } from 'aws-cdk-lib';
import { TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { type Grant, type IRole, PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import fc from 'fast-check';
import { type ILockTable, LockTable } from 'single-execution/cdk';
import { describe, expect, test } from 'vitest';
import { digest, nightly } from './digest.js';
import { deployed, isAllowed } from './iam-policy.js';
import { appStack, propertiesOf, stackIn, templateOf } from './synthesised.js';

/** DynamoDB's actions on items and tables, except the one that a run needs. */
const NOT_A_RUNS = [
  ...['BatchGetItem', 'ConditionCheckItem', 'GetItem', 'GetRecords', 'PartiQLSelect', 'Query', 'Scan'],
  ...['BatchWriteItem', 'DeleteItem', 'PartiQLDelete', 'PartiQLInsert', 'PartiQLUpdate', 'PutItem'],
  ...['TransactGetItems', 'TransactWriteItems', 'DescribeTable', 'DescribeTimeToLive'],
  ...['DeleteTable', 'PutResourcePolicy', 'UpdateTable', 'UpdateTimeToLive'],
];

const roleIn = (stack: Stack, id = 'Role') =>
  new Role(stack, id, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
const arnOf = (stack: Stack, { table }: ILockTable) => String(deployed(stack.resolve(table.tableArn)));
const update = (resource: string, ...keys: string[]) => ({
  action: 'dynamodb:UpdateItem',
  resource,
  context: { 'dynamodb:LeadingKeys': keys },
});

function policyOf(stack: Stack, role: IRole | undefined): unknown {
  const template = templateOf(stack);
  const Roles = [stack.resolve(role?.roleName)];
  const [only, ...others] = Object.values(template.findResources('AWS::IAM::Policy', { Properties: { Roles } }));
  expect([...others, ...propertiesOf(template, 'AWS::IAM::ManagedPolicy')]).toEqual([]);
  return deployed(only?.['Properties'].PolicyDocument);
}

/** The policy of a grant, without a template. */
const policyOfGrant = (stack: Stack, { principalStatements }: Grant): unknown =>
  deployed(stack.resolve(new PolicyDocument({ statements: principalStatements })));

const KEY_ARN = 'arn:aws:kms:eu-west-1:123456789012:key/shop';
const BY_DYNAMODB = { 'kms:ViaService': 'dynamodb.eu-west-1.amazonaws.com' };

/** A table of another app, encrypted with its own key. */
function encryptedShop(stack: Stack, keyPrefix = ''): ILockTable {
  const encryptionKey = Key.fromKeyArn(stack, 'Key', KEY_ARN);
  const table = TableV2.fromTableAttributes(stack, 'Shop', { tableName: 'shop', encryptionKey });
  return LockTable.fromTable(stack, 'Existing', table, { keyPrefix });
}

const cases = appStack();
const shop = TableV2.fromTableName(cases, 'Shop', 'shop');

/** Grants these names to a role. The returned function says whether the role may update the items of all given keys. */
function granted(lockNames: readonly string[], keyPrefix?: string): (...keys: string[]) => boolean {
  const id = `Existing${cases.node.children.length}`;
  const locks = LockTable.fromTable(cases, id, shop, { ...(keyPrefix && { keyPrefix }) });
  const role = roleIn(cases, `Role${cases.node.children.length}`);
  const policy = policyOfGrant(cases, locks.grantLock(role, lockNames));
  return (...keys) => isAllowed(policy, update(arnOf(cases, locks), ...keys));
}

describe.each([true, false])("row 76, F91: a function's role, with CDK's minimised policies: %s", (minimized) => {
  const stack = appStack();
  stack.node.setContext('@aws-cdk/aws-iam:minimizePolicies', minimized);
  const lockTable = new LockTable(stack, 'Locks');
  const schedules = [{ schedule: nightly, lockName: 'digest' }];
  const { role } = digest({ lockTable, schedules, lockNames: ['digest', 'tenant/*'] }, stack);
  const table = arnOf(stack, lockTable);
  const policy = policyOf(stack, role);

  test.each<[string, string[], boolean]>([
    ['its own lock', ['digest'], true],
    ['a lock that begins as its prefix', ['tenant/acme'], true],
    ["another's lock", ['report'], false],
    ['a lock that begins like its own', ['digest2'], false],
    ['a lock that begins nearly as its prefix', ['tenants/x'], false],
    ['its lock in capitals', ['Digest'], false],
    ['no key at all', [], false],
    ["its own lock and another's", ['digest', 'report'], false],
    ["another's lock and one of its prefix", ['report', 'tenant/acme'], false],
  ])('may or may not update %s: %j %s', (_, keys, expected) => {
    expect(isAllowed(policy, update(table, ...keys))).toBe(expected);
  });

  test('may do nothing else, not even to its own lock, and not behind the table', () => {
    const others = NOT_A_RUNS.map((verb) => `dynamodb:${verb}`);
    const behind = ['/index/byHolder', '/stream/2026-11-21T02:00:00.000', '2'];
    const requests = [
      { action: 'dynamodb:UpdateItem', resource: table },
      ...others.flatMap((action) => [
        { ...update(table, 'digest'), action },
        { action, resource: table },
      ]),
      ...behind.map((more) => update(`${table}${more}`, 'digest')),
    ];

    expect(requests.filter((request) => isAllowed(policy, request))).toEqual([]);
  });
});

describe('grantLock', () => {
  test('allows a key when it is one of the names or begins as one of the prefixes, and only then', () => {
    const texts = fc.string({ unit: fc.constantFrom(...'ab*?${}/'), minLength: 1, maxLength: 6 });
    const names = fc.array(
      texts.filter((name) => name !== '*'),
      { minLength: 1, maxLength: 4 },
    );
    const change = fc.record({ of: fc.nat(3), dropped: fc.nat(2), added: fc.oneof(fc.constant(''), texts) });
    const prefixes = fc.oneof(fc.constant(''), texts);
    fc.assert(
      fc.property(names, prefixes, fc.oneof(texts, change), (lockNames, keyPrefix, candidate) => {
        let key = keyPrefix;
        if (typeof candidate === 'string') key += candidate;
        else key += (lockNames[candidate.of] ?? 'b').slice(0, -candidate.dropped || undefined) + candidate.added;
        fc.pre(key !== '');

        const expected = lockNames.some((name) =>
          name.endsWith('*') ? key.startsWith(keyPrefix + name.slice(0, -1)) : key === keyPrefix + name,
        );
        expect(granted(lockNames, keyPrefix)(key)).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  test.each<[string, string[], string[]]>([
    ['${aws:username}', ['${aws:username}'], ['root', '', '{aws:username}', '$']],
    ['${aws:username}/*', ['${aws:username}/x'], ['root/x', '{aws:username}/x']],
    ['[a-z]+.\\*', ['[a-z]+.\\', '[a-z]+.\\x'], ['b.x', '[a-z]+.']],
    ['straße/*', ['straße/é'], ['strasse/é']],
  ])('%s means these characters and no others', (name, own, foreign) => {
    const may = granted([name]);

    expect([...own, ...foreign].filter((key) => may(key))).toEqual(own);
  });

  test.each(['日報', '日報/*'])('refuses %s, which IAM takes in no policy', (name) => {
    expect(() => granted([name])).toThrow('cannot be named in an IAM policy, which only takes Latin-1');
  });

  test('says a name once that is given twice, and tells that it succeeded', () => {
    const stack = appStack();
    const lockTable = new LockTable(stack, 'Locks');
    const grant = lockTable.grantLock(roleIn(stack), ['a', 'b/*', 'a', 'b/*']);

    expect(policyOfGrant(stack, grant)).toMatchObject({
      Statement: [
        { Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['a'] } } },
        { Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['b/*'] } } },
      ],
    });
    const grants = [['a'], ['a*']].map((lockNames, n) => lockTable.grantLock(roleIn(stack, `Role${n}`), lockNames));
    expect([grant, ...grants].map(({ success }) => success)).toEqual([true, true, true]);
  });

  test('refuses to grant nothing', () => {
    expect(() => granted([])).toThrow(new TypeError('lockNames is empty: name the locks that are taken'));
  });
});

test('grantOperate lets operators read, list and update every lock, and nothing else', () => {
  const stack = appStack();
  const lockTable = new LockTable(stack, 'Locks');
  const role = roleIn(stack);
  lockTable.grantOperate(role);
  const policy = policyOf(stack, role);
  const may = (verb: string) => isAllowed(policy, { action: `dynamodb:${verb}`, resource: arnOf(stack, lockTable) });

  expect([...NOT_A_RUNS, 'UpdateItem'].filter(may).sort()).toEqual([
    ...['DescribeTable', 'DescribeTimeToLive', 'GetItem', 'Scan', 'UpdateItem'],
  ]);
});

test.each<[string, (shop: ILockTable, role: Role) => Grant, string[], string[]]>([
  ['grantOperate', (shop, role) => shop.grantOperate(role), ['GetItem', 'UpdateItem'], ['Decrypt', 'Encrypt']],
  ['grantRead', (shop, role) => shop.grantRead(role), ['GetItem'], ['Decrypt']],
])('on a shared table %s reaches the items of its prefix alone, but for listing', (_, grant, verbs, uses) => {
  const stack = stackIn();
  const role = roleIn(stack);
  const shop = encryptedShop(stack, 'lock#');
  grant(shop, role);
  const policy = policyOf(stack, role);
  const resource = arnOf(stack, shop);
  const allowed = (context: Record<string, string[]>) =>
    ['GetItem', 'UpdateItem', 'PutItem', 'DeleteItem'].filter((verb) =>
      isAllowed(policy, { action: `dynamodb:${verb}`, resource, context }),
    );
  const mayUse = (verb: string) =>
    isAllowed(policy, { action: `kms:${verb}`, resource: KEY_ARN, context: BY_DYNAMODB });

  expect(allowed({ 'dynamodb:LeadingKeys': ['lock#digest'] })).toEqual(verbs);
  expect(allowed({ 'dynamodb:LeadingKeys': ['ORDERS#1'] })).toEqual([]);
  expect(allowed({})).toEqual([]);
  expect(isAllowed(policy, { action: 'dynamodb:Scan', resource })).toBe(true);
  expect(['Decrypt', 'Encrypt', 'ScheduleKeyDeletion'].filter(mayUse)).toEqual(uses);
});

/** A lock table with a key of its own, and a table of another app. */
const ENCRYPTED: readonly ((stack: Stack) => [ILockTable, keyArn: string])[] = [
  (stack) => {
    const key = new Key(stack, 'Key');
    const encryption = TableEncryptionV2.customerManagedKey(key);
    return [new LockTable(stack, 'Locks', { encryption }), String(deployed(stack.resolve(key.keyArn)))];
  },
  (stack) => [encryptedShop(stack), KEY_ARN],
];

test.each<[string, (locks: ILockTable, role: Role) => Grant]>([
  ['grantLock', (locks, role) => locks.grantLock(role, ['digest'])],
  ['grantOperate', (locks, role) => locks.grantOperate(role)],
])(
  '%s lets a role use the key of an encrypted table, also of an imported one, by way of DynamoDB alone',
  (_, grant) => {
    for (const locksIn of ENCRYPTED) {
      const stack = stackIn();
      const role = roleIn(stack);
      const [locks, keyArn] = locksIn(stack);
      grant(locks, role);
      const policy = policyOf(stack, role);
      const use = ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo'];
      const may = (verb: string, context = {}, resource = keyArn) =>
        isAllowed(policy, { action: `kms:${verb}`, resource, context });

      expect(use.filter((verb) => !may(verb, BY_DYNAMODB))).toEqual([]);
      expect(use.filter((verb) => may(verb))).toEqual([]);
      expect(may('ScheduleKeyDeletion', BY_DYNAMODB)).toBe(false);
      expect(may('Decrypt', BY_DYNAMODB, `${keyArn}2`)).toBe(false);
    }
  },
);
