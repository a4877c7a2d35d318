import { once } from 'node:events';
import { connect } from 'node:net';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { type RedisStoreOptions, redisStore } from 'single-execution/redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, claim, done, grant } from '../support/one-run.js';
import { type RedisServer, startRedisServer } from '../support/redis-server.js';
import { startTcpFaultProxy, type TcpFaultProxy } from '../support/tcp-fault-proxy.js';

/*
 * An acquire whose connection broke, and that comes to the server when another has had the lock and given it back.
 */

let server: RedisServer;
let direct: Redis;
let proxy: TcpFaultProxy;
let keepsNext = false;
let kept = '';
beforeAll(async () => {
  server = await startRedisServer();
  direct = new Redis(server.url);
  proxy = await startTcpFaultProxy(server.port, (request) => {
    if (!keepsNext) return undefined;
    keepsNext = false;
    kept = request;
    return 'drop-request';
  });
});
afterAll(async () => {
  direct.disconnect();
  await proxy.stop();
  await server.stop();
});

type Client = RedisStoreOptions['client'];

const CLIENTS: Readonly<Record<string, () => Promise<{ client: Client; close(): void }>>> = {
  'ioredis that is told not to send again': () => ioredis({ maxRetriesPerRequest: 0 }),
  'ioredis as it comes': () => ioredis({}),
  async 'node-redis'() {
    const client = createClient({ socket: { host: '127.0.0.1', port: proxy.port } });
    client.on('error', () => undefined);
    await client.connect();
    return { client, close: () => client.destroy() };
  },
};

async function ioredis(options: { readonly maxRetriesPerRequest?: number }) {
  const client = new Redis(proxy.port, options);
  client.on('error', () => undefined);
  await client.ping();
  return { client, close: () => client.disconnect() };
}

test.each([
  ['ioredis that is told not to send again', 'refused'],
  ['node-redis', 'refused'],
  // It sends again by itself, so that nobody knows of two requests. See docs/stores/redis.md, "Limits".
  ['ioredis as it comes', 'granted'],
])('F5 F6 by %s a late acquire is %s', async (name, answer) => {
  const { client, close } = (await CLIENTS[name]?.()) ?? expect.unreachable();
  const [holders, mine] = [redisStore({ client: direct }), redisStore({ client })];
  const lock = `late by ${name}`;
  // Both know the script from here on.
  await grant(mine, claim({ name: `${lock}, before` }));
  const held = await grant(holders, claim({ name: lock }));

  keepsNext = true;
  expect(await mine.acquire(claim({ name: lock }), call())).toMatchObject({ status: 'refused', reason: 'locked' });
  expect(await holders.release(held, done, call())).toBe('released');

  expect(await sent(kept)).toMatch(new RegExp(`\n${answer}\n`));
  close();
});

/** The answer to a request on a connection of its own. */
async function sent(request: string): Promise<string> {
  const socket = connect(server.port, server.host);
  socket.write(request, 'latin1');
  const [reply] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return reply.toString('latin1');
}
