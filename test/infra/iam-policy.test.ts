// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of IAM
import { expect, test } from 'vitest';
import { type AwsRequest, deployed, isAllowed } from './iam-policy.js';

/*
 * Each title is a sentence of AWS' "IAM JSON policy element reference", or says what this reader refuses to read.
 */

const TABLE = 'arn:aws:dynamodb:eu-west-1:123456789012:table/locks';
const request = { action: 'dynamodb:UpdateItem', resource: TABLE };
const allow = { Effect: 'Allow', Action: 'dynamodb:UpdateItem', Resource: TABLE };

const policy = (...statements: unknown[]) => ({ Version: '2012-10-17', Statement: statements });
const allowed = (statement: object, context: AwsRequest['context'] = {}) =>
  isAllowed(policy({ ...allow, ...statement }), { ...request, context });
const conditional = (operator: string) => policy({ ...allow, Condition: { [operator]: { many: 'value' } } });

test.each<[string, unknown, boolean]>([
  ['no statement', policy(), false],
  ['an allow that stands alone', { Version: '2012-10-17', Statement: allow }, true],
  ['an allow of something else', policy({ ...allow, Action: 'dynamodb:GetItem' }), false],
  ['an allow among others', policy({ ...allow, Action: 'dynamodb:GetItem' }, allow), true],
])('by default a request is denied: %s', (_, document, expected) => {
  expect(isAllowed(document, request)).toBe(expected);
});

test.each<[string | string[], boolean]>([
  ['DYNAMODB:updateitem', true],
  ['dynamodb:*Item', true],
  ['dynamodb:UpdateIte?', true],
  ['dynamodb:UpdateItem?', false],
  ['*', true],
  [['dynamodb:GetItem', 'dynamodb:UpdateItem'], true],
])('Action is not case-sensitive, * and ? are wildcards: %j', (Action, expected) => {
  expect(allowed({ Action })).toBe(expected);
});

test.each<[string | string[], boolean]>([
  ['*', true],
  ['arn:aws:dynamodb:*:*:table/*', true],
  ['arn:aws:dynamodb:eu-west-?:123456789012:table/locks', true],
  ['arn:aws:dynamodb:eu-west-1:123456789012:table/Locks', false],
  ['arn:aws:*:::table/locks', false],
  [['arn:aws:dynamodb:eu-west-1:123456789012:table/shop', TABLE], true],
  // A literal star, written as a variable.
  [`${TABLE}\${*}`, false],
])(
  'Resource is case-sensitive; a wildcard stays within its part of the ARN, of which the last is the rest: %j',
  (Resource, expected) => {
    expect(allowed({ Resource })).toBe(expected);
  },
);

test.each<[string, string, string, boolean]>([
  ['StringEquals', 'digest', 'digest', true],
  ['StringEquals', 'digest', 'Digest', false],
  ['StringEquals', 'dig*', 'digest', false],
  ['StringLike', 'dig*', 'dig', true],
  ['StringLike', '*e?t', 'digest', true],
  ['StringLike', 'di.*', 'digest', false],
  ['StringLike', 'a*c', 'a\nb/c', true],
  ['StringLike', 'digest', 'digests', false],
  // Policy variables with fixed values stand for characters that have a meaning.
  ['StringLike', 'a${*}b', 'axb', false],
  ['StringLike', 'a${?}*', 'axbc', false],
  ['StringEquals', 'a${$}b', 'a$b', true],
  ['StringEquals', '${$}{${*}}', '${*}', true],
])(
  'StringEquals is exact and case-sensitive, StringLike has wildcards: %s %j of %j',
  (operator, pattern, value, expected) => {
    expect(allowed({ Condition: { [operator]: { a: pattern } } }, { a: value })).toBe(expected);
  },
);

test.each<[string, object, boolean]>([
  ['a key that is not in the request does not match', { StringLike: { c: '*' } }, false],
  ['names of keys are not case-sensitive', { StringEquals: { A: '1' } }, true],
  ['values are combined by or', { StringEquals: { a: ['0', '1'] } }, true],
  ['keys are combined by and', { StringEquals: { a: '1', b: '1' } }, false],
  ['operators are combined by and', { StringEquals: { a: '1' }, StringLike: { b: '1*' } }, false],
])('%s', (_, Condition, expected) => {
  expect(allowed({ Condition }, { a: '1', b: '2' })).toBe(expected);
});

