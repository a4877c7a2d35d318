import { warn } from '../core/observers/operator-log.js';
import { describeType } from '../core/values/checks.js';

/** Text that a header can carry; blanks at its ends would be lost. */
const SENDABLE = /^[!-~](?:[ -~]*[!-~])?$/;
const MISSING =
  'a request was refused with status 500, because CRON_SECRET is not set: set it, give secret, or say secret: false where nobody else can call';
const REFUSED =
  'a request was refused with status 401, because it did not show the secret; if it was the scheduler, compare what it sends';

/** Whether a request shows the secret; `unset` if no secret is set. */
export type Shown = 'right' | 'wrong' | 'unset';

/**
 * Makes the check of a request's `Authorization: Bearer <secret>`. Its time does not depend on the secret.
 *
 * @throws TypeError for a secret that is empty or cannot be sent, such as an environment variable that is not set
 */
export function secretCheck(options: { readonly secret?: string | false }): (request: Request) => Shown {
  const { secret } = options;
  if (secret === false) return () => 'right';
  if ('secret' in options && (typeof secret !== 'string' || secret === '')) {
    throw new TypeError(
      `secret is ${secret === '' ? 'empty' : describeType(secret)}: give the secret that the scheduler sends, or false where nobody else can call`,
    );
  }
  if (secret !== undefined && !SENDABLE.test(secret)) {
    throw new TypeError('secret cannot be sent in a header: give printable ASCII without blanks at its ends');
  }
  const told = new Set<string>();
  const tellOnce = (message: string) => {
    if (!told.has(message)) warn(message);
    told.add(message);
  };
  return ({ headers }) => {
    const expected = secret ?? secretOfEnvironment();
    if (expected === undefined) {
      tellOnce(MISSING);
      return 'unset';
    }
    const isRight = isSame(headers.get('authorization') ?? '', `Bearer ${expected}`);
    if (!isRight) tellOnce(REFUSED);
    return isRight ? 'right' : 'wrong';
  };
}

/**
 * `CRON_SECRET`: Vercel sends it with every cron request if the project has it. Read for each request, because a build
 * may not have it.
 */
function secretOfEnvironment(): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.['CRON_SECRET'] || undefined;
}

/** Compares in a time that depends only on the length of `given`. */
function isSame(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let i = 0; i < given.length; i++) difference |= given.charCodeAt(i) ^ expected.charCodeAt(i % expected.length);
  return difference === 0;
}
