import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import fc from 'fast-check';
import { fakeLockTable } from 'single-execution/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { isReservedWord } from '../../src/testing/fake-dynamodb/reserved-words.js';
import { dynamoDBLocal, freshTable } from '../support/dynamodb-local.js';

/*
 * Compares the fake table with DynamoDB Local: every request is sent to both, and both must answer alike.
 */

const KEY = { lockName: 'digest' };
const ITEM = { n: 5, s: 'five', b: true, z: null, attemptId: 'a1', state: 'held' };

interface Table {
  put(item: object): unknown;
  update(request: object): Promise<unknown>;
  get(): Promise<unknown>;
}

let tableName: string;
let real: Table;
beforeAll(async () => {
  const { client } = dynamoDBLocal();
  tableName = await freshTable(client);
  const document = DynamoDBDocumentClient.from(client);
  real = tableOf(document, (item) =>
    document.send(new PutCommand({ TableName: tableName, Item: { ...KEY, ...item } })),
  );
});

function fake(): Table {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  const table = fakeLockTable(mockClient(client));
  return tableOf(client, (item) => table.put(KEY.lockName, item as Record<string, unknown>));
}

function tableOf(client: DynamoDBDocumentClient, put: Table['put']): Table {
  return {
    put,
    async update(request) {
      const at = { TableName: tableName, Key: KEY, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const };
      return client.send(new UpdateCommand({ ...at, ...request })).then(
        ({ Attributes }) => ({ Attributes }),
        ({ name, message, Item, $fault, $metadata: { httpStatusCode } = {} as Record<string, unknown> }) => {
          return { name, message, Item, $fault, status: httpStatusCode };
        },
      );
    },
    async get() {
      return (await client.send(new GetCommand({ TableName: tableName, Key: KEY, ConsistentRead: true }))).Item;
    },
  };
}

/** Puts an item into both tables, sends the requests to both, and compares each answer and the items at the end. */
async function expectAlike(item: object, requests: readonly object[], { messages = true } = {}): Promise<void> {
  const both = [real, fake()] as const;
  for (const table of both) await table.put(item);
  for (const request of requests) {
    const [actual, faked] = await Promise.all(both.map((table) => table.update(request)));
    const compared = (answer: unknown) => ({ ...(answer as object), ...(!messages && { message: undefined }) });
    expect(compared(faked), JSON.stringify(request)).toEqual(compared(actual));
  }
  expect(await both[1].get()).toEqual(await both[0].get());
}

/** Attribute values: `:v` is 1, and `others` are added. */
const values = (others: object) => ({ ExpressionAttributeValues: { ':v': 1, ...others } });
const V = values({});
const W = values({ ':w': 'text' });
const set = (UpdateExpression: string, more: object = V) => ({ UpdateExpression, ...more });
const when = (ConditionExpression: string, more: object = V) => ({
  UpdateExpression: 'SET x = :v',
  ConditionExpression,
  ...more,
});

