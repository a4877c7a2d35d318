import { warn } from '../core/observers/operator-log.js';
import type { Observer } from '../core/public/events.js';
import { checkKnown, describe, describeType, namesOf } from '../core/values/checks.js';
import { systemClock } from '../core/values/clock.js';
import { newUuid } from '../core/values/names.js';
import { errorName } from '../core/values/thrown.js';

/** Options of `checkInObserver`. */
export interface CheckInOptions {
  /**
   * The address that the service watches. It decides how a run is reported: with `status=ok` or `status=error` for
   * Sentry (`…/cron/MONITOR/KEY/`), with `state=complete` or `state=fail` for Cronitor (`https://cronitor.link/…`, or
   * any address with `state=complete`); else a success at the address itself, and a failure at `…/fail`. No message
   * contains the address.
   */
  readonly url: string;
  /**
   * Whether to report the beginning of each run, too: at `…/start`, with `state=run` or with `status=in_progress`. Both
   * reports of a run then have the same id: `rid`, `series` or `check_in_id`. @default false
   */
  readonly start?: boolean;
}

/** An observer that sends check-ins. */
export interface CheckInObserver extends Observer {
  /** Resolves when all check-ins so far have been sent or given up. Never rejects. */
  settled(): Promise<void>;
}

/** For how long a check-in is tried. */
const TIMEOUT_MS = 10_000;
/** The pauses before the second and the third try. */
const PAUSES_MS = [200, 1_000];

/**
 * Makes an observer that reports each run to a dead-man service, such as healthchecks.io, Cronitor or Sentry. It sends
 * one request if the run succeeded or failed, with `start` one before it, and none if the run was skipped. A run by hand
 * sends none: it must not hide from the service that the schedule has stopped. The request of the end waits until that
 * of the beginning was answered or given up, after 10 s. A request is sent again, at most twice, if
 * its connection fails or the service answers 408, 429, or 500 and above. No run waits for a request or fails because of
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
  checkKnown(options, namesOf<CheckInOptions>({ url: true, start: true }));
  const { start = false } = options;
  if (typeof start !== 'boolean') throw new TypeError(`start is ${describe(start)}: pass true or false`);
  const addressOf = addressesOf(options.url);
  if (typeof globalThis.fetch !== 'function') {
    throw new TypeError('fetch is undefined: check-ins need it, as in Node 20; pass an observer of your own');
  }
  const pending = new Set<Promise<void>>();
  /** Runs whose beginning was reported, by their attempts. */
  const begun = new Map<string | undefined, { readonly id: string; readonly sent: Promise<void> }>();

  function send(name: string, check: () => Promise<string | undefined>): Promise<void> {
    const sent = check().then((problem) => {
      pending.delete(sent);
      if (problem !== undefined) warn(`lock "${name}": its check-in failed: ${problem}`);
    });
    pending.add(sent);
    return sent;
  }

  const observer: Observer = ({ type, name, attemptId, isManual }) => {
    if (isManual) return;
    if (type === 'started' && start) {
      const id = newUuid();
      begun.set(attemptId, { id, sent: send(name, () => checkIn(addressOf(type, id))) });
    }
    if (type !== 'finished' && type !== 'failed') return;
    const beginning = begun.get(attemptId);
    begun.delete(attemptId);
    void send(name, async () => {
      if (beginning) await beginning.sent;
      return checkIn(addressOf(type, beginning?.id));
    });
  };
  return Object.assign(observer, {
    async settled() {
      await Promise.all(pending);
    },
  });
}

/**
 * Sends one check-in, again if that may help: a service may have closed the connection while Lambda had frozen the
 * process, and the first request over it then fails.
 *
 * @returns why the check-in failed, without the address; undefined if it succeeded
 */
async function checkIn(address: string): Promise<string | undefined> {
  const giveUp = new AbortController();
  const timer = systemClock.setTimer(() => giveUp.abort(), TIMEOUT_MS);
  timer.unref?.();
  try {
    for (const pauseMs of PAUSES_MS) {
      const { problem, mayPass } = await request(address, giveUp.signal);
      if (!mayPass) return problem;
      await new Promise<void>((resolve) => systemClock.setTimer(resolve, pauseMs));
    }
    return (await request(address, giveUp.signal)).problem;
  } finally {
    timer.cancel();
  }
}

/** Sends one request. */
async function request(address: string, signal: AbortSignal): Promise<{ problem?: string; mayPass: boolean }> {
  try {
    const { ok, status, body } = await fetch(address, { signal });
    await body?.cancel();
    if (ok) return { mayPass: false };
    return { problem: `status ${status}`, mayPass: status === 408 || status === 429 || status >= 500 };
  } catch (error) {
    return { problem: errorName(error), mayPass: !signal.aborted };
  }
}

/** How a run is reported to a service. */
interface Dialect {
  /** The parameter that has the word; undefined if the word is the end of the path. */
  readonly parameter?: string;
  readonly words: Readonly<Record<Step, string>>;
  /** The parameter with the id of the run. */
  readonly id: string;
}

type Step = 'started' | 'finished' | 'failed';

const SENTRY: Dialect = {
  parameter: 'status',
  words: { started: 'in_progress', finished: 'ok', failed: 'error' },
  id: 'check_in_id',
};
const CRONITOR: Dialect = {
  parameter: 'state',
  words: { started: 'run', finished: 'complete', failed: 'fail' },
  id: 'series',
};
/** healthchecks.io, and every other service. */
const BY_PATH: Dialect = { words: { started: '/start', finished: '', failed: '/fail' }, id: 'rid' };

function dialectOf({ hostname, pathname, searchParams }: URL): Dialect {
  if (/\/cron\/[^/]+\/[^/]+\/?$/.test(pathname)) return SENTRY;
  return hostname === 'cronitor.link' || searchParams.get('state') === 'complete' ? CRONITOR : BY_PATH;
}

/**
 * Makes the function that returns where to report what has become of a run.
 *
 * @throws TypeError without the address in its message: anyone who knows the address can check in
 */
function addressesOf(url: unknown): (step: Step, id: string | undefined) => string {
  if (typeof url !== 'string') throw new TypeError(`url is ${describe(url)}: pass the address that the service shows`);
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new TypeError(
      `url is ${describeType(url)} that is not an address: pass the one that the service shows, with https://`,
    );
  }
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') {
    throw new TypeError('url holds a user name or a password, which fetch refuses: pass an address without them');
  }
  const dialect = dialectOf(new URL(url));
  return (step, id) => {
    const address = new URL(url);
    const word = dialect.words[step];
    if (dialect.parameter !== undefined) address.searchParams.set(dialect.parameter, word);
    else if (word !== '') address.pathname = `${address.pathname.replace(/\/$/, '')}${word}`;
    if (id !== undefined) address.searchParams.set(dialect.id, dialect === SENTRY ? id.replaceAll('-', '') : id);
    return address.href;
  };
}
