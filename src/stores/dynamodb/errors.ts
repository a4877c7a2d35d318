import {
  CorruptLockError,
  LockStoreError,
  type LockStoreErrorCode,
  type StoreOperation,
} from '../../core/public/errors.js';
import { finalProblem } from '../../core/request/final-failure.js';
import { isUnsent, type TryFailure } from '../../core/request/try-loop.js';
import { UnexpectedAnswer } from '../../core/request/unexpected-answer.js';
import { errorName, readThrown, readThrownText } from '../../core/values/thrown.js';

/*
 * The meaning of the AWS SDK's errors: whether the write may have been applied, whether another try may help, and the
 * message for people. Errors are recognised by their code, wherever it is, so that any version of the SDK works. Their
 * messages are never repeated; the error itself is kept as the cause.
 */

/** The error of a try for which the client made no request: nothing was sent. */
export class NotMade extends Error {
  override readonly name = 'NotMade';
  /** `ACCESS_DENIED`: the client had no credentials, and may have them later. */
  readonly code: 'ACCESS_DENIED' | 'INVALID_REQUEST';

  /** The option of the client that is wrong, if it is one. */
  readonly part: string;

  constructor(code: NotMade['code'], cause: unknown, part: string = '') {
    super('nothing was sent', { cause });
    this.code = code;
    this.part = part;
  }
}

/**
 * `denied`, `no-table`, `refused`: a retry fails until somebody changes something. `throttled`, `unsent`,
 * `no-credentials`: the write was certainly not applied. `strange`: the next answer will be like this one, but the
 * write may have been applied. `unknown`: the write may have been applied, as after a server error, a conflict between
 * regions or no answer.
 */
type Kind = 'denied' | 'no-table' | 'refused' | 'throttled' | 'unsent' | 'no-credentials' | 'strange' | 'unknown';

const NO_CREDENTIALS = /CredentialsProvider|CredentialsError|TokenProviderError/;
const DENIED =
  /AccessDenied|UnrecognizedClient|InvalidSignature|SignatureDoesNotMatch|IncompleteSignature|MissingAuthenticationToken|ExpiredToken|InvalidClientTokenId|NotAuthorized|OptInRequired/;
const THROTTLED = /Throttl|ProvisionedThroughputExceeded|LimitExceeded|TooManyRequests|SlowDown/;
const CONFLICT = /ReplicatedWriteConflict|TransactionConflict|TransactionInProgress/;
const REFUSED = /ValidationException|SerializationException/;
/** DynamoDB's message if it cannot add to the token, the only attribute that it adds to. */
const UNCOUNTABLE = /incorrect (operand|data) type|38 (significant )?digits|number overflow/i;
/** DynamoDB's messages about the key of a secondary index. */
const INDEX = /secondary index|index key|IndexName/i;
const NO_REGION = 'Region is missing';

/** Whether a failed try may have been applied, and whether another try may help. */
export function classifyFailure(error: unknown): TryFailure {
  const kind = kindOf(error);
  // If the client itself tried more than once, an earlier try may have been applied.
  const attempts = metadataOf(error, 'attempts');
  const retried = typeof attempts === 'number' && attempts > 1;
  return {
    ambiguous: retried || kind === 'unknown' || kind === 'strange',
    retry: /throttled|unsent|no-credentials|unknown/.test(kind),
  };
}

export function isConditionFailed(error: unknown): boolean {
  return codeOf(error) === 'ConditionalCheckFailedException';
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
  if (codeOf(error) === 'ValidationException' && UNCOUNTABLE.test(messageOf(error))) {
    return new CorruptLockError(lockName, 'fencingToken', 'not a countable number', error);
  }
  const [code, why] = explain(error, operation, tableName);
  return new LockStoreError(`${operation} of lock "${lockName}" failed: ${why}`, {
    code,
    lockName,
    operation,
    retryable: code === 'UNAVAILABLE',
    cause: error instanceof NotMade ? (error.cause ?? error) : error,
  });
}

function explain(error: unknown, operation: StoreOperation, tableName: string): [LockStoreErrorCode, string] {
  const table = `table '${tableName}'`;
  const name = codeOf(error instanceof NotMade ? (error.cause ?? error) : error);
  switch (kindOf(error)) {
    case 'no-table':
      return [
        'TABLE_NOT_FOUND',
        `${table} does not exist in this account and region; correct tableName or the region, or create the table`,
      ];
    case 'no-credentials':
    case 'denied': {
      const needed = { list: 'Scan', get: 'GetItem', delete: 'GetItem and dynamodb:UpdateItem' }[operation as string];
      return [
        'ACCESS_DENIED',
        `${name}; give this role valid credentials and allow it dynamodb:${needed ?? 'UpdateItem'} on ${table}`,
      ];
    }
    case 'strange':
      return [
        'INVALID_REQUEST',
        `the client answered with ${messageOf(error)}, and DynamoDB does not; for a mock use fakeLockTable(mock) of single-execution/testing`,
      ];
    case 'refused':
      return explainRefusal(error, name, table);
    default:
      return ['UNAVAILABLE', `${table} did not answer (${name}); see the cause, and try again`];
  }
}

