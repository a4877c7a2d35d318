import { createServer, type Server } from 'node:http';
import { executeWithLock, LockStoreError } from 'single-execution';
import { checkInObserver } from 'single-execution/observe';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/core/values/clock.js';
import { gate } from '../support/gate.js';
import { closed, listening } from '../support/loopback.js';
import { memoryLocks, NOW } from '../support/memory-locks.js';

/** A dead-man service, and what it was asked. */
let service: Server;
let port: number;
let asked: string[];
let answered: string[];
/** The status of each answer, and of all that follow the last one. 0 stands for a connection that ends without an answer. */
let statuses: readonly number[] = [200];
/** Requests with this in their address are not answered before. */
let held: { readonly part: string; readonly until: Promise<void> };
beforeAll(async () => {
  service = createServer(async ({ method, url, socket }, response) => {
    asked.push(`${method} ${url}`);
    if (url?.includes(held.part)) await held.until;
    const status = statuses[Math.min(answered.push(String(url)), statuses.length) - 1] ?? 200;
    if (status === 0) socket.destroy();
    else response.writeHead(status).end('OK');
  });
  port = await listening(service);
});
afterAll(() => closed(service));
beforeEach(() => {
  asked = [];
  statuses = [200];
  answered = [];
  held = { part: '', until: Promise.resolve() };
});

const address = (path = '/4f1d') => `http://127.0.0.1:${port}${path}`;
const SENTRY = '/api/42/cron/digest/0a1b2c/';
const failing = () => Promise.reject(new Error('no database'));

function setting(path?: string, start = false) {
  const observer = checkInObserver({ url: address(path), start });
  const { options } = memoryLocks();
  return { observer, options: { ...options, tick: NOW, observers: [observer] } };
}

/** Lets no check-in wait before it is sent again. @returns the pauses, in milliseconds */
function pausesOf(): number[] {
  const { setTimer } = systemClock;
  const pauses: number[] = [];
  const timer = vi.spyOn(systemClock, 'setTimer').mockImplementation((callback, ms) => {
    const isLimit = ms === 10_000;
    if (!isLimit) pauses.push(ms);
    return setTimer(callback, isLimit ? ms : 0);
  });
  onTestFinished(() => timer.mockRestore());
  return pauses;
}

