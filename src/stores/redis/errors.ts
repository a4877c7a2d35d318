import { failedWords, LockStoreError, type LockStoreErrorCode, type StoreOperation } from '../../core/public/errors.js';
import { finalProblem } from '../../core/request/final-failure.js';
import { isUnsent, type TryFailure } from '../../core/request/try-loop.js';
import { UnexpectedAnswer } from '../../core/request/unexpected-answer.js';
import { errorName, readThrown, readThrownText } from '../../core/values/thrown.js';
import { QueuedReply } from './reply.js';

/*
 * The meaning of the errors of Redis and its clients: whether the script may have run, whether another try may help,
 * and the message for people. Clients put the whole command, with ids and addresses, into their messages. So only the
 * text before the command is read, and only Redis's code, such as NOAUTH, is repeated.
 */

/** The error of a call that was not sent, because the client cannot send now. The message is for people. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
  /** `ACCESS_DENIED` if credentials are missing: only a change of the program helps. */
  readonly code: LockStoreErrorCode;
  /** Whether another try may help, because the client is connecting. */
  readonly retry: boolean;

  constructor(code: LockStoreErrorCode, message: string, retry = false) {
    super(`${message}; nothing was sent`);
    this.code = code;
    this.retry = retry;
  }
}

/** The server got the request when its call was over by the server's clock. The script has written nothing. */
export class CameLate extends Error {
  override readonly name = 'CameLate';
}

/**
 * `denied`, `refused`, `mistake`: a retry fails until somebody changes something. `mistake`, `unsent`, `busy`: the
 * script was certainly not applied.
 */
type Kind = 'denied' | 'refused' | 'mistake' | 'busy' | 'unsent' | 'unknown';

