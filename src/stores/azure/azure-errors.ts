import { LockStoreError, type LockStoreErrorCode } from '../../core/public/errors.js';
import { isUnsentBehind, shownCause } from '../../core/request/error-chain.js';
import { finalProblem } from '../../core/request/final-failure.js';
import { errorName, readThrown, readThrownText } from '../../core/values/thrown.js';

/** The table of a client. */
interface Place {
  readonly tableName: string;
}

/** The right that an operation needs, as a SAS token names it. */
export type AzureRight = 'query' | 'add' | 'update' | 'create';

interface Failed extends Place {
  readonly error: unknown;
  readonly right: AzureRight;
}

/** What a code of the service or of the client means. `isUnsent`: nothing was written. */
interface Meaning {
  readonly code: LockStoreErrorCode;
  readonly isUnsent: boolean;
  why(failed: Failed): string;
}

const means = (code: LockStoreErrorCode, isUnsent: boolean, why: string): Meaning => ({
  code,
  isUnsent,
  why: () => why,
});

/** The problem if something between the client and the service has answered. */
export const NOT_AZURE =
  'the answer is not from Azure Table Storage: correct the address of the client, or the proxy before it';

const REFUSED = 'Azure, or a proxy before it, refused the request: correct the address of the client';

const MEANINGS: readonly (readonly [codes: RegExp, meaning: Meaning])[] = [
  [
    /^TableNotFound$/,
    {
      code: 'TABLE_NOT_FOUND',
      isUnsent: true,
      why: ({ tableName }) =>
        `table ${tableName} does not exist: make it with createAzureTable(client) or single-execution table create, or correct its name`,
    },
  ],
  [/^TableBeingDeleted$/, means('UNAVAILABLE', true, 'the table is being deleted: wait, and make it again')],
  [/^(Authorization(Pe|R|Se)|InsufficientAccount)/, { code: 'ACCESS_DENIED', isUnsent: true, why: noRight }],
  [
    /^(AuthorizationSourceIP|AuthorizationProtocol|PublicAccess|IpAuth)/,
    means(
      'ACCESS_DENIED',
      true,
      'the account or the SAS token does not let this host in: allow its address, and use https',
    ),
  ],
  [
    /^(Auth\w*Fail\w*|InvalidAuthenticationInfo|NoAuthenticationInformation|AccountIsDisabled|40[13])$/,
    { code: 'ACCESS_DENIED', isUnsent: true, why: wrongLogin },
  ],
  [
    /^(Credential\w*|\w*Authentication\w*Error)$/,
    means(
      'ACCESS_DENIED',
      true,
      'the client has no credentials: sign in, or make it with a connection string, a key or a SAS token',
    ),
  ],
  [
    /TooLarge$/,
    means(
      'INVALID_REQUEST',
      true,
      'the record is longer than a text in Azure can be, 32,768 characters: use fewer candidates, or shorter names for them',
    ),
  ],
  [/^([23]\d\d|PARSE_ERROR)$/, means('UNAVAILABLE', false, NOT_AZURE)],
  [/^(429|ServerBusy|TooManyRequests)$/, means('UNAVAILABLE', true, 'the account is throttled; try again')],
  [/^(AbortError|OperationTimedOut|ETIMEDOUT|408)$/, means('UNAVAILABLE', false, 'no answer in time; try again')],
  [/^(4\d\d|Invalid\w*|OutOfRange\w*|PropertyName\w*)$/, means('INVALID_REQUEST', true, REFUSED)],
];

/** Makes the error of a request of which nobody knows what became of it. */
export function noAnswer(why: string = UNCLEAR): LockStoreError {
  return new LockStoreError(why, { code: 'UNAVAILABLE', lockName: '*', operation: 'get', retryable: true });
}

