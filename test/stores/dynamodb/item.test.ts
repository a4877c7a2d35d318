import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { plainItem } from '../../../src/stores/dynamodb/answer.js';

test.each<[string, unknown, unknown]>([
  ['text', 'held', 'held'],
  ['a number', 5, 5],
  ['a raw text', { S: 'held' }, 'held'],
  ['a raw number', { N: '5' }, 5],
  ['a wrapped number', NumberValue.from('5'), 5],
  ['a bigint', 5n, 5],
  ['null', null, null],
  ['true', true, true],
  ['something that is neither', { L: [] }, { L: [] }],
])('%s is read as plain text or a plain number, where it is one', (_, stored, plain) => {
  expect(plainItem({ attribute: stored })).toEqual({ attribute: plain });
});
