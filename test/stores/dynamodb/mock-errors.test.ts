import type { GetCommandInput } from '@aws-sdk/lib-dynamodb';
import { lockAdmin } from 'single-execution/admin';
import { dynamoDBAdminStore } from 'single-execution/dynamodb';
import { describe, expect, test } from 'vitest';
import { mockedLocks } from './mocked-locks.js';
import { ANSWERED } from './sdk-errors.js';

const SECRET = 'arn:aws:iam::123456789012:user/alice key AKIAIOSFODNN7EXAMPLE';

/** An error like those of the SDK. Its message contains a secret, which no log may show. */
function sdkError(
  name: string,
  message = `${name}: ${SECRET}`,
  details: object = { $fault: 'client', $metadata: { httpStatusCode: 400 } },
) {
  return Object.assign(new Error(message), { name, ...details });
}

const fail = () => {
  throw new Error('the task must not run');
};

describe('F16 an error of the setup is thrown at once, whatever onStoreError is', () => {
  test.each<[string, Error, string, RegExp]>([
    [
      'no such table',
      sdkError('ResourceNotFoundException', `Requested resource not found ${SECRET}`),
      'TABLE_NOT_FOUND',
      /table 'locks' does not exist .*; correct tableName or the region, or make it with createLockTable or single-execution table create$/,
    ],
    [
      'not allowed',
      sdkError('AccessDeniedException'),
      'ACCESS_DENIED',
      /AccessDeniedException; .*allow it dynamodb:UpdateItem on table 'locks'$/,
    ],
    [
      'another key',
      sdkError('ValidationException', `The provided key element does not match the schema ${SECRET}`),
      'KEY_SCHEMA',
      /table 'locks' has another key; pass its partitionKey, and its sortKey if it has one/,
    ],
    [
      'a key missing',
      sdkError('ValidationException', `One of the required keys was not given a value ${SECRET}`),
      'KEY_SCHEMA',
      /pass its partitionKey/,
    ],
    ['a foreign key id', sdkError('UnrecognizedClientException'), 'ACCESS_DENIED', /valid credentials/],
    ['an expired token', sdkError('ExpiredTokenException'), 'ACCESS_DENIED', /valid credentials/],
    ['a wrong secret', sdkError('InvalidSignatureException'), 'ACCESS_DENIED', /valid credentials/],
    ['an error of a new name', sdkError('SomethingNew'), 'INVALID_REQUEST', /refused the request \(SomethingNew\);/],
  ])('%s', async (_, cause, code, remedy) => {
    for (const onStoreError of ['throw', 'skip', 'run'] as const) {
      const { run, mock, sent, clock, observer } = mockedLocks();
      mock.rejects(cause);

      const error = await run(fail, { onStoreError }).catch((thrown) => thrown);

      expect(error).toMatchObject({ name: 'LockStoreError', code, operation: 'acquire', retryable: false });
      expect(error.message).toMatch(/^acquire of lock "digest" failed: /);
      expect(error.message).toMatch(remedy);
      expect(`${error} ${JSON.stringify(error)}`).not.toContain('AKIA');
      expect(error.cause).toBe(cause);
      expect(sent()).toEqual(['acquire']);
      expect(clock.monotonic()).toBe(0);
      expect(observer.events).toMatchObject([{ type: 'attempted' }, { type: 'acquire-failed', error }]);
    }
  });
});

test.each(['ThrottlingException', 'ProvisionedThroughputExceededException', 'RequestLimitExceeded'])(
  'F17 throttled by %s for good: bounded retries, no cancel, then a LockStoreError',
  async (name) => {
    const { run, mock, sent, clock, observer } = mockedLocks();
    const cause = sdkError(name);
    mock.rejects(cause);

    const error = await run(fail).catch((thrown) => thrown);

    expect(error).toMatchObject({ name: 'LockStoreError', code: 'UNAVAILABLE', retryable: true, cause });
    expect(error.message).not.toContain('AKIA');
    expect(sent().length).toBeGreaterThan(4);
    expect(sent().length).toBeLessThan(100);
    expect(sent()).not.toContain('cancel');
    expect(clock.monotonic()).toBeLessThanOrEqual(5_025);
    expect(observer.types()).toEqual(['attempted', 'acquire-failed']);
  },
);

test('F121 no credentials for good: tried again within the time of the call, no cancel, then ACCESS_DENIED', async () => {
  for (const onStoreError of ['throw', 'skip', 'run'] as const) {
    const { run, mock, sent, clock } = mockedLocks();
    mock.rejects(sdkError('CredentialsProviderError', `no ${SECRET}`, {}));

    const error = await run(fail, { onStoreError }).catch((thrown) => thrown);

    expect(error).toMatchObject({ name: 'LockStoreError', code: 'ACCESS_DENIED', retryable: false });
    expect(error.message).toMatch(/CredentialsProviderError; set valid credentials for this role/);
    expect(`${error} ${JSON.stringify(error)}`).not.toContain('AKIA');
    expect(new Set(sent())).toEqual(new Set(['acquire']));
    expect(sent().length).toBeGreaterThan(4);
    expect(clock.monotonic()).toBeLessThanOrEqual(5_025);
  }
});

