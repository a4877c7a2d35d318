import { expect, test } from 'vitest';
import { isNumericAttribute, recordAttributes } from '../../../src/core/record/lock-record.js';
import { indexConflict, recordAttributeType } from '../../../src/core/values/record-attributes.js';

test('row 135 the table of attributes is that of the record', () => {
  for (const name of recordAttributes()) {
    expect([name, recordAttributeType(name)]).toEqual([name, isNumericAttribute(name) ? 'N' : 'S']);
  }
  expect(['lockName', 'r10', 'toString', ''].map(recordAttributeType)).toEqual(Array(4).fill(undefined));
});

test.each([
  [[{ name: 'customer', type: 'N' }], undefined],
  [[{ name: 'state', type: 'S' }], false],
  [[{ name: 'state', type: 'N' }], true],
  [[{ name: 'r3', type: 'B' }], true],
  [
    [
      { name: 'state', type: 'S' },
      { name: 'tick', type: 'S' },
    ],
    true,
  ],
  [
    [
      { name: 'lockName', type: 'S' },
      { name: 'lockUntil', type: 'N' },
    ],
    false,
  ],
])('row 135 an index with the keys %j', (keys, isFatal) => {
  expect(indexConflict({ name: 'by', keys })?.isFatal).toBe(isFatal);
});
