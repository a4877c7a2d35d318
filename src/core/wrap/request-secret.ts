import { warn } from '../observers/operator-log.js';
import { describeType } from '../values/checks.js';

/** Matches a secret that a header can carry: printable ASCII. Blanks at its ends would be lost. */
const SENDABLE = /^[!-~](?:[ -~]*[!-~])?$/;
const MISSING =
  'a request was refused with status 500, because CRON_SECRET is not set: set it, pass secret, or set secret: false if nobody else can call';
const UNSENDABLE =
  'a request was refused with status 500, because no header can carry CRON_SECRET: set it to printable ASCII without blanks or line breaks at its ends';
const REFUSED =
  'a request was refused with status 401, because it did not show the secret; if it was the scheduler, compare what it sends';

/**
 * Makes a function that compares a request's `Authorization` header with `Bearer <secret>`, in a time that does not
 * depend on the secret. It returns the answer to a request that did not show the secret, and undefined if it did.
 *
 * @throws TypeError for a secret that is empty, undefined (such as an environment variable that is not set), or cannot
 * be sent in a header
 */
export function secretCheck(options: { readonly secret?: string | false }): (request: Request) => Response | undefined {
  const { secret } = options;
  if (secret === false) return () => undefined;
  if ('secret' in options && (typeof secret !== 'string' || secret === '')) {
    throw new TypeError(
      `secret is ${secret === '' ? 'empty' : describeType(secret)}: pass the secret that the scheduler sends, or false if nobody else can call`,
    );
  }
  if (secret !== undefined && !SENDABLE.test(secret)) {
    throw new TypeError('secret cannot be sent in a header: pass printable ASCII without blanks at its ends');
  }
  const warned = new Set<string>();
  const warnOnce = (message: string) => {
    if (!warned.has(message)) warn(message);
    warned.add(message);
  };
  return ({ headers }) => {
    const expected = secret ?? secretOfEnvironment();
    if (expected === undefined) {
      warnOnce(MISSING);
      return refuse(500, 'SECRET_MISSING');
    }
    if (!SENDABLE.test(expected)) {
      warnOnce(UNSENDABLE);
      return refuse(500, 'SECRET_UNSENDABLE');
    }
    if (isSame(headers.get('authorization') ?? '', `Bearer ${expected}`)) return undefined;
    warnOnce(REFUSED);
    return refuse(401, 'UNAUTHORIZED', { 'www-authenticate': 'Bearer' });
  };
}

/** Answers with a status and a code. The reason is only in the log, which the caller does not see. */
export function refuse(status: number, code: string, headers: Record<string, string> = {}): Response {
  return Response.json({ status: 'error', code }, { status, headers });
}

/**
 * Reads `CRON_SECRET`. If a Vercel project has this variable, Vercel sends its value with every cron request. It is
 * read for each request, because it may be missing while the project is built.
 */
function secretOfEnvironment(): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.['CRON_SECRET'] || undefined;
}

/** Compares two texts in a time that depends only on the length of `given`. */
function isSame(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let i = 0; i < given.length; i++) difference |= given.charCodeAt(i) ^ expected.charCodeAt(i % expected.length);
  return difference === 0;
}
