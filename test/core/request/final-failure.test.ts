import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http, { type ClientRequestArgs } from 'node:http';
import https from 'node:https';
import net, { type Server } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { finalProblem } from '../../../src/core/request/final-failure.js';
import { listening } from '../../support/loopback.js';
import { EXPIRED_CERTIFICATE, TEST_CERTIFICATE, TEST_KEY } from '../../support/test-certificates.js';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

function portOf(server: Server): Promise<number> {
  servers.push(server);
  return listening(server);
}

const secure = (options: https.ServerOptions) =>
  portOf(https.createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE, ...options }, (_, answer) => answer.end()));
const plain = () => portOf(http.createServer((_, answer) => answer.end()));

function failureOf(by: typeof http | typeof https, args: ClientRequestArgs & https.RequestOptions): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const done = (error: unknown) => resolve(error);
    try {
      const request = by.request({ host: 'localhost', family: 4, ...args }, () => reject(new Error('it was answered')));
      request.once('error', done).end();
    } catch (error) {
      done(error);
    }
  });
}

const fetchFailure = (url: string) =>
  fetch(url).then(
    () => undefined,
    (error: unknown) => error,
  );
const ca = TEST_CERTIFICATE;
const EXPIRED = { ca: EXPIRED_CERTIFICATE };
/** Node's error, or OpenSSL's. */
const WRONG_VERSION = 'EPROTO|ERR_SSL_WRONG_VERSION_NUMBER';

/** What a server of HTTPS with these options makes of a request. */
const refusedBy = async (server: https.ServerOptions, request: https.RequestOptions = {}) =>
  failureOf(https, { port: await secure(server), ...request });

const cutting = () => net.createServer((socket) => socket.destroy());

/** A port where nobody listens: it belongs to the client's end of a connection, so no server can take it meanwhile. */
async function deafPort(): Promise<number> {
  const client = net.connect(await portOf(net.createServer()), '127.0.0.1');
  onTestFinished(() => void client.destroy());
  await once(client, 'connect');
  return client.localPort ?? 0;
}

describe('a failure that no second try can cure', () => {
  test.each<[string, string, () => unknown]>([
    ['a self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT', () => refusedBy({})],
    [
      'the same by fetch, which keeps it in the cause',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      async () => fetchFailure(`https://localhost:${await secure({})}/`),
    ],
    ['an expired certificate', 'CERT_HAS_EXPIRED', () => refusedBy({ cert: EXPIRED_CERTIFICATE }, EXPIRED)],
    ['a certificate of another host', 'ERR_TLS_CERT_ALTNAME_INVALID', () => refusedBy({}, { host: '127.0.0.1', ca })],
    ['TLS to a plain port', WRONG_VERSION, async () => failureOf(https, { port: await plain() })],
    ['the same by fetch', WRONG_VERSION, async () => fetchFailure(`https://localhost:${await plain()}/`)],
    [
      'a version of TLS that the server refuses',
      'EPROTO|ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
      () => refusedBy({ minVersion: 'TLSv1.3' }, { maxVersion: 'TLSv1.2', ca }),
    ],
    [
      'no certificate of the client, where one is required',
      'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
      () => refusedBy({ requestCert: true, rejectUnauthorized: true }, { ca }),
    ],
    ['a key that cannot be read', 'ERR_OSSL_.*', () => failureOf(https, { port: 1, key: 'rubbish', cert: 'rubbish' })],
    ['a file that is not there', 'ENOENT', () => readFile('/nowhere/ca.pem').catch((error: unknown) => error)],
    ['a text that is not a URL', 'URL|ERR_INVALID_URL', () => fetchFailure('localhost')],
    ['a port that does not exist', 'ERR_SOCKET_BAD_PORT', () => failureOf(http, { port: 99_999 })],
    ['a protocol that is none', 'ERR_INVALID_PROTOCOL', () => failureOf(http, { protocol: 'localhost:', port: 1 })],
    ['a header with a line break', 'ERR_INVALID_CHAR', () => failureOf(http, { port: 1, headers: { a: 'b\nc' } })],
    ['an agent that is none', 'ERR_INVALID_ARG_TYPE', () => failureOf(http, { agent: 'x' as never, port: 1 })],
    ['a host name with a blank', 'ENOTFOUND', () => failureOf(http, { host: 'dynamodb.eu west-1.example', port: 1 })],
    ['a host name with an empty part', 'ENOTFOUND', () => failureOf(http, { host: 'dynamodb..example', port: 1 })],
  ])('F120 %s', async (_, code, fail) => {
    expect(finalProblem(await fail())).toMatch(new RegExp(`no request can be sent \\((${code})\\)`));
  });

  test('F120 of several addresses, one may answer at the next try', () => {
    const bad = Object.assign(new Error(), { code: 'CERT_HAS_EXPIRED' });
    const down = Object.assign(new Error(), { code: 'ECONNREFUSED' });
    expect(finalProblem(new AggregateError([bad, down]))).toBeUndefined();
  });

  test('F120 an error that is its own cause ends the search', () => {
    const error: Error = new Error('x');
    error.cause = error;
    expect(finalProblem(error)).toBeUndefined();
  });
});

describe('a failure that may pass', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['a port where nobody listens', async () => failureOf(http, { port: await deafPort() })],
    ['the same by fetch', async () => fetchFailure(`http://127.0.0.1:${await deafPort()}/`)],
    ['a well-formed host that is not known', () => failureOf(http, { host: 'nobody.invalid', port: 1 })],
    ['a connection that is cut', async () => failureOf(https, { port: await portOf(cutting()) })],
    ['a plain request to a port of TLS, which looks like it', async () => failureOf(http, { port: await secure({}) })],
    ['a socket file that is not there now', () => failureOf(http, { socketPath: '/nowhere/server.sock' })],
  ])('F120 %s', async (_, fail) => {
    const error = await fail();
    expect(error).toBeInstanceOf(Error);
    expect(finalProblem(error)).toBeUndefined();
  });

  test.each([
    'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR',
    'ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC',
    'ERR_TLS_HANDSHAKE_TIMEOUT',
    'ERR_SOCKET_CONNECTION_TIMEOUT',
    'EAI_AGAIN',
    'ETIMEDOUT',
    '08006',
    'P1001',
  ])('F120 the code %s', (code) => {
    expect(finalProblem(Object.assign(new Error('x'), { code }))).toBeUndefined();
  });

  test('F120 a wrong argument in the client, which may come while it reads an answer', () => {
    const code = 'ERR_INVALID_ARG_TYPE';
    const error = Object.assign(new TypeError('The "list[1]" argument must be an instance of Buffer'), { code });
    expect(finalProblem(error)).toBeUndefined();
  });

  test('F120 a value of a statement that looks like a problem is not read', () => {
    expect(finalProblem(Object.assign(new Error('INSERT bad port'), { code: '57014' }))).toBeUndefined();
  });
});
