import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { executeWithLock, LockStoreError } from 'single-execution';
import { checkInObserver } from 'single-execution/observe';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { gate } from '../support/gate.js';
import { memoryLocks, NOW } from '../support/memory-locks.js';

/** A dead-man service, and what it was asked. */
let service: Server;
let asked: string[];
let status = 200;
let answering: Promise<void>;
beforeAll(async () => {
  service = createServer(async ({ method, url }, response) => {
    asked.push(`${method} ${url}`);
    await answering;
    response.writeHead(status).end('OK');
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  service.closeAllConnections();
  service.close();
});
beforeEach(() => {
  asked = [];
  status = 200;
  answering = Promise.resolve();
});

const address = (path = '/4f1d') => `http://127.0.0.1:${(service.address() as AddressInfo).port}${path}`;
const failing = () => Promise.reject(new Error('no database'));

function setting(path?: string) {
  const observer = checkInObserver({ url: address(path) });
  const { options } = memoryLocks();
  return { observer, options: { ...options, tick: NOW, observers: [observer] } };
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
  ])('row 105: for %s a failed run is reported at %s', async (path, failed) => {
    const { options, observer } = setting(path);
    await executeWithLock(failing, options).catch(() => undefined);
    await executeWithLock(() => 'sent', options);
    await observer.settled();

    expect(asked.sort()).toEqual([`GET ${failed}`, `GET ${path}`].sort());
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
    answering = answer.opened;

    expect(await executeWithLock(() => 'sent', options)).toMatchObject({ value: 'sent', release: 'released' });
    const settled = vi.fn();
    const settling = observer.settled().then(settled);
    await vi.waitFor(() => expect(asked).toHaveLength(1), 60_000);
    expect(settled).not.toHaveBeenCalled();
    answer.open();
    await settling;
  });

  test.each<[string, () => string, number, string]>([
    ['refuses', () => address('/4f1d-secret'), 404, 'status 404'],
    ['is out of reach', () => 'http://127.0.0.1:1/4f1d-secret', 200, 'TypeError'],
  ])('row 105: a service that %s fails no run; a line says so, without the address', async (_, url, code, problem) => {
    const logged = vi.spyOn(console, 'warn').mockImplementation(() => {});
    status = code;
    const { options } = memoryLocks();
    const observer = checkInObserver({ url: url() });
    const outcome = await executeWithLock(() => 'sent', { ...options, observers: [observer] });
    await observer.settled();

    expect(outcome).toMatchObject({ value: 'sent' });
    const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(lines).toMatchObject([{ message: `lock "digest": its check-in failed: ${problem}` }]);
    expect(JSON.stringify(lines)).not.toContain('secret');
    logged.mockRestore();
  });
});

test.each<[unknown, RegExp]>([
  [undefined, /^options is undefined/],
  [{}, /^url is undefined: give the address/],
  [{ url: 'hc-ping.com/4f1d-secret' }, /^url is a string that is no address/],
  [{ url: 'ftp://hc-ping.com/4f1d-secret' }, /^url is a string that is no address/],
  [{ url: 'https://' }, /^url is a string that is no address/],
  [{ url: 'https://4f1d-secret@hc-ping.com/' }, /^url holds a user name or a password/],
  [{ url: 'https://hc-ping.com/4f1d', method: 'POST' }, /unknown option 'method'/],
])('options that cannot be are refused, without the address: %o', (options, message) => {
  expect(() => checkInObserver(options as never)).toThrow(message);
  expect(() => checkInObserver(options as never)).not.toThrow('secret');
});

test('a platform without fetch is reported at once', () => {
  vi.stubGlobal('fetch', undefined);
  expect(() => checkInObserver({ url: 'https://hc-ping.com/4f1d' })).toThrow('fetch is undefined');
});
