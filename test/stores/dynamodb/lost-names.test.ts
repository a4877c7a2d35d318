import { describe, expect, test } from 'vitest';
import { mockedLocks } from './mocked-locks.js';
import { refused } from './sdk-errors.js';

const REFUSED = { $fault: 'client', $metadata: { httpStatusCode: 400, attempts: 1 } };

/** Places in which an error carries its code, and no name of its own. */
const SHAPES: readonly (readonly [string, (code: string, more: object) => unknown])[] = [
  [
    'in __type and in the message, as @aws-sdk/core 3.911 to 3.973 leaves it among several copies',
    (code, more) =>
      Object.assign(new Error(code), { ...REFUSED, ...more, __type: `com.amazonaws.dynamodb.v20120810#${code}` }),
  ],
  ['in __type alone', (code, more) => Object.assign(new Error('no'), { ...REFUSED, ...more, __type: code })],
  ['in the message alone', (code, more) => Object.assign(new Error(code), { ...REFUSED, ...more })],
  ['as its code', (code, more) => Object.assign(new Error('no'), { ...REFUSED, ...more, code })],
  ['as its Code', (code, more) => Object.assign(new Error('no'), { ...REFUSED, ...more, Code: code })],
  [
    'in a header of the response',
    (code, more) =>
      Object.assign(new Error('no'), {
        ...REFUSED,
        ...more,
        $response: { headers: { 'x-amzn-errortype': `${code}:http://internal.amazon.com/coral/` } },
      }),
  ],
  [
    'in __type, under the name of the service',
    (code, more) =>
      Object.assign(new Error('no'), { ...REFUSED, ...more, name: 'DynamoDBServiceException', __type: `x#${code}` }),
  ],
  ['under a minified name', (code, more) => Object.assign(new Error(code), { ...REFUSED, ...more, name: 'e' })],
  [
    'in the cause of an error of a wrapper',
    (code, more) =>
      new Error('the query failed', { cause: Object.assign(new Error('no'), { ...REFUSED, ...more, name: code }) }),
  ],
  ['on an object that is not an Error', (code, more) => ({ ...REFUSED, ...more, name: code, message: 'no' })],
];

describe.each(SHAPES)('F122 an error with its code %s', (_, error) => {
  test('that refuses a write is a refusal', async () => {
    const { mock, table, run } = mockedLocks();
    await run(() => {});
    const held = { ...table.item('digest'), state: 'held', lockUntil: 4e12, attemptId: 'other' };
    const { Item } = refused(held) as { Item?: object };
    mock.callsFake(() => Promise.reject(error('ConditionalCheckFailedException', { Item })));

    expect(await run(() => expect.unreachable())).toMatchObject({ status: 'skipped', reason: 'locked' });
  });

  test('that throttles is tried again', async () => {
    const { mock, run, sent } = mockedLocks();
    const { send } = mock;
    send.onFirstCall().rejects(error('ThrottlingException', {}) as Error);

    expect(await run(() => 'done')).toMatchObject({ status: 'executed' });
    expect(sent()).toEqual(['acquire', 'acquire', 'release']);
  });

  test.each([
    ['ResourceNotFoundException', 'TABLE_NOT_FOUND'],
    ['AccessDeniedException', 'ACCESS_DENIED'],
    ['ValidationException', 'INVALID_REQUEST'],
  ])('of %s is told as %s', async (code, expected) => {
    const { mock, run } = mockedLocks();
    mock.callsFake(() => Promise.reject(error(code, {})));

    await expect(run(() => {}, { onStoreError: 'run' })).rejects.toMatchObject({ code: expected });
  });

  test('of a server is an outage', async () => {
    const { mock, run } = mockedLocks();
    mock.callsFake(() =>
      Promise.reject(error('InternalServerError', { $fault: 'server', $metadata: { httpStatusCode: 500 } })),
    );

    await expect(run(() => {})).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
