import { warn } from '../core/observers/operator-log.js';
import type { Observer } from '../core/public/events.js';
import { checkKnown, describe, describeType, namesOf } from '../core/values/checks.js';
import { systemClock } from '../core/values/clock.js';
import { errorName } from '../core/values/thrown.js';

/** Options of `checkInObserver`. */
export interface CheckInOptions {
  /**
   * The address that the service watches, such as `https://hc-ping.com/…`. A failed run is reported at `…/fail`, or
   * with `state=fail` if the address contains `state=complete`. No message contains the address.
   */
  readonly url: string;
}

/** An observer that sends check-ins. */
export interface CheckInObserver extends Observer {
  /** Resolves when all check-ins so far have been sent or given up. Never rejects. */
  settled(): Promise<void>;
}

const TIMEOUT_MS = 10_000;

/**
 * Makes an observer that reports each run to a dead-man service, such as healthchecks.io or Cronitor. It sends one
 * request if the run succeeded or failed, and none if it was skipped. A run by hand sends none: it must not hide from
 * the service that the schedule has stopped. No run waits for the request or fails because of
 * it.
 *
 * @example
 * ```ts
 * import { executeWithLock } from 'single-execution';
 * import { memoryStore } from 'single-execution/memory';
 * import { checkInObserver } from 'single-execution/observe';
 *
 * const observers = [checkInObserver({ url: 'https://hc-ping.com/…' })];
 * await executeWithLock(() => 'done', { name: 'update', store: memoryStore(), lockAtMostFor: '1m', observers });
 * ```
 *
 * @throws TypeError for an unknown option, for a text that is not an address, and on a platform without `fetch`
 */
export function checkInObserver(options: CheckInOptions): CheckInObserver {
  checkKnown(options, namesOf<CheckInOptions>({ url: true }));
  const { succeeded, failed } = addressesOf(options.url);
  if (typeof globalThis.fetch !== 'function') {
    throw new TypeError('fetch is undefined: check-ins need it, as in Node 20; pass an observer of your own');
  }
  const pending = new Set<Promise<void>>();

  function send(address: string, name: string): void {
    const sent = checkIn(address).then((problem) => {
      pending.delete(sent);
      if (problem !== undefined) warn(`lock "${name}": its check-in failed: ${problem}`);
    });
    pending.add(sent);
  }

  const observer: Observer = ({ type, name, isManual }) => {
    if (isManual) return;
    if (type === 'finished') send(succeeded, name);
    if (type === 'failed') send(failed, name);
  };
  return Object.assign(observer, {
    async settled() {
      await Promise.all(pending);
    },
  });
}

/**
 * Sends one check-in.
 *
 * @returns why the check-in failed, without the address; undefined if it succeeded
 */
async function checkIn(address: string): Promise<string | undefined> {
  const giveUp = new AbortController();
  const timer = systemClock.setTimer(() => giveUp.abort(), TIMEOUT_MS);
  timer.unref?.();
  try {
    const { ok, status, body } = await fetch(address, { signal: giveUp.signal });
    await body?.cancel();
    return ok ? undefined : `status ${status}`;
  } catch (error) {
    return errorName(error);
  } finally {
    timer.cancel();
  }
}

/** @throws TypeError without the address in its message: anyone who knows the address can check in */
function addressesOf(url: unknown): { readonly succeeded: string; readonly failed: string } {
  if (typeof url !== 'string') throw new TypeError(`url is ${describe(url)}: give the address that the service shows`);
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new TypeError(
      `url is ${describeType(url)} that is no address: give the one that the service shows, with https://`,
    );
  }
  const failed = new URL(url);
  if (failed.username !== '' || failed.password !== '') {
    throw new TypeError('url holds a user name or a password, which fetch refuses: give an address without them');
  }
  if (failed.searchParams.get('state') === 'complete') failed.searchParams.set('state', 'fail');
  else failed.pathname = `${failed.pathname.replace(/\/$/, '')}/fail`;
  return { succeeded: url, failed: failed.href };
}
