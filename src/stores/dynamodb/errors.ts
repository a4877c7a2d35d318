import {
  CorruptLockError,
  failedWords,
  LockStoreError,
  type LockStoreErrorCode,
  type StoreOperation,
} from '../../core/public/errors.js';
import { finalProblem } from '../../core/request/final-failure.js';
import { isUnsent, type TryFailure } from '../../core/request/try-loop.js';
import { UnexpectedAnswer } from '../../core/request/unexpected-answer.js';
import { AWS_DENIED } from '../../core/values/aws-denied.js';
import { errorName, readThrown, readThrownText } from '../../core/values/thrown.js';

/*
 * The meaning of the AWS SDK's errors: whether the write may have been applied, whether another try may help, and the
 * message for people. Errors are recognised by their code, wherever it is, so that any version of the SDK works. Their
 * messages are never repeated; the error itself is kept as the cause.
 */

/** The error of a try for which the client made no request: nothing was sent. */
export class NotMade extends Error {
  override readonly name = 'NotMade';
  /** The option of the client that is wrong. Without it, credentials are missing, and may come. */
  readonly part: string | undefined;

  constructor(cause: unknown, part?: string) {
    super(part, { cause });
    this.part = part;
  }
}

/**
 * `denied`, `no-table`, `refused`: a retry fails until somebody changes something. `unsent`, as if throttled, and
 * `no-credentials`: the write was certainly not applied. `strange`: the client does what no client of DynamoDB does,
 * and will do it again, but the write may have been applied. `unknown`: the write may have been applied, as after a
 * server error, a conflict between regions or no answer.
 */
type Kind = 'denied' | 'no-table' | 'refused' | 'unsent' | 'no-credentials' | 'strange' | 'unknown';

/** The kinds that follow from a code alone, by words in the code. */
const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/Credentials(Provider|E)|TokenProvider/, 'no-credentials'],
  [AWS_DENIED, 'denied'],
  [/ResourceNotFound/, 'no-table'],
  [/Throttl|ProvisionedThroughputExceeded|LimitExceeded|TooManyRequests|SlowDown/, 'unsent'],
  [/ReplicatedWriteConflict|TransactionConflict|TransactionInProgress/, 'unknown'],
];
const REFUSED = /ValidationException|SerializationException/;
/** DynamoDB's message if it cannot add to the token, the only attribute that it adds to. */
const UNCOUNTABLE = /incorrect (operand|data) type|38 (significant )?digits|number overflow/i;
/** Messages of JavaScript about a client whose parts do not fit together. */
const BROKEN = /is not a function|destructure/;