// The property below has what random expressions come to. These rows have its words, and what it does not draw.
describe('what one request does', () => {
  test.each<[string, object]>([
    ['sum on a text', set('SET s = s + :v')],
    ['sum with a text given', set('SET n = n + :w', { ExpressionAttributeValues: { ':w': 'text' } })],
    ['sum on an absent attribute', set('SET x = y + :v')],
    ['sum of three', set('SET n = n + :v + :v')],
    ['if_not_exists, nested', set('SET x = if_not_exists(y, if_not_exists(q, :v))')],
    ['if_not_exists of a value', set('SET x = if_not_exists(:v, n)')],
    ['if_not_exists cut off', set('SET x = if_not_exists(n')],
    ['unknown function', set('SET x = if_exists(n, :v)')],
    ['keywords in small letters', set('set x = :v remove n')],
    ['value not defined', set('SET x = :v, y = :q')],
    ['value not used', set('SET x = :v', W)],
    ['values empty', set('SET x = n', { ExpressionAttributeValues: {} })],
    ['value with a bad key', set('SET x = :v', values({ w: 1 }))],
    ['name not defined', set('SET #x = :v')],
    ['name not used', set('SET x = :v', { ...V, ExpressionAttributeNames: { '#q': 'q' } })],
    ['names empty', set('SET x = :v', { ...V, ExpressionAttributeNames: {} })],
    ['name with a bad key', set('SET x = :v', { ...V, ExpressionAttributeNames: { q: 'q' } })],
    ['name with spaces in it', set('SET #q = :v', { ...V, ExpressionAttributeNames: { '#q': 'a name: with (all)' } })],
    ['name of Object.prototype', set('SET x = if_not_exists(constructor, :v)')],
    ['reserved word', set('SET state = :v')],
    ['reserved word behind a #', set('SET #s = :v', { ...V, ExpressionAttributeNames: { '#s': 'state' } })],
    ['key set', set('SET lockName = :v')],
    ['key removed', set('REMOVE lockName', {})],
    ['attribute set twice', set('SET x = :v, x = :v')],
    ['attribute set and removed', set('SET x = :v REMOVE x')],
    ['SET twice', set('SET x = :v SET y = :v')],
    ['nothing to set', set('SET x = ')],
    ['no comma too many', set('SET x = :v,')],
    ['two equal signs', set('SET x == :v')],
    ['strange sign', set('SET x = :v %')],
    ['name that begins with a line', set('SET _x = :v')],
    ['name that begins with a digit', set('SET 0x = :v')],
    ['no expression', set('', {})],
    ['unknown section', set('PUT x = :v')],
    ['difference of an absent attribute', when('y <> :v')],
    ['boolean, below', when('n < :b', values({ ':b': true }))],
    ['boolean attribute, below', when('b < :v')],
    ['an attribute and itself', when('n = n')],
    ['value exists', when('attribute_exists(:v)')],
    ['unknown function in a condition', when('attribute_is_there(n)')],
    ['function in capitals', when('ATTRIBUTE_EXISTS(n)')],
    ['a text contains nothing', when('contains(s, :w)', values({ ':w': '' }))],
    ['a value contains an attribute', when('contains(:w, s)', values({ ':w': 'fives' }))],
    ['a value contains itself', when('contains(:w, :w)', W)],
    ['a value contains a value', when('contains(:w, :x)', values({ ':w': 'text', ':x': 'ex' }))],
    ['an attribute contains itself', when('contains(s, s)')],
    [
      'an attribute behind a # contains itself',
      when('contains(#s, s)', { ...V, ExpressionAttributeNames: { '#s': 's' } }),
    ],
    ['a reserved word contains a text', when('contains(state, :w)', W)],
    ['contains of one operand', when('contains(s)')],
    ['contains of three operands', when('contains(s, :v, :w)', W)],
    ['contains of nothing', when('contains()')],
    ['contains cut off', when('contains(s, :w', W)],
    ['contains in capitals', when('CONTAINS(s, :w)', W)],
    ['keywords of a condition in small letters', when('not n = :v and n <> :v or n = :v')],
    ['redundant parentheses', when('((n <> :v))')],
    ['parentheses side by side', when('((n <> :v) OR (n = :v))')],
    ['parentheses open', when('(n <> :v')],
    ['parentheses closed', when('n <> :v)')],
    ['reserved word in a condition', when('Error = :v')],
    ['condition cut off', when('n =')],
    ['condition of one operand', when('n')],
    ['two conditions without a word between', when('n = :v s = :v')],
    ['no condition', when('')],
    ['value not defined in a condition', when('n = :q')],
    ['refused, without it', when('n = :v', { ...V, ReturnValuesOnConditionCheckFailure: 'NONE' })],
    ['refused before the sum is found to be none', { ...set('SET s = s + :v'), ConditionExpression: 'n = :v' }],
  ])('%s', async (_, request) => {
    await expectAlike(ITEM, [request]);
  });

  test.each<[string, object]>([
    ['no key', {}],
    ['another key', { pk: 'digest' }],
    ['one key too many', { lockName: 'digest', sk: 'lock' }],
    ['an empty key', { lockName: '' }],
    ['a number', { lockName: 7 }],
    ['2,048 bytes', { lockName: 'ü'.repeat(1_024) }],
    ['2,049 bytes', { lockName: `${'ü'.repeat(1_024)}x` }],
  ])('%s as the key', async (_, Key) => {
    await expectAlike(ITEM, [{ Key, UpdateExpression: 'REMOVE y' }]);
  });

  test('refuses reserved words, and no others', async () => {
    const words = ['state', 'result', 'error', 'name', 'Status', 'TTL', 'lockName', 'lockUntil', 'tick', 'token', 'r7'];
    for (const word of words) {
      const answer = await real.update({ UpdateExpression: `REMOVE ${word}x, ${word}` });
      expect(answer, word).toMatchObject(
        isReservedWord(word) ? { message: expect.stringContaining('reserved keyword') } : {},
      );
    }
  });
});