test('F2 an answer that breaks off counts as no answer, whatever its status', async () => {
  const { run, mock, sent } = mockedLocks();
  mock.rejectsOnce(sdkError('SyntaxError', SECRET, { $metadata: { httpStatusCode: 400 } }));

  expect(await run(() => 'sent')).toMatchObject({ status: 'executed', value: 'sent' });
  expect(sent()).toEqual(['acquire', 'acquire', 'release']);
});

describe('what may have been applied is cancelled, and nothing else', () => {
  test.each<[string, unknown, string[]]>([
    ['was never sent', sdkError('Error', SECRET, { code: 'ECONNREFUSED', syscall: 'connect' }), []],
    ['found no way to any address', sdkError('AggregateError', SECRET, { code: 'ENETUNREACH' }), []],
    ['lost its way once it was sent', sdkError('Error', SECRET, { code: 'EHOSTUNREACH', syscall: 'read' }), ['cancel']],
    ['met a conflict between regions', sdkError('ReplicatedWriteConflictException'), ['cancel']],
    [
      'was answered 502 by a gateway that could not connect',
      sdkError('BadGateway', 'connect ECONNREFUSED', { $metadata: { httpStatusCode: 502 } }),
      ['cancel'],
    ],
    ['was answered 500', sdkError('InternalServerError', SECRET, { $metadata: { httpStatusCode: 500 } }), ['cancel']],
    ['failed with null', null, ['cancel']],
    ['failed with undefined', undefined, ['cancel']],
    ['failed with an object without a name', { name: 7 }, ['cancel']],
  ])('a write that %s is tried again', async (_, cause, last) => {
    const { run, mock, sent } = mockedLocks();
    mock.callsFake(() => Promise.reject(cause));

    const error = await run(fail).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: 'LockStoreError', code: 'UNAVAILABLE', lockName: 'digest' });
    expect(`${error} ${JSON.stringify(error)}`).not.toContain('AKIA');
    const verbs = sent();
    expect(verbs.filter((verb) => verb === 'acquire').length).toBeGreaterThan(1);
    expect([...new Set(verbs)]).toEqual(['acquire', ...last]);
  });

  test('a client that tried twice by itself before it was turned away', async () => {
    const { run, mock, sent } = mockedLocks();
    const details = { $metadata: { httpStatusCode: 400, attempts: 2 } };
    mock.rejectsOnce(sdkError('AccessDeniedException', SECRET, details));

    await expect(run(fail)).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    expect(sent()).toEqual(['acquire', 'cancel']);
  });
});

test.each<[string, 'list' | 'get' | 'resume', string]>([
  ['a list', 'list', 'dynamodb:Scan'],
  ['a look at one lock', 'get', 'dynamodb:GetItem'],
  ['a write', 'resume', 'dynamodb:UpdateItem'],
])('F16 %s that is not allowed names the right that is missing', async (_, verb, right) => {
  const { client, mock, clock } = mockedLocks();
  mock.rejects(sdkError('AccessDeniedException'));
  const admin = lockAdmin(dynamoDBAdminStore({ tableName: 'locks', client }), { clock });

  await expect(admin[verb]('digest')).rejects.toMatchObject({
    code: 'ACCESS_DENIED',
    message: expect.stringContaining(`allow it ${right} on table 'locks'`),
  });
});

test('operators read consistently', async () => {
  const { client, mock, clock } = mockedLocks();
  const admin = lockAdmin(dynamoDBAdminStore({ tableName: 'locks', client }), { clock });
  await admin.list();
  await admin.get('digest');

  expect(mock.calls().map(({ args }) => (args[0].input as GetCommandInput).ConsistentRead)).toEqual([true, true]);
});

test.each<[string, unknown]>([
  ['undefined', undefined],
  ['an empty object', {}],
  ['metadata without a request id', { $metadata: { httpStatusCode: 200 } }],
  ['a text', 'ok'],
  ['a list', []],
  ['attributes that are a text', { Attributes: 'x' }],
  ['attributes that are null', { Attributes: null }],
  ['attributes that are a list', { Attributes: [{}], ...ANSWERED }],
])('F123 a mock that answers with %s is named at once, with the remedy', async (_, answer) => {
  const { mock, run, sent } = mockedLocks();
  mock.reset();
  mock.callsFake(async () => answer);

  await expect(run(fail)).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    message: expect.stringContaining('use fakeLockTable(mock) of single-execution/testing'),
  });
  // A wrapped client may have sent the request.
  expect(sent()).toEqual(['acquire', 'cancel']);
});
