import {
  CorruptLockError,
  LockStoreError,
  type LockStoreErrorCode,
  type StoreOperation,
} from '../../core/public/errors.js';
import { isUnsent, type TryFailure } from '../../core/request/try-loop.js';
import { errorName, readThrown, readThrownText } from '../../core/values/thrown.js';

/*
 * The meaning of the AWS SDK's errors: whether the write may have been applied, whether another try may help, and the
 * message for people. Errors are recognised by name, so that any version of the SDK works. Their messages are never
 * repeated; the error itself is kept as the cause.
 */

/**
 * `denied`, `no-table`, `refused`: a retry fails until somebody changes something. `throttled`, `unsent`: the write was
 * certainly not applied. `unknown`: the write may have been applied, as after a server error, a conflict between
 * regions or no answer.
 */
type Kind = 'denied' | 'no-table' | 'refused' | 'throttled' | 'unsent' | 'unknown';

const DENIED =
  /AccessDenied|UnrecognizedClient|InvalidSignature|SignatureDoesNotMatch|IncompleteSignature|MissingAuthenticationToken|ExpiredToken|InvalidClientTokenId|NotAuthorized|OptInRequired|CredentialsProvider|CredentialsError/;
const THROTTLED = /Throttl|ProvisionedThroughputExceeded|LimitExceeded|TooManyRequests|SlowDown/;
const CONFLICT = /ReplicatedWriteConflict|TransactionConflict|TransactionInProgress/;
const REFUSED = /ValidationException|SerializationException/;
/** DynamoDB's message if it cannot add to the token, the only attribute that it adds to. */
const UNCOUNTABLE = /incorrect (operand|data) type|38 (significant )?digits|number overflow/i;
const NO_REGION = 'Region is missing';
const MOCKED = 'the client is a mock without an answer: use fakeLockTable(mock) of single-execution/testing';

/** Whether a failed try may have been applied, and whether another try may help. */
export function classifyFailure(error: unknown): TryFailure {
  const kind = kindOf(error);
  // If the client itself tried more than once, an earlier try may have been applied.
  const attempts = metadataOf(error, 'attempts');
  const retried = typeof attempts === 'number' && attempts > 1;
  return {
    ambiguous: retried || kind === 'unknown',
    retry: kind === 'throttled' || kind === 'unsent' || kind === 'unknown',
  };
}

export function isConditionFailed(error: unknown): boolean {
  return nameOf(error) === 'ConditionalCheckFailedException';
}

export function isDenied(error: unknown): boolean {
  return kindOf(error) === 'denied';
}

/** Makes the error that callers see. Its message has the action, the lock, the problem and the remedy. */
export function failureOf(
  error: unknown,
  operation: StoreOperation,
  lockName: string,
  tableName: string,
): LockStoreError | CorruptLockError {
  if (nameOf(error) === 'ValidationException' && UNCOUNTABLE.test(messageOf(error))) {
    return new CorruptLockError(lockName, 'fencingToken', 'not a countable number', error);
  }
  const [code, why] = explain(error, operation, tableName);
  return new LockStoreError(`${operation} of lock "${lockName}" failed: ${why}`, {
    code,
    lockName,
    operation,
    retryable: code === 'UNAVAILABLE',
    cause: error,
  });
}

function explain(error: unknown, operation: StoreOperation, tableName: string): [LockStoreErrorCode, string] {
  const name = nameOf(error);
  const message = messageOf(error);
  switch (kindOf(error)) {
    case 'no-table':
      return [
        'TABLE_NOT_FOUND',
        `table '${tableName}' does not exist in this account and region; correct tableName or the region, or create the table`,
      ];
    case 'denied': {
      const needed = { list: 'Scan', get: 'GetItem', delete: 'GetItem and dynamodb:UpdateItem' }[operation as string];
      return [
        'ACCESS_DENIED',
        `${name}; give this role valid credentials and allow it dynamodb:${needed ?? 'UpdateItem'} on table '${tableName}'`,
      ];
    }
    case 'refused':
      if (name === 'MockAnswer') return ['INVALID_REQUEST', MOCKED];
      if (message === NO_REGION) return ['INVALID_REQUEST', 'the client has no region; set AWS_REGION'];
      return REFUSED.test(name) && /\bkeys?\b/i.test(message)
        ? [
            'KEY_SCHEMA',
            `table '${tableName}' has another key; pass its partitionKey, and its sortKey if it has one, both of type S`,
          ]
        : ['INVALID_REQUEST', `table '${tableName}' refused the request (${name}); see the cause`];
    default:
      return ['UNAVAILABLE', `table '${tableName}' did not answer (${name}); see the cause, and try again`];
  }
}

function kindOf(error: unknown): Kind {
  const name = nameOf(error);
  // The request was refused because of the time in its signature. The client has corrected its clock for the next try.
  if (metadataOf(error, 'clockSkewCorrected') === true) return 'unsent';
  if (DENIED.test(name)) return 'denied';
  if (/ResourceNotFound/.test(name)) return 'no-table';
  if (THROTTLED.test(name)) return 'throttled';
  if (CONFLICT.test(name)) return 'unknown';
  const status = metadataOf(error, 'httpStatusCode');
  if (status === undefined && isUnsent(error)) return 'unsent';
  // A status alone proves nothing: an answer that could not be read has no `$fault`.
  const isToldOf = readThrown(error, '$fault') === 'client';
  const isClientError = isToldOf && typeof status === 'number' && status >= 400 && status < 500;
  const isRefused = REFUSED.test(name) || isClientError || messageOf(error) === NO_REGION || name === 'MockAnswer';
  return isRefused ? 'refused' : 'unknown';
}

function metadataOf(error: unknown, property: 'attempts' | 'clockSkewCorrected' | 'httpStatusCode'): unknown {
  return readThrown(readThrown(error, '$metadata'), property);
}

const messageOf = (error: unknown) => readThrownText(error, 'message');

/** Returns the system's code of a network error, else the error's name. */
function nameOf(error: unknown): string {
  return readThrownText(error, 'code') || readThrownText(error, 'name') || errorName(error);
}