/** Whether a failed try may have been applied, and whether another try may help. */
export function classifyFailure(error: unknown): TryFailure {
  const kind = kindOf(error);
  return {
    // If the client itself tried more than once, an earlier try may have been applied.
    ambiguous: Number(metadataOf(error, 'attempts')) > 1 || kind === 'unknown' || kind === 'strange',
    retry: /^un|no-c/.test(kind),
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
  const cause = error instanceof NotMade ? (error.cause ?? error) : error;
  if (codeOf(error) === 'ValidationException' && UNCOUNTABLE.test(messageOf(error))) {
    return new CorruptLockError(lockName, 'fencingToken', 'not a countable number', error);
  }
  const [code, why] = explain(error, codeOf(cause), operation, `table '${tableName}'`);
  return new LockStoreError(`${failedWords(operation, lockName)}${why}`, {
    code,
    lockName,
    operation,
    retryable: code === 'UNAVAILABLE',
    cause,
  });
}

function explain(error: unknown, name: string, operation: StoreOperation, table: string): [LockStoreErrorCode, string] {
  switch (kindOf(error)) {
    case 'no-table':
      return [
        'TABLE_NOT_FOUND',
        `${table} does not exist in this account and region; correct tableName or the region, or make it with createLockTable or single-execution table create`,
      ];
    case 'no-credentials':
    case 'denied': {
      const needed = { list: 'Scan', get: 'GetItem', delete: 'GetItem and dynamodb:UpdateItem' }[operation as string];
      return [
        'ACCESS_DENIED',
        `${name}; set valid credentials for this role and allow it dynamodb:${needed ?? 'UpdateItem'} on ${table}`,
      ];
    }
    case 'strange':
      return [
        'INVALID_REQUEST',
        `the client did not get this from DynamoDB: ${messageOf(error)}; for a mock use fakeLockTable(mock) of single-execution/testing`,
      ];
    case 'refused':
      return explainRefusal(error, name, table);
    default:
      return ['UNAVAILABLE', `${table} did not answer (${name}); see the cause, and try again`];
  }
}

function explainRefusal(error: unknown, name: string, table: string): [LockStoreErrorCode, string] {
  const message = REFUSED.test(name) ? messageOf(error) : '';
  // Such as "Type mismatch for Index Key state": it names no value. "Invalid table/index name" is about the table.
  const [index] = /(?<!\/)index.*/i.exec(message) ?? [];
  if (!index && /\bkeys?\b/i.test(message)) {
    return [
      'KEY_SCHEMA',
      `${table} has another key; pass its partitionKey, and its sortKey if it has one, both of type S`,
    ];
  }
  const why =
    error instanceof NotMade
      ? `the client's ${error.part} is missing or wrong (${name}); correct it`
      : index
        ? `an index refuses an attribute of locks (${index}); single-execution doctor names both`
        : (finalProblem(error) ?? `${table} refused the request (${name}); see the cause`);
  return ['INVALID_REQUEST', why];
}

function kindOf(error: unknown): Kind {
  if (error instanceof NotMade) return error.part ? 'refused' : 'no-credentials';
  if (error instanceof UnexpectedAnswer || BROKEN.test(messageOf(error))) return 'strange';
  const code = codeOf(error);
  // The request was refused because of the time in its signature. The client has corrected its clock for the next try.
  if (metadataOf(error, 'clockSkewCorrected') === true) return 'unsent';
  const known = KINDS.find(([words]) => words.test(code));
  if (known) return known[1];
  const status = metadataOf(error, 'httpStatusCode');
  if (status === undefined) {
    if (finalProblem(error)) return 'refused';
    if (isUnsent(error)) return 'unsent';
  }
  // A status alone proves nothing: an answer that could not be read has no `$fault`.
  const isClientError = readThrown(error, '$fault') === 'client' && /^4/.test(String(status));
  return isClientError || REFUSED.test(code) ? 'refused' : 'unknown';
}

function metadataOf(error: unknown, property: 'attempts' | 'clockSkewCorrected' | 'httpStatusCode'): unknown {
  return readThrown(readThrown(error, '$metadata'), property);
}

const messageOf = (error: unknown) => readThrownText(error, 'message');

/**
 * Finds the code of an error: AWS's, such as `ThrottlingException`, or the system's. With several copies of
 * `@smithy/core`, some versions of the SDK lose the name of an error, and leave its code in `__type` or the message.
 */
export function codeOf(error: unknown): string {
  const headers = readThrown(readThrown(error, '$response'), 'headers');
  const places = ['__type', 'code', 'Code', 'name', 'x-amzn-errortype', 'message'];
  return (
    places
      .map((place) => readThrownText(place.startsWith('x') ? headers : error, place).replace(/^\S*#|:.*/g, ''))
      // Some names say nothing.
      .find((code) => /^(?!Error$|Unknown|\w*ServiceException$)[A-Za-z]\w+$/.test(code)) ?? errorName(error)
  );
}

const MOST_WRAPPERS = 4;

/** Returns the SDK's own error, if a user's client has wrapped it in others as their cause. */
export function ownError(error: unknown, depth: number = MOST_WRAPPERS): unknown {
  const cause = readThrown(error, 'cause');
  return cause instanceof Object && depth && !readThrown(error, '$metadata') ? ownError(cause, depth - 1) : error;
}
