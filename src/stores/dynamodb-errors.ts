import {
  CorruptLockError,
  errorName,
  LockStoreError,
  type LockStoreErrorCode,
  type StoreOperation,
} from '../core/errors.js';
import type { TryFailure } from '../core/try-loop.js';

/*
 * What the errors of the AWS SDK mean here: whether the write may have been applied, whether another try may help, and
 * what to tell people. Errors are known by their names, so that any version of the SDK will do. Their messages are
 * never repeated; the error itself is kept as the cause.
 */

const THROTTLED = /Throttl|ProvisionedThroughputExceeded|RequestLimitExceeded|LimitExceeded|TooManyRequests|SlowDown/;
const CONFLICT = /ReplicatedWriteConflict|TransactionConflict|TransactionInProgress/;
const DENIED =
  /AccessDenied|UnrecognizedClient|InvalidSignature|SignatureDoesNotMatch|IncompleteSignature|MissingAuthenticationToken|ExpiredToken|InvalidClientTokenId|NotAuthorized|OptInRequired|CredentialsProvider|CredentialsError/;
/** The connection was never made, so nothing was sent. */
const NEVER_SENT = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/;

const NO_REGION = 'Region is missing';

interface SdkError {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number };
}

/** Whether a try that failed this way may have been applied, and is worth another. */
export function classifyFailure(error: unknown): TryFailure {
  const { $metadata } = sdkError(error);
  const name = nameOf(error);
  // The client tried more than once by itself: an earlier try may have been applied.
  const retried = ($metadata?.attempts ?? 1) > 1;
  if (DENIED.test(name) || isMisconfigured(error)) return { ambiguous: retried, retry: false };
  if (THROTTLED.test(name) || NEVER_SENT.test(name)) return { ambiguous: retried, retry: true };
  const status = $metadata?.httpStatusCode ?? 500;
  if (status >= 400 && status < 500 && !CONFLICT.test(name)) return { ambiguous: retried, retry: false };
  return { ambiguous: true, retry: true };
}

export function isConditionFailed(error: unknown): boolean {
  return nameOf(error) === 'ConditionalCheckFailedException';
}

export function isDenied(error: unknown): boolean {
  return DENIED.test(nameOf(error));
}

/** The error that callers see: action, lock, what is wrong, remedy. */
export function failureOf(
  error: unknown,
  operation: StoreOperation,
  lockName: string,
  tableName: string,
): LockStoreError | CorruptLockError {
  const name = nameOf(error);
  const message = String(sdkError(error).message);
  if (name === 'ValidationException' && /incorrect (operand|data) type/i.test(message)) {
    return new CorruptLockError(lockName, 'fencingToken', 'not a number', error);
  }
  const [code, why] = explain(error, name, message, operation, tableName);
  return new LockStoreError(`${operation} of lock "${lockName}" failed: ${why}`, {
    code,
    lockName,
    operation,
    retryable: code === 'UNAVAILABLE',
    cause: error,
  });
}

function explain(
  error: unknown,
  name: string,
  message: string,
  operation: StoreOperation,
  tableName: string,
): [LockStoreErrorCode, string] {
  if (name === 'ResourceNotFoundException') {
    return [
      'TABLE_NOT_FOUND',
      `table '${tableName}' does not exist in this account and region; correct tableName or the region, or create the table`,
    ];
  }
  if (DENIED.test(name)) {
    const needed = operation === 'list' ? 'Scan' : operation === 'get' ? 'GetItem' : 'UpdateItem';
    return [
      'ACCESS_DENIED',
      `${name}; give this role valid credentials and allow it dynamodb:${needed} on table '${tableName}'`,
    ];
  }
  if (name === 'ValidationException' && /\bkeys?\b/i.test(message)) {
    return [
      'KEY_SCHEMA',
      `the key of table '${tableName}' is another one; pass its partitionKey, and its sortKey if it has one, both of type S`,
    ];
  }
  if (isMisconfigured(error)) {
    return [
      'INVALID_REQUEST',
      message === NO_REGION ? 'the client has no region; set AWS_REGION' : `${name}; see the cause`,
    ];
  }
  return ['UNAVAILABLE', `table '${tableName}' did not answer (${name}); see the cause, and try again`];
}

/** No try can succeed before somebody changes something. */
function isMisconfigured(error: unknown): boolean {
  const message = String(sdkError(error).message);
  return /ResourceNotFound|ValidationException|SerializationException/.test(nameOf(error)) || message === NO_REGION;
}

function sdkError(error: unknown): SdkError {
  return typeof error === 'object' && error !== null ? error : {};
}

/** The system's code of a network error, else the error's name. */
function nameOf(error: unknown): string {
  const { code, name } = sdkError(error);
  if (typeof code === 'string') return code;
  return typeof name === 'string' ? name : errorName(error);
}
