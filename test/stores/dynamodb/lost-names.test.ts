import { describe, expect, test } from 'vitest';
import { held, mockedLocks, refused } from './mocked-locks.js';

const failed = (message: string, more: object) => {
  const $metadata = { httpStatusCode: 400, attempts: 1 };
  return Object.assign(new Error(message), { $fault: 'client', $metadata, ...more });
};

/** Places in which an error carries its code, and no name of its own. */
const SHAPES: Readonly<Record<string, (code: string, more: object) => unknown>> = {
  'in __type and in the message, as @aws-sdk/core 3.911 to 3.973 leaves it among several copies': (code, more) =>
    failed(code, { ...more, __type: `com.amazonaws.dynamodb.v20120810#${code}` }),
  'in __type alone': (code, more) => failed('no', { ...more, __type: code }),
  'in the message alone': (code, more) => failed(code, more),
  'as its code': (code, more) => failed('no', { ...more, code }),
  'as its Code': (code, more) => failed('no', { ...more, Code: code }),
  'in a header of the response': (code, more) => {
    const headers = { 'x-amzn-errortype': `${code}:http://internal.amazon.com/coral/` };
    return failed('no', { ...more, $response: { headers } });
  },
  'in __type, under the name of the service': (code, more) =>
    failed('no', { ...more, name: 'DynamoDBServiceException', __type: `x#${code}` }),
  'under a minified name': (code, more) => failed(code, { ...more, name: 'e' }),
  'in the cause of an error of a wrapper': (code, more) =>
    new Error('the query failed', { cause: failed('no', { ...more, name: code }) }),
  'on an object that is not an Error': (code, more) => ({ ...failed('no', more), name: code, message: 'no' }),
};

describe.each(Object.entries(SHAPES))('F122 an error with its code %s', (_, error) => {
  test('that refuses a write is a refusal, and one that throttles is tried again', async () => {
    const { mock, run, sent } = mockedLocks();
    mock.send.onFirstCall().rejects(error('ThrottlingException', {}) as Error);

    expect(await run(() => 'done')).toMatchObject({ status: 'executed' });
    expect(sent()).toEqual(['acquire', 'acquire', 'release']);
    const { Item } = refused(held);
    mock.callsFake(() => Promise.reject(error('ConditionalCheckFailedException', { Item })));
    expect(await run(() => expect.unreachable())).toMatchObject({ status: 'skipped', reason: 'locked' });
  });

  test.each([
    ['ResourceNotFoundException', 'TABLE_NOT_FOUND', {}],
    ['AccessDeniedException', 'ACCESS_DENIED', {}],
    ['ValidationException', 'INVALID_REQUEST', {}],
    ['InternalServerError', 'UNAVAILABLE', { $fault: 'server', $metadata: { httpStatusCode: 500 } }],
  ])('of %s is told as %s', async (code, expected, more) => {
    const { mock, run } = mockedLocks();
    mock.callsFake(() => Promise.reject(error(code, more)));

    await expect(run(() => {})).rejects.toMatchObject({ code: expected });
  });
});