describe('row 105: checkInObserver', () => {
  test('row 105: sends one request if a tick was executed, and none if it was skipped', async () => {
    const { options, observer } = setting();
    for (let calls = 0; calls < 2; calls++) await executeWithLock(() => 'sent', options);
    await observer.settled();

    expect(asked).toEqual(['GET /4f1d']);
  });

  test('row 195: sends none for a run by hand', async () => {
    const { options, observer } = setting();
    const { tick: _, ...byHand } = { ...options, isManual: true };
    await executeWithLock(() => 'sent', byHand);
    await executeWithLock(failing, byHand).catch(() => {});
    await observer.settled();

    expect(asked).toEqual([]);
  });

  test.each([
    ['/4f1d', '/4f1d/fail'],
    ['/4f1d/?create=1', '/4f1d/fail?create=1'],
    ['/p/key/job?state=complete&env=test', '/p/key/job?state=fail&env=test'],
    [`${SENTRY}?environment=dev`, `${SENTRY}?environment=dev&status=error`, `${SENTRY}?environment=dev&status=ok`],
  ])('row 105: for %s a failed run is reported at %s', async (path, failed, succeeded = path) => {
    const { options, observer } = setting(path);
    await executeWithLock(failing, options).catch(() => undefined);
    await executeWithLock(() => 'sent', options);
    await observer.settled();

    expect(asked.sort()).toEqual([`GET ${failed}`, `GET ${succeeded}`].sort());
  });

  const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
  test.each([
    ['/4f1d', 'rid', UUID, ['/4f1d/start?rid=ID', '/4f1d?rid=ID', '/4f1d/fail?rid=ID']],
    ['/4f1d/?create=1', 'rid', UUID, ['/start', '/', '/fail'].map((end) => `/4f1d${end}?create=1&rid=ID`)],
    [
      '/p/key/job?state=complete',
      'series',
      UUID,
      ['run', 'complete', 'fail'].map((state) => `/p/key/job?state=${state}&series=ID`),
    ],
    [
      SENTRY,
      'check_in_id',
      /^[\da-f]{32}$/,
      ['in_progress', 'ok', 'error'].map((word) => `${SENTRY}?status=${word}&check_in_id=ID`),
    ],
  ])(
    'row 202: for %s the beginning is reported too, and both reports have the same %s',
    async (path, parameter, form, [began, succeeded, failed]) => {
      const { options, observer } = setting(path, true);
      for (const task of [failing, () => 'sent', () => 'skipped']) {
        await executeWithLock(task, options).catch(() => undefined);
        await observer.settled();
      }

      const ids = asked.map((line) => String(new URL(line.slice(4), address()).searchParams.get(parameter)));
      expect(asked.map((line, n) => line.replace(String(ids[n]), 'ID'))).toEqual(
        [began, failed, began, succeeded].map((line) => `GET ${line}`),
      );
      for (const id of ids) expect(id).toMatch(form);
      expect(ids).toEqual([ids[0], ids[0], ids[2], ids[2]]);
      expect(ids[2]).not.toBe(ids[0]);
    },
  );

  test('row 202: the end is reported after the answer to the beginning; no run waits for it', async () => {
    const { options, observer } = setting('/4f1d', true);
    const answer = gate();
    held = { part: '/start', until: answer.opened };
    expect(await executeWithLock(() => 'sent', options)).toMatchObject({ value: 'sent', release: 'released' });
    await vi.waitFor(() => expect(asked.join()).toContain('/start'), 60_000);
    // Another request is answered meanwhile: the end has had the time to come.
    await fetch(address('/other'));
    asked.push('answers');
    answer.open();
    await observer.settled();

    const saw = asked.map((line) => line.replace(/\?.*/, ''));
    expect(saw).toEqual(['GET /4f1d/start', 'GET /other', 'answers', 'GET /4f1d']);
  });

  test('F193 row 202: a beginning that is never answered is given up after 10 s, and the end is reported then', async () => {
    const logged = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { options, observer } = setting('/4f1d-secret', true);
    const pauses = pausesOf();
    const never = gate();
    held = { part: '/start', until: never.opened };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await executeWithLock(() => 'sent', options);
    const settling = observer.settled();
    await vi.waitUntil(() => asked.length === 1 || undefined, { timeout: 60_000 });
    vi.advanceTimersByTime(9_999);
    expect(asked).toHaveLength(1);
    vi.advanceTimersByTime(1);
    vi.useRealTimers();
    await settling;
    never.open();
    expect(pauses).toEqual([]);

    expect(asked.at(-1)).toMatch(/^GET \/4f1d-secret\?rid=/);
    const lines = logged.mock.calls.map(([line]) => String(line));
    expect(lines.map((line) => JSON.parse(line).message)).toEqual(['lock "digest": its check-in failed: AbortError']);
    expect(lines.join()).not.toContain('secret');
    logged.mockRestore();
  });

  test('row 202: runs side by side have ids of their own', async () => {
    const observer = checkInObserver({ url: address(), start: true });
    const { options } = memoryLocks();
    const end = gate();
    const runs = ['digest', 'report'].map((name) =>
      executeWithLock(() => end.opened, { ...options, name, observers: [observer] }),
    );
    await vi.waitFor(() => expect(answered).toHaveLength(2), 60_000);
    end.open();
    await Promise.all(runs);
    await observer.settled();

    const [first, second, ...ends] = asked.map((line) => line.slice(line.indexOf('=')));
    expect(first).not.toBe(second);
    expect(ends.sort()).toEqual([first, second].sort());
  });

  test('row 105: no request is sent if the store cannot be reached', async () => {
    const { options, observer } = setting();
    options.store.acquire = () => Promise.reject(new Error('out of reach'));
    await expect(executeWithLock(() => 'sent', options)).rejects.toBeInstanceOf(LockStoreError);
    await observer.settled();

    expect(asked).toEqual([]);
  });

  test('row 105: no run waits for a service that does not answer', async () => {
    const { options, observer } = setting();
    const answer = gate();
    held = { part: '/4f1d', until: answer.opened };

    expect(await executeWithLock(() => 'sent', options)).toMatchObject({ value: 'sent', release: 'released' });
    const settled = vi.fn();
    const settling = observer.settled().then(settled);
    await vi.waitFor(() => expect(asked).toHaveLength(1), 60_000);
    expect(settled).not.toHaveBeenCalled();
    answer.open();
    await settling;
  });

  test.each([
    ['closes a connection while the request is sent', [0, 200], 2, undefined],
    ['is busy', [429, 408, 200], 3, undefined],
    ['is down', [500], 3, 'status 500'],
    ['closes every connection', [0], 3, 'TypeError'],
    ['does not know the address', [404], 1, 'status 404'],
  ])('row 105: F222 a service that %s (its answers: %j) gets %i requests', async (_, answers, tries, problem) => {
    const logged = vi.spyOn(console, 'warn').mockImplementation(() => {});
    statuses = answers;
    const pauses = pausesOf();
    const { options, observer } = setting();
    await executeWithLock(() => 'sent', options);
    await observer.settled();

    expect(asked).toEqual(Array(tries).fill('GET /4f1d'));
    expect(pauses).toEqual([200, 1_000].slice(0, tries - 1));
    const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)).message);
    expect(lines).toEqual(problem ? [`lock "digest": its check-in failed: ${problem}`] : []);
    logged.mockRestore();
  });

  test.each<[string, () => string, string]>([
    ['refuses', () => address('/4f1d-secret'), 'status 404'],
    ['is out of reach', () => 'http://127.0.0.1:1/4f1d-secret', 'TypeError'],
  ])('row 105: F194 a service that %s fails no run; a line says so, without the address', async (_, url, problem) => {
    pausesOf();
    const logged = vi.spyOn(console, 'warn').mockImplementation(() => {});
    statuses = [404];
    const { options } = memoryLocks();
    const observer = checkInObserver({ url: url(), start: true });
    const outcome = await executeWithLock(() => 'sent', { ...options, observers: [observer] });
    await observer.settled();

    expect(outcome).toMatchObject({ value: 'sent' });
    const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(lines.map(({ message }) => message)).toEqual(
      [1, 2].map(() => `lock "digest": its check-in failed: ${problem}`),
    );
    expect(JSON.stringify(lines)).not.toContain('secret');
    logged.mockRestore();
  });
});

