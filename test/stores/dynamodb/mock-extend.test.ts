import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { LockLostError } from 'single-execution';
import { describe, expect, test } from 'vitest';
import { mockedLocks } from './mocked-locks.js';
import { refused } from './sdk-errors.js';

const NOW = Date.UTC(2026, 0, 1);
const EXTEND: Partial<UpdateCommandInput> = { UpdateExpression: 'SET lockUntil = :until' };
/** The end of lease that an extension by five minutes asks for at time NOW, with the lease pad. */
const UNTIL = NOW + 302_000;

/** Extends the lock by five minutes. DynamoDB refuses the extension, and returns this item. */
function extendRefusedBy(item: object) {
  const { run, mock, observer } = mockedLocks();
  const extended = run(async ({ extend }) => {
    const grant = mock.call(0).args[0].input as UpdateCommandInput;
    const ours = { attemptId: grant.ExpressionAttributeValues?.[':att'], state: 'held', lockUntil: UNTIL };
    mock.on(UpdateCommand, EXTEND).rejects(refused({ ...ours, ...item }));
    await extend('5m');
  });
  return { extended, observer };
}

// The contract proves that one which was applied before is extended.
describe('an extension that is refused', () => {
  test.each([
    ['somebody else holds, for longer', { attemptId: 'a-foreign', lockUntil: UNTIL + 60_000 }],
    ['was released, and is kept for longer', { state: 'released', lockUntil: UNTIL + 60_000 }],
    ['is held for less', { lockUntil: UNTIL - 1 }],
  ])('F51 has lost the lock that %s', async (_, item) => {
    const { extended, observer } = extendRefusedBy(item);

    await expect(extended).rejects.toThrow(LockLostError);
    expect(observer.types()).toContain('lost');
    expect(observer.types()).not.toContain('extended');
  });
});