const oneOf = { 'ForAllValues:StringEquals': { keys: ['a', 'b'] } };
const like = { 'ForAllValues:StringLike': { keys: ['a*', 'b'] } };
const some = { Null: { keys: 'false' } };

test.each<[object, string[] | undefined, boolean]>([
  [oneOf, ['b', 'a'], true],
  [oneOf, ['a', 'c'], false],
  [like, ['a1', 'b1'], false],
  [oneOf, [], true],
  [oneOf, undefined, true],
  [{ ...oneOf, ...some }, ['a'], true],
  [{ ...oneOf, ...some }, [], false],
  [{ ...oneOf, ...some }, [''], false],
  [{ ...oneOf, ...some }, undefined, false],
  [{ Null: { keys: 'true' } }, undefined, true],
])(
  'ForAllValues: every value of the request matches one of the policy, none too unless Null asks for some: %j of %j',
  (Condition, keys, expected) => {
    expect(allowed({ Condition }, keys && { keys })).toBe(expected);
  },
);

test.each<[string, unknown, string]>([
  ['another version', { Version: '2008-10-17', Statement: [] }, 'policy of version 2008-10-17'],
  ['no object', policy('allow'), 'statement is no object'],
  ['a deny', policy({ ...allow, Effect: 'Deny' }), 'statement with effect Deny'],
  ['NotAction', policy({ Effect: 'Allow', NotAction: 's3:*', Resource: TABLE }), 'statement with NotAction'],
  ['a variable in an action', policy({ ...allow, Action: 'dynamodb:${*}' }), 'action dynamodb:${*}'],
  ['no resource', policy({ ...allow, Resource: [] }), '[] where texts are expected'],
  ['an intrinsic function', policy({ ...allow, Resource: { Ref: 'T' } }), '{"Ref":"T"} where texts are expected'],
  ['no ARN', policy({ ...allow, Resource: 'table/locks' }), 'resource table/locks'],
  ['a variable before the fifth colon', policy({ ...allow, Resource: 'a:b:c:${*}:e:f' }), 'resource a:b:c:${*}:e:f'],
  ['a variable of a request', policy({ ...allow, Resource: 'a:b:c:d:e:${f:g}' }), 'policy variable ${f:g}'],
  ['another operator', policy({ ...allow, Condition: { Bool: { a: 'true' } } }), 'condition with Bool'],
  ['IfExists', conditional('StringEqualsIfExists'), 'condition with StringEqualsIfExists'],
  ['Null with anything else', conditional('Null'), 'Null with value'],
  ['many values without a set operator', conditional('StringEquals'), 'a multivalued key without a set operator'],
])('throws for what it does not know, although another statement decides: %s', (_, document, message) => {
  const { Statement: statements, ...rest } = document as { Statement: unknown[] };
  const unrelated = { ...allow, Action: 's3:GetObject' };

  expect(() =>
    isAllowed({ ...rest, Statement: [allow, ...statements, unrelated] }, { ...request, context: { many: ['value'] } }),
  ).toThrow(new Error(message));
});

test.each([
  [{ Resource: [{ 'Fn::GetAtt': ['Table', 'Arn'] }] }, { Resource: ['arn:aws:fake:eu-west-1:123456789012:Table'] }],
  [{ 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':dynamodb']] }, 'arn:aws:dynamodb'],
])('deployed gives each resource an ARN made of its logical id, and joins: %j', (part, expected) => {
  expect(deployed(part)).toEqual(expected);
});

test.each([{ Ref: 'Parameter' }, { 'Fn::GetAtt': ['Table', 'StreamArn'] }, { 'Fn::Sub': 'x' }])(
  'deployed throws for %j, which it does not know',
  (intrinsic) => {
    expect(() => deployed({ Resource: intrinsic })).toThrow(Error);
  },
);
