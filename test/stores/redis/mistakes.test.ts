import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:tls';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import type { LockStore } from 'single-execution';
import { type RedisStoreOptions, redisStore } from 'single-execution/redis';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ownEngine } from '../../support/backends/stage.js';
import { innerCli } from '../../support/inner-cli.js';
import { listening } from '../../support/loopback.js';
import { runOn } from '../../support/one-run.js';
import { packagesOf } from '../../support/package-sets.js';
import { says } from '../../support/settled.js';
import { TEST_CERTIFICATE, TEST_KEY } from '../../support/test-certificates.js';

/* What is set wrong is no outage: it is reported at once, with what to correct, and never as UNAVAILABLE. */

const { server } = await ownEngine('redis');
const { server: locked, client: lock } = await ownEngine('redis');
await lock.config('SET', 'requirepass', 'right');
const urlOf = (password: string) => locked.url.replace('redis://', `redis://:${password}@`);
const ofClients = await packagesOf('test/clients-redis');
const { default: OldestRedis } = ofClients('ioredis-5') as { default: typeof Redis };
const { createClient: createOldClient } = ofClients('redis-5-newest') as { createClient: typeof createClient };

const web = createServer((_, response) => response.end('hello'));
const webPort = await listening(web);
const secure = createTlsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE });
secure.on('tlsClientError', () => undefined);
const securePort = await listening(secure);
afterAll(() => {
  web.close();
  secure.close();
});

type Client = RedisStoreOptions['client'];

function ioredis(Its: typeof Redis, url: string): Client {
  const client = new Its(url, { maxRetriesPerRequest: 0 });
  client.on('error', () => undefined);
  onTestFinished(() => client.disconnect());
  return client;
}

function nodeRedis(create: typeof createClient, url: string): Client {
  const client = create({ url });
  client.on('error', () => undefined);
  client.connect().catch(() => undefined);
  onTestFinished(() => client.destroy());
  return client;
}

const CLIENTS: [string, (url: string) => Client][] = [
  ['ioredis', (url) => ioredis(Redis, url)],
  ['the oldest ioredis', (url) => ioredis(OldestRedis, url)],
  ['node-redis', (url) => nodeRedis(createClient, url)],
  ['node-redis 5', (url) => nodeRedis(createOldClient, url)],
];

const MISTAKES: [string, string, RegExp][] = [
  [
    'a certificate that is not trusted',
    `rediss://127.0.0.1:${securePort}`,
    /\(.*CERT.*\); correct the address, certificates/,
  ],
  [
    'the port of a web server',
    `redis://127.0.0.1:${webPort}`,
    /does not speak the protocol of Redis: correct the host/,
  ],
  ['a database that does not exist', `${server.url}/99`, /no database of this number: correct the end of the URL/],
];

/** An outage is reported when the call is over, which is later than the end of a test. */
const LONGER_MS = 600_000;
/** A run that needs no lock in an outage. */
const run = (client: Client) => {
  const store = redisStore({ client });
  const acquire: LockStore['acquire'] = (asked, limits) => store.acquire(asked, { ...limits, budgetMs: LONGER_MS });
  return runOn({ ...store, acquire }, () => 'ran', { name: 'mistake', onStoreError: 'run' });
};

describe.each(CLIENTS)('F120 %s', (_, connect) => {
  test.each(MISTAKES)('with %s is told so at once', async (__, url, remedy) => {
    await expect(run(connect(url))).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      retryable: false,
      message: expect.stringMatching(remedy),
    });
  });
});

test('F120 ioredis that is already connected to another database than was asked for takes no lock', async () => {
  const client = ioredis(Redis, `${server.url}/99`) as Redis;
  await expect.poll(() => client.status).toBe('ready');
  await expect(run(client)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  const right = ioredis(Redis, `${server.url}/3`) as Redis;
  await expect.poll(() => right.status).toBe('ready');
  expect(await run(right)).toMatchObject({ status: 'executed' });
  expect(await right.exists('lock:mistake')).toBe(1);
});

test.each([
  ['ioredis', Redis],
  ['the oldest ioredis', OldestRedis],
] as const)('F120 a URL of another scheme, which %s takes for a path, is told at once', async (_, Its) => {
  await expect(run(ioredis(Its, `http://127.0.0.1:${server.port}`))).rejects.toMatchObject(
    says('INVALID_REQUEST', 'the URL does not begin with redis:// or rediss://'),
  );
});

test.each(MISTAKES)('F120 the command-line tool tells %s at once', async (_, url) => {
  const { code, stderr } = await innerCli(['ls', '--redis-url', url]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/correct/);
  expect(stderr).not.toMatch(/did not answer/);
});

// Clients connect again and again if Redis refuses their login. A run fails at once with the answer of Redis.
test.each<[string, string, () => Client]>([
  ['ioredis without a password', 'NOAUTH', () => ioredis(Redis, locked.url)],
  ['ioredis with a wrong one', 'WRONGPASS', () => ioredis(Redis, urlOf('wrong'))],
  ['ioredis 5.0 without a password', 'NOAUTH', () => ioredis(OldestRedis, locked.url)],
  ['ioredis 5.0 with a wrong one', 'WRONGPASS', () => ioredis(OldestRedis, urlOf('wrong'))],
  ['node-redis without a password', 'NOAUTH', () => nodeRedis(createClient, locked.url)],
  // node-redis sends commands even without a login, so the error is the answer to the command.
  ['node-redis with a wrong one', 'NOAUTH', () => nodeRedis(createClient, urlOf('wrong'))],
])('%s is told so at once: %s', async (_, word, make) => {
  await expect(run(make())).rejects.toMatchObject({
    name: 'LockStoreError',
    code: 'ACCESS_DENIED',
    retryable: false,
    message: `acquire of lock "mistake" failed: Redis refused the login (${word}): pass the right username and password to the client; nothing was sent`,
  });
});

test('the right password is let in, also by a client that is not connected yet', async () => {
  expect(await run(ioredis(Redis, urlOf('right')))).toMatchObject({ status: 'executed' });
  expect(await run(nodeRedis(createClient, urlOf('right')))).toMatchObject({ status: 'executed' });
});

test.each([
  ['without a listener for errors is warned of once, with the remedy', false],
  ['that listens for errors is not warned of', true],
])('a client of node-redis %s', async (_, listens) => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  onTestFinished(() => warned.mockRestore());
  // A connection of the first client that breaks would end the process.
  const client = createClient({ url: server.url });
  if (listens) client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.destroy());
  for (let runs = 0; runs < 2; runs++) await run(client);

  const lines = warned.mock.calls.map(([line]) => String(line));
  expect(lines).toEqual(listens ? [] : [expect.stringContaining("add client.on('error', …)")]);
});
