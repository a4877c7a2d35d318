import { once } from 'node:events';
import { connect } from 'node:net';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { type RedisStoreOptions, redisStore } from 'single-execution/redis';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { SENDS_ONCE } from '../../support/backends/redis.js';
import { ownEngine } from '../../support/backends/stage.js';
import { shiftedClock } from '../../support/clocks.js';
import { patientCall } from '../../support/contract-harness.js';
import { call, claim, done, grant } from '../../support/one-run.js';
import { startTcpFaultProxy } from '../../support/tcp-fault-proxy.js';

/*
 * Requests of a process's first call that a Redis client resends late by itself, and the settings that turn this off:
 * see docs/stores/redis.md, "Limits". Each call here has a clock of its own, so that none knows the server's time.
 */

let keepsNext = false;
let kept = '';
const { server, client: direct } = await ownEngine('redis');
const proxy = await startTcpFaultProxy(server.port, (request) => {
  if (!keepsNext) return undefined;
  keepsNext = false;
  kept = request;
  return 'drop-request';
});
afterAll(() => proxy.stop());

interface Connected {
  readonly client: RedisStoreOptions['client'];
  /** Resolves when the client has connected again, and all requests that it had kept have been answered. */
  reconnected(): Promise<unknown>;
}

const CLIENTS = {
  'ioredis as it comes': () => ioredis({}),
  'ioredis that is told': () => ioredis(SENDS_ONCE),
  'node-redis as it comes': () => nodeRedis(),
};

async function ioredis(options: Partial<typeof SENDS_ONCE>): Promise<Connected> {
  const client = new Redis(proxy.port, options);
  client.on('error', () => undefined);
  onTestFinished(() => client.disconnect());
  await once(client, 'ready');
  return { client, reconnected: () => ready(client).then(() => client.ping()) };
}

async function nodeRedis(): Promise<Connected> {
  const client = createClient({ socket: { host: '127.0.0.1', port: proxy.port } });
  client.on('error', () => undefined);
  onTestFinished(() => client.destroy());
  await client.connect();
  return { client, reconnected: () => ready(client).then(() => client.ping()) };
}

/** Resolves at `ready`. `once` of node:events would reject if a try to connect fails first. */
const ready = (client: { once(event: 'ready', listener: () => void): unknown }) =>
  new Promise<void>((resolve) => client.once('ready', resolve));

/** A call with much time: on a busy machine it may take long to connect again. */
const patient = patientCall(shiftedClock(0));

describe('F5 F6 an acquire whose connection broke, and that comes when another has had the lock and given it back', () => {
  test.each([
    // This client resent the acquire, and the library cannot know that there were two requests.
    ['ioredis as it comes', 'granted'],
    ['ioredis that is told', 'refused'],
    ['node-redis as it comes', 'refused'],
  ] as const)('of %s is %s', async (name, answer) => {
    const { client } = await CLIENTS[name]();
    const [holders, mine] = [redisStore({ client: direct }), redisStore({ client })];
    const lock = `late by ${name}`;
    // From here on, both clients know that Redis has the script.
    await grant(mine, claim({ name: `${lock}, before` }));
    const held = await grant(holders, claim({ name: lock }));

    keepsNext = true;
    expect(await mine.acquire(claim({ name: lock }), patient)).toMatchObject({ status: 'refused', reason: 'locked' });
    expect(await holders.release(held, done, call())).toBe('released');

    expect(await sent(kept)).toMatch(new RegExp(`\\n\\["${answer}",`));
  });
});

describe('F6 an acquire that was given up while Redis was away', () => {
  test.each([
    ['ioredis as it comes', 'held'],
    ['ioredis that is told', 'free'],
    ['node-redis as it comes', 'free'],
  ] as const)('of %s leaves the lock %s', async (name, state) => {
    const { client, reconnected } = await CLIENTS[name]();
    const store = redisStore({ client });
    const lock = `given up by ${name}`;
    await grant(store, claim({ name: `${lock}, before` }));

    proxy.goAway();
    const lost = store.acquire(claim({ name: lock }), { ...call(600), tryMs: 200 });
    await expect(lost).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await Promise.all([reconnected(), proxy.comeBack()]);

    expect((await direct.hget(`lock:${lock}`, 'state')) ?? 'free').toBe(state);
  });
});

/** Sends a request on a new connection. @returns the answer */
async function sent(request: string): Promise<string> {
  const socket = connect(server.port, server.host);
  socket.write(request, 'latin1');
  const [reply] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return reply.toString('latin1');
}