// test/stores/equality.test.ts compares the requests of a store; test/hostile/records.test.ts does so on any record.
test('random expressions, also such as no store would make', async () => {
  // What is refused is seldom: an expression of several parts would hardly ever be evaluated.
  const mostly = (sound: readonly string[], refused: readonly string[]) =>
    fc.oneof(
      { weight: 30, arbitrary: fc.constantFrom(...sound) },
      { weight: 1, arbitrary: fc.constantFrom(...refused) },
    );
  const attribute = mostly(['n', 's', 'b', 'z', 'absent', '#state', 'attemptId'], ['state', '#undefined']);
  const value = mostly([':one', ':five', ':text', ':part'], [':true', ':null', ':undefined']);
  const operand = fc.oneof({ weight: 3, arbitrary: attribute }, { weight: 2, arbitrary: value });
  const { condition } = fc.letrec<{ condition: string; comparison: string }>((tie) => ({
    comparison: fc
      .tuple(operand, fc.constantFrom('=', '<>', '<', '<=', '>', '>='), operand)
      .map((parts) => parts.join(' ')),
    condition: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      tie('comparison'),
      attribute.map((name) => `attribute_exists(${name})`),
      attribute.map((name) => `attribute_not_exists(${name})`),
      fc.tuple(operand, operand).map((parts) => `contains(${parts.join(', ')})`),
      tie('condition').map((inner) => `NOT ${inner}`),
      tie('condition').map((inner) => `(${inner})`),
      fc.tuple(tie('condition'), fc.constantFrom('AND', 'OR'), tie('condition')).map((parts) => parts.join(' ')),
    ),
  }));
  const term = fc.oneof(
    operand,
    fc.tuple(attribute, operand).map(([name, fallback]) => `if_not_exists(${name}, ${fallback})`),
  );
  const assigned = fc.oneof(
    { weight: 2, arbitrary: term },
    fc.tuple(term, fc.constantFrom('+', '-'), term).map((parts) => parts.join(' ')),
  );
  const update = fc
    .tuple(
      fc.array(
        fc.tuple(attribute, assigned).map((parts) => parts.join(' = ')),
        { minLength: 1, maxLength: 3 },
      ),
      fc.array(attribute, { maxLength: 2 }),
    )
    .map(([sets, removes]) => `SET ${sets.join(', ')}${removes.length > 0 ? ` REMOVE ${removes.join(', ')}` : ''}`);
  const values = { ':one': 1, ':five': 5, ':text': 'five', ':part': 'iv', ':true': true, ':null': null };

  await fc.assert(
    fc.asyncProperty(
      fc.array(
        // Mostly an update that is never refused, so that the condition decides.
        fc.tuple(fc.oneof(update, fc.constant('SET x = :one')), fc.option(condition, { nil: undefined })),
        { minLength: 1, maxLength: 4 },
      ),
      (expressions) => {
        const requests = expressions.map(([UpdateExpression, ConditionExpression]) => {
          const text = `${UpdateExpression} ${ConditionExpression}`;
          const used = Object.entries(values).filter(([placeholder]) => text.includes(placeholder));
          return {
            UpdateExpression,
            ...(ConditionExpression !== undefined && { ConditionExpression }),
            ...(text.includes('#state') && { ExpressionAttributeNames: { '#state': 'state' } }),
            ...(used.length > 0 && { ExpressionAttributeValues: Object.fromEntries(used) }),
            ReturnValues: 'ALL_OLD',
          };
        });
        return expectAlike(ITEM, requests, { messages: false });
      },
    ),
    { numRuns: 400 },
  );
});
