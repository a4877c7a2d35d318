import { once } from 'node:events';
import { connect } from 'node:net';
import { Redis as UpstashRedis } from '@upstash/redis';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import type { Claim, StoreCall } from 'single-execution';
import { type RedisStoreOptions, redisStore } from 'single-execution/redis';
import { upstashStore } from 'single-execution/upstash';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { upstashAttemptOf, upstashVerbOf } from '../../faults/upstash-verb.js';
import { SENDS_ONCE } from '../../support/backends/redis.js';
import { ownEngine } from '../../support/backends/stage.js';
import { shiftedClock } from '../../support/clocks.js';
import { storeCall } from '../../support/contract-harness.js';
import { call, claim, done, grant } from '../../support/one-run.js';
import { packagesOf } from '../../support/package-sets.js';
import { startTcpFaultProxy, type TcpFault } from '../../support/tcp-fault-proxy.js';
import { startUpstashBridge } from '../../support/upstash-bridge.js';

/*
 * Requests that a client, or a proxy, keeps back until the call that sent them has given up. The server itself refuses
 * such a grant and such an extension: see docs/protocol.md, "On Redis". At the first call of a process it cannot: see
 * docs/stores/redis.md, "Limits", for the settings that keep a client from sending late.
 */

const oldest = await packagesOf('test/oldest-sdk');
const OldestRedis = (oldest('ioredis') as { default: typeof Redis }).default ?? oldest('ioredis');
const { Redis: OldestUpstash } = oldest('@upstash/redis') as { Redis: typeof UpstashRedis };

const { server, client: direct } = await ownEngine('redis');

/** The fault of the next request that has this text in it, and whether the server is gone afterwards. */
let next: { readonly of: string; readonly fault: TcpFault; readonly isGone: boolean } | undefined;
const passed: string[] = [];
/** The request that was struck last. */
let struck = '';
const proxy = await startTcpFaultProxy(server.port, (request) => {
  if (!next || !request.includes(next.of)) {
    passed.push(request);
    return undefined;
  }
  const { fault, isGone } = next;
  next = undefined;
  struck = request;
  if (isGone) proxy.goAway();
  return fault;
});
const bridge = await startUpstashBridge({ redisPort: server.port });
afterAll(() => Promise.all([proxy.stop(), bridge.stop()]));

/** Whether the acquire of an attempt has gone through to Redis. Only an acquire says who asks. */
const hasPassed = ({ attemptId }: Claim) =>
  passed.some((request) => request.includes(attemptId) && request.includes('lockedBy'));

/** The calls of one process: they share a clock, so that each knows the server's time from the one before. */
function callsOfOneProcess() {
  const clock = shiftedClock(0);
  return (budgetMs = 20_000): StoreCall => ({ ...storeCall(clock), tryMs: 20_000, budgetMs });
}

type Client = RedisStoreOptions['client'];

interface Connected {
  readonly client: Client;
  /** Makes the client keep the next request that has this text in it, until `send`. */
  keep(text: string): unknown;
  /** Lets the client send what it has kept. Resolves when all of that was answered. */
  send(): Promise<unknown>;
}

/** Resolves at `ready`. `once` of node:events would reject if a try to connect fails first. */
const ready = (client: { once(event: 'ready', listener: () => void): unknown }) =>
  new Promise<void>((resolve) => client.once('ready', resolve));

const ioredis = (Its: typeof Redis, options: object) => async (): Promise<Connected> => {
  const client = new Its({ port: proxy.port, retryStrategy: () => 50, ...options });
  client.on('error', () => undefined);
  onTestFinished(() => client.disconnect());
  await ready(client);
  return {
    client,
    keep(text) {
      next = { of: text, fault: 'drop-request', isGone: true };
    },
    async send() {
      // If the machine stood still, the call is over before the proxy has read its request.
      await vi.waitUntil(() => next === undefined, 60_000);
      await Promise.all([ready(client), proxy.comeBack()]);
      await client.ping();
    },
  };
};

const FILLER = 'x'.repeat(16 * 1_048_576);

/** node-redis keeps commands while its connection takes no more data, if other commands are before them. */
async function nodeRedis(): Promise<Connected> {
  const client = createClient({ socket: { host: '127.0.0.1', port: proxy.port, reconnectStrategy: 50 } });
  client.on('error', () => undefined);
  onTestFinished(() => client.destroy());
  await client.connect();
  return {
    client,
    async keep() {
      next = { of: 'filler', fault: 'stall', isGone: false };
      for (let n = 0; n < 50; n++) client.set('filler', n === 0 ? FILLER : '').catch(() => undefined);
      await vi.waitUntil(() => next === undefined, 60_000);
    },
    async send() {
      proxy.goAway();
      await proxy.comeBack();
      await client.ping();
    },
  };
}

const CLIENTS: [string, () => Promise<Connected>][] = [
  ['ioredis as it comes', ioredis(Redis, {})],
  ['ioredis 5.0 as it comes', ioredis(OldestRedis, {})],
  ['ioredis as BullMQ has it', ioredis(Redis, { maxRetriesPerRequest: null, enableReadyCheck: false })],
  ['node-redis over a connection that takes no more', nodeRedis],
];