const DENIED = /^(NOAUTH|WRONGPASS|NOPERM|Unauthorized)\b/;
/** A command of a script that the user may not run, or a key that it may not touch: Redis 7.0, then later versions. */
export const DENIED_IN_SCRIPT: RegExp = /^ERR (The user executing the script can't|ACL failure in script)/;
const BUSY = /^(BUSY|LOADING|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|READONLY|OOM|NOREPLICAS)\b/;
const QUOTA = /max (daily |monthly )?request|rate limit/i;
/** Messages of ioredis and node-redis for a command that they neither send now nor keep for later. */
const OFFLINE = /^(Stream isn't writeable|The client is offline)/;
const REFUSED = /^(WRONGTYPE|ERR|NOSCRIPT|MOVED|CROSSSLOT)\b/;
/** @upstash/redis appends this to the error of an answer whose status is not 2xx. It does not give the status. */
const COMMAND = ', command was: ';
/** Redis's own messages about a script, whatever the status of the answer. */
const OF_A_SCRIPT = /script|unknown command/i;
/**
 * Messages that refuse the first line of a script. Redis 7 and later rejects Upstash's flag in that line; older
 * versions, and some other servers, reject the line itself.
 */
const NO_HEADER = /shebang|near '#'/;

const MESSAGE_LEFT_OUT = 'its message is left out, because those of clients can hold the whole command';

export function classifyFailure(error: unknown): TryFailure {
  if (error instanceof NotSent) return { ambiguous: false, retry: error.retry };
  if (error instanceof CameLate) return { ambiguous: false, retry: true };
  if (error instanceof UnexpectedAnswer) return { ambiguous: true, retry: false };
  const kind = kindOf(error);
  // A script can fail half-way, after it has written.
  const isHalfWay = (kind === 'refused' || kind === 'denied') && redisMessage(error).startsWith('ERR');
  const ambiguous = kind === 'unknown' || isHalfWay;
  return { ambiguous, retry: kind === 'busy' || kind === 'unsent' || kind === 'unknown' };
}

/**
 * Why a client that is connecting never will be: a refused login, or a mistake in its options. Undefined for any other
 * error of a connection.
 */
export function finalRefusal(error: unknown): NotSent | undefined {
  const message = messageOf(error);
  const [login] = /\b(NOAUTH|WRONGPASS)\b/.exec(message) ?? [];
  if (login !== undefined) {
    return new NotSent(
      'ACCESS_DENIED',
      `Redis refused the login (${login}): pass the right username and password to the client`,
    );
  }
  const mistake = mistakeOf(error, message);
  return mistake === undefined ? undefined : new NotSent('INVALID_REQUEST', mistake);
}

function mistakeOf(error: unknown, message: string): string | undefined {
  if (/DB index is out of range/.test(message)) {
    return 'Redis has no database of this number: correct the end of the URL, or the option db or database';
  }
  if (/Unknown RESP type|Protocol error, got/.test(message)) {
    return 'the server does not speak the protocol of Redis: correct the host and the port';
  }
  return finalProblem(error);
}

export function isNoScript(error: unknown): boolean {
  return /\bNOSCRIPT\b/.test(redisMessage(error));
}

/** Whether Redis refused the first line of a script, and so ran no part of the script. */
export function isHeaderRefused(error: unknown): boolean {
  return NO_HEADER.test(redisMessage(error));
}

/**
 * Makes the error that callers see. Its message has the action, the lock, the problem and the remedy.
 *
 * @param denial which command or key Redis denied, and the remedy, if that is known
 */
export function failureOf(
  error: unknown,
  operation: StoreOperation,
  lockName: string,
  denial?: string,
): LockStoreError {
  const [code, why] = denial === undefined ? explain(error) : (['ACCESS_DENIED', denial] as const);
  return new LockStoreError(`${failedWords(operation, lockName)}${why}`, {
    code,
    lockName,
    operation,
    retryable: code === 'UNAVAILABLE',
    cause: withoutCommand(error),
  });
}

function explain(error: unknown): readonly [LockStoreErrorCode, string] {
  if (error instanceof NotSent) return [error.code, error.message];
  if (error instanceof UnexpectedAnswer) return ['INVALID_REQUEST', error.message];
  if (error instanceof QueuedReply) return ['UNAVAILABLE', error.message];
  const word = firstWord(error) ?? errorName(error);
  switch (kindOf(error)) {
    case 'denied':
      return ['ACCESS_DENIED', `Redis refused the credentials (${word}); check user, password or token`];
    case 'refused':
      return ['INVALID_REQUEST', wordsOfRefusal(error, word)];
    case 'mistake':
      return ['INVALID_REQUEST', finalProblem(error) ?? word];
    case 'busy':
      return ['UNAVAILABLE', `Redis cannot write just now (${word}); try again`];
    case 'unsent':
      return ['UNAVAILABLE', 'Redis could not be reached: start it, or check its address and the network'];
    default:
      return [
        'UNAVAILABLE',
        word === 'Unanswered' || word === 'CameLate'
          ? 'no answer from Redis in time: check its address and the network'
          : `no clear answer from Redis (${word}); try again`,
      ];
  }
}

function wordsOfRefusal(error: unknown, word: string): string {
  if (word === 'WRONGTYPE') return 'its key holds something other than a lock; set another keyPrefix for this store';
  if (word === 'MOVED') {
    return 'this Redis is a node of a cluster (MOVED); pass the store a client of the cluster, such as new Cluster([…]) of ioredis or createCluster({ rootNodes }) of node-redis';
  }
  if (/^ERR unknown command/i.test(redisMessage(error))) {
    return 'this server has no scripts (ERR unknown command); if it is a Sentinel, pass the store a client that asks it for the primary';
  }
  return `Redis refused the script (${word}); it needs Redis 7 or later, or Valkey`;
}

function kindOf(error: unknown): Kind {
  const message = redisMessage(error);
  if (DENIED.test(message) || DENIED_IN_SCRIPT.test(message)) return 'denied';
  if (BUSY.test(message) || QUOTA.test(message)) return 'busy';
  // A gateway also reports "ERR" for a failure of its own, which may come before or after the script has run.
  const ofAGateway = messageOf(error).includes(COMMAND) && message.startsWith('ERR') && !OF_A_SCRIPT.test(message);
  if (REFUSED.test(message)) return ofAGateway ? 'unknown' : 'refused';
  if (finalProblem(error) !== undefined) return 'mistake';
  if (OFFLINE.test(message) || isUnsent(error) || isUnsent(readThrown(error, 'cause'))) return 'unsent';
  return 'unknown';
}

/** Returns the message of Redis itself, without the words that clients and proxies add to it. */
export function redisMessage(error: unknown): string {
  const [message = ''] = messageOf(error).split(COMMAND);
  return message
    .replace(
      /^(Command failed|UpstashError|Failed to execute Redis command|An error was signalled by the server): /,
      '',
    )
    .replace(GLIDE_WORD, (_, word: string) => `${GLIDE_CODES[word] ?? word} `);
}

/** The first word of a message of Valkey GLIDE, which has names of its own for some codes of Redis. */
const GLIDE_WORD = /^(?:- )?(\w+): /;
const GLIDE_CODES: Readonly<Record<string, string>> = {
  ResponseError: 'ERR',
  NoScriptError: 'NOSCRIPT',
  PermissionDenied: 'NOPERM',
  BusyLoadingError: 'LOADING',
  ReadOnly: 'READONLY',
  ClusterDown: 'CLUSTERDOWN',
  MasterDown: 'MASTERDOWN',
  TryAgain: 'TRYAGAIN',
};

function firstWord(error: unknown): string | undefined {
  return /^[A-Z]{2,}\b/.exec(redisMessage(error))?.[0];
}

const messageOf = (error: unknown) => readThrownText(error, 'message');

/**
 * Makes an error that may be logged. A `NotSent` stays as it is. Any other error is replaced by an error with the same
 * name, and with Redis's code as its message: the word in capitals with which Redis's message begins. Without a code,
 * the message is left out.
 */
function withoutCommand(error: unknown): Error {
  if (error instanceof NotSent) return error;
  return Object.assign(new Error(firstWord(error) ?? MESSAGE_LEFT_OUT), { name: errorName(error) });
}
