import type { GetCommandInput } from '@aws-sdk/lib-dynamodb';
import { lockAdmin } from 'single-execution/admin';
import { dynamoDBAdminStore } from 'single-execution/dynamodb';
import { describe, expect, test } from 'vitest';
import { failureOf, says } from '../../support/settled.js';
import { ANSWERED, mockedLocks } from './mocked-locks.js';

const SECRET = 'arn:aws:iam::123456789012:user/alice key AKIAIOSFODNN7EXAMPLE';
const REFUSED = { $fault: 'client', $metadata: { httpStatusCode: 400 } };

/** An error like those of the SDK. Its message contains a secret, which no log may show. */
const sdkError = (name: string, message = name, details: object = REFUSED) =>
  Object.assign(new Error(`${message} ${SECRET}`), { name, ...details });

const fail = () => expect.unreachable();

/** The error of a run whose requests are all answered so. */
async function failedBy(cause: unknown, options: object = {}) {
  const locks = mockedLocks();
  locks.mock.callsFake(() => Promise.reject(cause));
  const error = await failureOf(locks.run(fail, options));
  expect(`${error} ${JSON.stringify(error)}`).not.toContain('AKIA');
  return { ...locks, error };
}

describe('F16 an error of the setup is thrown at once, whatever onStoreError is', () => {
  const KEY = /table 'locks' has another key; pass its partitionKey, and its sortKey if it has one/;
  test.each<[string, Error, string, RegExp]>([
    [
      'no such table',
      sdkError('ResourceNotFoundException'),
      'TABLE_NOT_FOUND',
      /table 'locks' does not exist .*; correct tableName or the region, or make it with createLockTable or single-execution table create$/,
    ],
    [
      'not allowed',
      sdkError('AccessDeniedException'),
      'ACCESS_DENIED',
      /AccessDeniedException; .*allow it dynamodb:UpdateItem on table 'locks'$/,
    ],
    ['another key', sdkError('ValidationException', 'The provided key element does not match'), 'KEY_SCHEMA', KEY],
    ['a key missing', sdkError('ValidationException', 'One of the required keys was not given'), 'KEY_SCHEMA', KEY],
    ['a foreign key id', sdkError('UnrecognizedClientException'), 'ACCESS_DENIED', /valid credentials/],
    ['an expired token', sdkError('ExpiredTokenException'), 'ACCESS_DENIED', /valid credentials/],
    ['a wrong secret', sdkError('InvalidSignatureException'), 'ACCESS_DENIED', /valid credentials/],
    ['an error of a new name', sdkError('SomethingNew'), 'INVALID_REQUEST', /refused the request \(SomethingNew\);/],
  ])('%s', async (_, cause, code, remedy) => {
    for (const onStoreError of ['throw', 'skip', 'run'] as const) {
      const { error, sent, clock, observer } = await failedBy(cause, { onStoreError });

      expect(error).toMatchObject({ name: 'LockStoreError', code, operation: 'acquire', retryable: false });
      expect(error.message).toMatch(/^acquire of lock "digest" failed: /);
      expect(error.message).toMatch(remedy);
      expect(error.cause).toBe(cause);
      expect(sent()).toEqual(['acquire']);
      expect(clock.monotonic()).toBe(0);
      expect(observer.events).toMatchObject([{ type: 'attempted' }, { type: 'acquire-failed', error }]);
    }
  });
});

test.each([
  ['F17 throttled by', 'ThrottlingException', REFUSED, 'UNAVAILABLE'],
  ['F17 throttled by', 'ProvisionedThroughputExceededException', REFUSED, 'UNAVAILABLE'],
  ['F17 throttled by', 'RequestLimitExceeded', REFUSED, 'UNAVAILABLE'],
  // test/stores/dynamodb/client-mistakes.ts has credentials that fail in other ways.
  ['F121 without credentials, as by', 'CredentialsProviderError', {}, 'ACCESS_DENIED'],
])('%s %s for good: bounded retries, no cancel, then a LockStoreError', async (_, name, details, code) => {
  const cause = sdkError(name, name, details);
  const { error, sent, clock, observer } = await failedBy(cause);

  expect(error).toMatchObject({ name: 'LockStoreError', code, retryable: code === 'UNAVAILABLE', cause });
  expect(sent().length).toBeGreaterThan(4);
  expect(sent().length).toBeLessThan(100);
  expect(new Set(sent())).toEqual(new Set(['acquire']));
  expect(clock.monotonic()).toBeLessThanOrEqual(5_025);
  expect(observer.types()).toEqual(['attempted', 'acquire-failed']);
});

