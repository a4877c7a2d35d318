import { expect, test } from 'vitest';
import { type LockRecord, readRecord } from '../../../src/core/record/lock-record.js';
import { deletedRecord } from '../../../src/core/record/operator.js';

const NOW_MS = 1_790_000_000_000;
const deletion = { name: 'job', adminId: 'd1', fencingToken: 5, nowMs: NOW_MS };

test.each<[string, object]>([
  ['microseconds', { releasedAt: 1.79e15, lockUntil: 1.79e15 }],
  ['a text', { releasedAt: '1790000000001', lockUntil: 'tomorrow' }],
  ['another bar than a text', { barredAttempt: 7 }],
])('a delete keeps nothing that is %s, so that it leaves a record which can be read', (_, corrupt) => {
  const left = deletedRecord(deletion, { state: 'released', fencingToken: 5, ...corrupt } as LockRecord);

  expect(readRecord('job', left)).toMatchObject({ state: 'deleted', fencingToken: 5, lockUntil: NOW_MS });
});