function explainRefusal(error: unknown, name: string, table: string): [LockStoreErrorCode, string] {
  const message = messageOf(error instanceof NotMade ? error.cause : error);
  const problem = finalProblem(error);
  if (message === NO_REGION) return ['INVALID_REQUEST', 'the client has no region; set AWS_REGION'];
  if (error instanceof NotMade) {
    return [
      'INVALID_REQUEST',
      `the client can make no request: its ${error.part} is wrong (${name}); correct it, such as http://127.0.0.1:8000 or eu-west-1`,
    ];
  }
  if (problem !== undefined) return ['INVALID_REQUEST', problem];
  if (REFUSED.test(name) && INDEX.test(message)) {
    const [, index] = /IndexName: ([\w.-]+)/.exec(message) ?? [];
    return [
      'INVALID_REQUEST',
      `an index${index ? ` '${index}'` : ''} of ${table} has an attribute of the lock record as its key, and cannot hold its value; single-execution doctor names both; use another table or index`,
    ];
  }
  if (REFUSED.test(name) && /\bkeys?\b/i.test(message)) {
    return [
      'KEY_SCHEMA',
      `${table} has another key; pass its partitionKey, and its sortKey if it has one, both of type S`,
    ];
  }
  // Some versions of the SDK lose DynamoDB's message in a tree with several copies of its core.
  const remedy = message === name ? 'update @aws-sdk/core to 3.974 or later to see why' : 'see the cause';
  return ['INVALID_REQUEST', `${table} refused the request (${name}); ${remedy}`];
}

function kindOf(error: unknown): Kind {
  if (error instanceof NotMade) return error.code === 'ACCESS_DENIED' ? 'no-credentials' : 'refused';
  if (error instanceof UnexpectedAnswer) return 'strange';
  const code = codeOf(error);
  // The request was refused because of the time in its signature. The client has corrected its clock for the next try.
  if (metadataOf(error, 'clockSkewCorrected') === true) return 'unsent';
  if (NO_CREDENTIALS.test(code)) return 'no-credentials';
  if (DENIED.test(code)) return 'denied';
  if (/ResourceNotFound/.test(code)) return 'no-table';
  if (THROTTLED.test(code)) return 'throttled';
  if (CONFLICT.test(code)) return 'unknown';
  const status = metadataOf(error, 'httpStatusCode');
  if (status === undefined && isUnsent(error)) return 'unsent';
  // A status alone proves nothing: an answer that could not be read has no `$fault`.
  const isToldOf = readThrown(error, '$fault') === 'client';
  const isClientError = isToldOf && typeof status === 'number' && status >= 400 && status < 500;
  const isFinal = status === undefined && finalProblem(error) !== undefined;
  return isFinal || isClientError || REFUSED.test(code) || messageOf(error) === NO_REGION ? 'refused' : 'unknown';
}

function metadataOf(error: unknown, property: 'attempts' | 'clockSkewCorrected' | 'httpStatusCode'): unknown {
  return readThrown(readThrown(error, '$metadata'), property);
}

const messageOf = (error: unknown) => readThrownText(error, 'message');

/** Names that say nothing. */
const GENERAL = /^(Error|Unknown(Error)?|\w*ServiceException)$/;

/**
 * Finds the code of an error: AWS's, such as `ThrottlingException`, or the system's. With several copies of
 * `@smithy/core`, some versions of the SDK lose the name of an error, and leave its code in `__type` or the message.
 */
export function codeOf(error: unknown): string {
  const headers = readThrown(readThrown(error, '$response'), 'headers');
  const places = [
    readThrownText(error, '__type').replace(/^.*#/, ''),
    ...['code', 'Code', 'name'].map((place) => readThrownText(error, place)),
    readThrownText(headers, 'x-amzn-errortype').replace(/:.*$/, ''),
    messageOf(error),
  ];
  return places.find((code) => /^[A-Za-z]\w+$/.test(code) && !GENERAL.test(code)) ?? errorName(error);
}

const MOST_WRAPPERS = 4;

/** Returns the SDK's own error, if a user's client has wrapped it in others as their cause. */
export function ownError(error: unknown, depth: number = MOST_WRAPPERS): unknown {
  const cause = readThrown(error, 'cause');
  if (depth === 0 || typeof cause !== 'object' || cause === null || readThrown(error, '$metadata')) return error;
  return ownError(cause, depth - 1);
}