/** Makes the error that callers see. The client's message is left out: it can hold an address with a SAS token. */
export function azureFailure(error: unknown, { tableName }: Place, right: AzureRight): LockStoreError {
  if (error instanceof LockStoreError) return error;
  const code = azureCode(error);
  const status = String(readThrown(error, 'statusCode') ?? '');
  const shown = code || status || errorName(error);
  // An error of @azure/identity has the status of the service that checks logins.
  const name = /^(429|5\d\d)$/.test(status) ? '' : errorName(error);
  const [found] = [code, name, status].flatMap((one) => MEANINGS.filter(([codes]) => codes.test(one)));
  const { code: ours, isUnsent, why } = found?.[1] ?? unanswered(error);
  const cause = shownCause(error, shown, LEFT_OUT);
  const failure = new LockStoreError(`${why({ tableName, error, right })} (${shown})`, {
    code: ours,
    lockName: '*',
    operation: 'get',
    retryable: ours === 'UNAVAILABLE',
    cause,
  });
  if (isUnsent) unsent.add(failure);
  return failure;
}

const UNCLEAR = 'no clear answer from Azure; try again';
const LEFT_OUT = 'its message is left out, because it can hold an address with a SAS token';

/** Failures that prove that nothing was written. */
const unsent = new WeakSet<object>();

export const isUnsentByAzure = (error: unknown): boolean => unsent.has(Object(error));

/** Whether the service says that an entity does not exist. */
export const isAbsent = (error: unknown): boolean => azureCode(error) === 'ResourceNotFound';

/** Whether the service says that somebody else has written, or deleted, the entity meanwhile. */
export const isRefused = (error: unknown): boolean =>
  /^(UpdateConditionNotSatisfied|ConditionNotMet|EntityAlreadyExists|ResourceNotFound)$/.test(azureCode(error));

/** Finds the service's code, or the system's. Services and clients of some versions have it only in the text of the body. */
function azureCode(error: unknown): string {
  const details = readThrown(error, 'details');
  const said = [
    readThrownText(readThrown(details, 'odataError'), 'code'),
    readThrownText(details, 'errorCode'),
    /("code":"|<Code>)(\w+)/.exec(readThrownText(error, 'message'))?.[2] ?? '',
    readThrownText(error, 'code'),
  ];
  return said.find((code) => /^[A-Za-z]\w+$/.test(code)) ?? '';
}

function unanswered(error: unknown): Meaning {
  if (/allowInsecureConnection/.test(readThrownText(error, 'message'))) {
    return means(
      'INVALID_REQUEST',
      true,
      'the client refuses http: use https, or make it with allowInsecureConnection: true',
    );
  }
  if (/non-TLS protected/.test(readThrownText(error, 'message'))) {
    return means('INVALID_REQUEST', true, 'the client sends no login of @azure/identity over http: use https');
  }
  const problem = finalProblem(error);
  if (problem !== undefined) return means('INVALID_REQUEST', true, problem);
  return isUnsentBehind(error)
    ? means('UNAVAILABLE', true, 'Azure could not be reached: check the address of the account and the network')
    : means('UNAVAILABLE', false, UNCLEAR);
}

function noRight({ tableName, right }: Failed): string {
  if (right === 'create')
    return `no right to create table ${tableName}: use the account key, or the role Storage Table Data Contributor`;
  return `no right to table ${tableName} (${right} was refused): use a SAS token with query, add and update (sp=rau), or the role Storage Table Data Contributor`;
}

/** The service answers alike for a wrong key, and for a SAS token that has expired. The token itself has its end. */
function wrongLogin({ error }: Failed): string {
  const url = readThrownText(readThrown(error, 'request'), 'url');
  if (url.includes('??')) return "the SAS token of the client begins with '?': leave that out";
  const end = /[?&]se=((?:%3A|[\w:.-])+)/i.exec(url)?.[1];
  const endMs = Date.parse(decodeURIComponent(end ?? ''));
  if (endMs <= Date.parse(dateOf(error))) {
    return `the SAS token of the client expired at ${new Date(endMs).toISOString()}: make a new one`;
  }
  return 'Azure refused the login: check the account key or the SAS token, the clock of this host, and the firewall of the account';
}

function dateOf(error: unknown): string {
  const headers = readThrown(readThrown(error, 'response'), 'headers') as { get?(name: string): string } | undefined;
  return headers?.get?.('date') ?? '';
}