describe.each(CLIENTS)('F124 row 137: what %s keeps until its call is over', (name, connect) => {
  test('takes no lock, and the tick runs when it is tried again', async () => {
    const { client, keep, send } = await connect();
    const [store, call] = [redisStore({ client }), callsOfOneProcess()];
    const lock = `kept by ${name}`;
    const [warm, kept] = [claim({ name: lock }), claim({ name: lock, tickMs: Date.UTC(2026, 0, 1) })];
    await store.release(await grant(store, warm, call()), done, call());

    await keep(kept.attemptId);
    await expect(store.acquire(kept, call(300))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await send();

    expect(hasPassed(kept)).toBe(true);
    expect(await direct.hget(`lock:${lock}`, 'state')).toBe('released');
    const again = claim({ name: lock, tickMs: Date.UTC(2026, 0, 1) });
    expect(await store.acquire(again, call())).toMatchObject({ status: 'acquired' });
  });

  test('extends no lease, and what a release says is written', async () => {
    const { client, keep, send } = await connect();
    const [store, call] = [redisStore({ client }), callsOfOneProcess()];
    const lock = `extended by ${name}`;
    const lease = await grant(store, claim({ name: lock, tickMs: Date.UTC(2026, 0, 1) }), call());
    await store.extend(lease, { leaseMs: 60_000 }, call());
    const before = await direct.hget(`lock:${lock}`, 'lockUntil');

    await keep(lease.attemptId);
    await expect(store.extend(lease, { leaseMs: 600_000 }, call(300))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await send();
    expect(await direct.hget(`lock:${lock}`, 'lockUntil')).toBe(before);

    await keep(lease.attemptId);
    await expect(store.release(lease, done, call(300))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await send();
    expect(await direct.hmget(`lock:${lock}`, 'state', 'doneTick')).toEqual(['released', String(lease.tickMs)]);
  });
});

/** Clients at the first call of a process, and what becomes of an acquire that they send late. */
const AT_FIRST: [string, () => Promise<Connected>, answer: string, state: string][] = [
  // This client resends the acquire, and the library cannot know that there were two requests.
  ['ioredis as it comes', ioredis(Redis, {}), 'granted', 'held'],
  ['ioredis that is told', ioredis(Redis, SENDS_ONCE), 'refused', 'free'],
  ['node-redis as it comes', nodeRedis, 'refused', 'free'],
];

describe.each(AT_FIRST)('F5 F6 an acquire of %s at the first call of a process', (name, connect, answer, state) => {
  test('that was lost, and comes when another has had the lock and given it back', async () => {
    const { client } = await connect();
    const [holders, mine] = [redisStore({ client: direct }), redisStore({ client })];
    const lock = `late by ${name}`;
    // From here on, both clients know that Redis has the script.
    await grant(mine, claim({ name: `${lock}, before` }));
    const held = await grant(holders, claim({ name: lock }));

    next = { of: '', fault: 'drop-request', isGone: false };
    expect(await mine.acquire(claim({ name: lock }), call())).toMatchObject({ status: 'refused', reason: 'locked' });
    expect(await holders.release(held, done, call())).toBe('released');

    expect(await sent(struck)).toMatch(new RegExp(`\\n\\["${answer}",`));
  });

  test('that was given up while Redis was away', async () => {
    const { client, send } = await connect();
    const store = redisStore({ client });
    const lock = `given up by ${name}`;
    await grant(store, claim({ name: `${lock}, before` }));

    proxy.goAway();
    const lost = store.acquire(claim({ name: lock }), { ...call(), tryMs: 200, budgetMs: 600 });
    await expect(lost).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await send();

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

describe.each<[string, () => UpstashRedis]>([
  ['as it comes', () => new UpstashRedis({ url: bridge.url, token: bridge.token })],
  ['one by one', () => new UpstashRedis({ url: bridge.url, token: bridge.token, enableAutoPipelining: false })],
  ['1.34 as it comes', () => new OldestUpstash({ url: bridge.url, token: bridge.token })],
])('F124 what @upstash/redis %s sends again after its call is over', (name, make) => {
  test('takes no lock, and the tick runs when it is tried again', async () => {
    const [store, call] = [upstashStore({ redis: make() }), callsOfOneProcess()];
    const lock = `kept by Upstash ${name}`;
    await store.release(await grant(store, claim({ name: lock }), call()), done, call());
    const kept = claim({ name: lock });
    const isOf = (verb: string) => (request: { readonly body: unknown }) =>
      upstashVerbOf(request.body) === verb && upstashAttemptOf(request.body) === kept.attemptId;

    bridge.inject('drop-request', { when: isOf('acquire'), times: 3 });
    bridge.inject('drop-request', { when: isOf('cancel'), times: Number.POSITIVE_INFINITY });
    await expect(store.acquire(kept, call(200))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await vi.waitFor(() => expect(bridge.requests().filter(isOf('acquire')).length).toBe(4), 60_000);

    expect(await store.acquire(claim({ name: lock }), call())).toMatchObject({ status: 'acquired' });
  });
});
