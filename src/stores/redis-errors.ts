import { errorName, LockStoreError, type LockStoreErrorCode, readThrown, type StoreOperation } from '../core/errors.js';
import type { TryFailure } from '../core/try-loop.js';
import { isUnsent } from '../core/unsent.js';

/*
 * What the errors of Redis and its clients mean: whether the script may have run, whether another try may help, and
 * what to tell people. Clients put the whole command, with ids and addresses, into their messages: of a message only
 * Redis's own first word is read, and nothing of it is repeated.
 */

/** `denied` and `refused` need somebody to change something; `unsent` and `busy` were surely not applied. */
type Kind = 'denied' | 'refused' | 'busy' | 'unsent' | 'unknown';

const DENIED = /^(NOAUTH|WRONGPASS|NOPERM|Unauthorized)\b/;
const BUSY = /^(BUSY|LOADING|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|READONLY|OOM|NOREPLICAS)\b/;
const QUOTA = /max (daily |monthly )?request|rate limit/i;
/** ioredis and node-redis of a command that they neither send now nor keep to be sent later. */
const OFFLINE = /^(Stream isn't writeable|The client is offline)/;
const REFUSED = /^(WRONGTYPE|ERR|NOSCRIPT|MOVED|CROSSSLOT)\b/;

export function classifyFailure(error: unknown): TryFailure {
  const kind = kindOf(error);
  // ERR is also what a gateway says of its own failure, after the script has run.
  const ambiguous = kind === 'unknown' || (kind === 'refused' && redisMessage(error).startsWith('ERR'));
  return { ambiguous, retry: kind === 'busy' || kind === 'unsent' || kind === 'unknown' };
}

export function isNoScript(error: unknown): boolean {
  return /\bNOSCRIPT\b/.test(messageOf(error));
}

/** The error that callers see: action, lock, what is wrong, remedy. */
export function failureOf(error: unknown, operation: StoreOperation, lockName: string): LockStoreError {
  const [code, why] = explain(error);
  return new LockStoreError(`${operation} of lock "${lockName}" failed: ${why}`, {
    code,
    lockName,
    operation,
    retryable: code === 'UNAVAILABLE',
    cause: withoutCommand(error),
  });
}

function explain(error: unknown): readonly [LockStoreErrorCode, string] {
  const word = /^[A-Z]{2,}/.exec(redisMessage(error))?.[0] ?? errorName(error);
  switch (kindOf(error)) {
    case 'denied':
      return ['ACCESS_DENIED', `Redis refused the credentials (${word}); check user, password or token`];
    case 'refused':
      return word === 'WRONGTYPE'
        ? ['INVALID_REQUEST', 'its key holds something else than a lock; give the store a keyPrefix of its own']
        : ['INVALID_REQUEST', `Redis refused the script (${word}); it needs Redis 7 or later, and the rights to EVAL`];
    case 'busy':
      return ['UNAVAILABLE', `Redis cannot write just now (${word}); try again`];
    case 'unsent':
      return ['UNAVAILABLE', 'Redis could not be reached; check its address and the network'];
    default:
      return ['UNAVAILABLE', `no answer from Redis that can be relied on (${errorName(error)}); try again`];
  }
}

function kindOf(error: unknown): Kind {
  const message = redisMessage(error);
  if (DENIED.test(message)) return 'denied';
  if (BUSY.test(message) || QUOTA.test(message)) return 'busy';
  if (REFUSED.test(message)) return 'refused';
  if (OFFLINE.test(message) || isUnsent(error) || isUnsent(readThrown(error, 'cause'))) return 'unsent';
  return 'unknown';
}

/** Redis's own words, which Upstash puts behind its own. */
function redisMessage(error: unknown): string {
  return messageOf(error).replace(/^(Command failed: |UpstashError: )/, '');
}

function messageOf(error: unknown): string {
  const message = readThrown(error, 'message');
  return typeof message === 'string' ? message : '';
}

/** What may be logged: the error's name, and of its message the first word alone. */
function withoutCommand(error: unknown): Error {
  const word = /^[A-Z]{2,}/.exec(redisMessage(error))?.[0];
  return Object.assign(new Error(word ?? 'see the name'), { name: errorName(error) });
}