test.each<[unknown, RegExp]>([
  [undefined, /^options is undefined/],
  [{}, /^url is undefined: pass the address/],
  [{ url: 'hc-ping.com/4f1d-secret' }, /^url is a string that is not an address/],
  [{ url: 'ftp://hc-ping.com/4f1d-secret' }, /^url is a string that is not an address/],
  [{ url: 'https://' }, /^url is a string that is not an address/],
  [{ url: 'https://4f1d-secret@hc-ping.com/' }, /^url holds a user name or a password/],
  [{ url: 'https://hc-ping.com/4f1d-secret', start: 'yes' }, /^start is 'yes': pass true or false/],
  [{ url: 'https://hc-ping.com/4f1d', method: 'POST' }, /unknown option 'method'/],
])('options that cannot be are refused, without the address: %o', (options, message) => {
  expect(() => checkInObserver(options as never)).toThrow(message);
  expect(() => checkInObserver(options as never)).not.toThrow('secret');
});

test('a platform without fetch is reported at once', () => {
  vi.stubGlobal('fetch', undefined);
  expect(() => checkInObserver({ url: 'https://hc-ping.com/4f1d' })).toThrow('fetch is undefined');
});

test('row 202: an address of Cronitor needs no state', async () => {
  const fetched: string[] = [];
  vi.stubGlobal('fetch', async (url: string) => {
    fetched.push(url);
    return new Response();
  });
  const { options } = memoryLocks();
  const observer = checkInObserver({ url: 'https://cronitor.link/p/key/job' });
  await executeWithLock(failing, { ...options, observers: [observer] }).catch(() => undefined);
  await observer.settled();
  vi.unstubAllGlobals();

  expect(fetched).toEqual(['https://cronitor.link/p/key/job?state=fail']);
});