test('F2 an answer that breaks off counts as no answer, whatever its status', async () => {
  const { run, mock, sent } = mockedLocks();
  mock.rejectsOnce(sdkError('SyntaxError', '', { $metadata: { httpStatusCode: 400 } }));

  expect(await run(() => 'sent')).toMatchObject({ status: 'executed', value: 'sent' });
  expect(sent()).toEqual(['acquire', 'acquire', 'release']);
});

describe('what may have been applied is cancelled, and nothing else', () => {
  const status = (httpStatusCode: number) => ({ $metadata: { httpStatusCode } });
  test.each<[string, unknown, string[]]>([
    ['was never sent', sdkError('Error', '', { code: 'ECONNREFUSED', syscall: 'connect' }), []],
    ['found no way to any address', sdkError('AggregateError', '', { code: 'ENETUNREACH' }), []],
    ['lost its way once it was sent', sdkError('Error', '', { code: 'EHOSTUNREACH', syscall: 'read' }), ['cancel']],
    ['met a conflict between regions', sdkError('ReplicatedWriteConflictException'), ['cancel']],
    ['was answered 502 by a gateway', sdkError('BadGateway', 'connect ECONNREFUSED', status(502)), ['cancel']],
    ['was answered 500', sdkError('InternalServerError', '', status(500)), ['cancel']],
    ['failed with null', null, ['cancel']],
    ['failed with undefined', undefined, ['cancel']],
    ['failed with an object without a name', { name: 7 }, ['cancel']],
  ])('a write that %s is tried again', async (_, cause, last) => {
    const { error, sent } = await failedBy(cause);

    expect(error).toMatchObject({ name: 'LockStoreError', code: 'UNAVAILABLE', lockName: 'digest' });
    const verbs = sent();
    expect(verbs.filter((verb) => verb === 'acquire').length).toBeGreaterThan(1);
    expect([...new Set(verbs)]).toEqual(['acquire', ...last]);
  });

  test('a client that tried twice by itself before it was turned away', async () => {
    const { run, mock, sent } = mockedLocks();
    mock.rejectsOnce(sdkError('AccessDeniedException', '', { $metadata: { httpStatusCode: 400, attempts: 2 } }));

    await expect(run(fail)).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    expect(sent()).toEqual(['acquire', 'cancel']);
  });
});

function adminOf({ client, clock }: ReturnType<typeof mockedLocks>) {
  return lockAdmin(dynamoDBAdminStore({ tableName: 'locks', client }), { clock });
}

test.each([
  ['a list', 'list', 'dynamodb:Scan'],
  ['a look at one lock', 'get', 'dynamodb:GetItem'],
  ['a write', 'resume', 'dynamodb:UpdateItem'],
] as const)('F16 %s that is not allowed names the right that is missing', async (_, verb, right) => {
  const locks = mockedLocks();
  locks.mock.rejects(sdkError('AccessDeniedException'));

  const denied = says('ACCESS_DENIED', `allow it ${right} on table 'locks'`);
  await expect(adminOf(locks)[verb]('digest')).rejects.toMatchObject(denied);
});

test('operators read consistently', async () => {
  const locks = mockedLocks();
  await adminOf(locks).list();
  await adminOf(locks).get('digest');

  const inputs = locks.mock.calls().map(({ args }) => args[0].input as GetCommandInput);
  expect(inputs.map(({ ConsistentRead }) => ConsistentRead)).toEqual([true, true]);
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

  await expect(run(fail)).rejects.toMatchObject(
    says('INVALID_REQUEST', 'use fakeLockTable(mock) of single-execution/testing'),
  );
  // A wrapped client may have sent the request.
  expect(sent()).toEqual(['acquire', 'cancel']);
});
