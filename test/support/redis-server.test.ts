import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type RedisServer, startRedisServer } from './redis-server.js';
import { connectRedis, type Reply } from './resp.js';

let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.stop());

const readable = (reply: Reply | undefined): unknown =>
  Buffer.isBuffer(reply) ? reply.toString() : Array.isArray(reply) ? reply.map(readable) : reply;

async function ask(port: number, ...commands: string[][]): Promise<unknown[]> {
  const connection = await connectRedis(port);
  try {
    return (await connection.send(commands)).map(readable);
  } finally {
    connection.close();
  }
}

async function refusesConnections(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  try {
    await once(socket, 'connect');
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
  } finally {
    socket.destroy();
  }
}

test('answers at the address that it gives', async () => {
  expect(server.url).toBe(`redis://${server.host}:${server.port}`);
  expect(await ask(server.port, ['PING'])).toEqual(['PONG']);
});

test('keeps its data in memory only, empty at first, on the loopback only', async () => {
  const settings = ['save', 'appendonly', 'bind'].map((name) => ['CONFIG', 'GET', name]);

  expect(await ask(server.port, ['DBSIZE'], ...settings)).toEqual([
    0,
    ['save', ''],
    ['appendonly', 'no'],
    ['bind', '127.0.0.1'],
  ]);
});

test('every kind of reply is read, also one that comes in many packets', async () => {
  const long = 'é'.repeat(300_000);
  const nested = 'return {1, false, "a", {"b", {}}, redis.status_reply("FINE")}';

  expect(
    await ask(
      server.port,
      ['SET', 'long', long],
      ['GET', 'long'],
      ['GET', 'none'],
      ['EVAL', nested, '0'],
      ['NONSENSE'],
    ),
  ).toEqual([
    'OK',
    long,
    null,
    [1, null, 'a', ['b', []], 'FINE'],
    { error: expect.stringMatching(/^ERR unknown command 'NONSENSE'/) },
  ]);
});

test('tells those who wait for a reply that the server has gone', async () => {
  const another = await startRedisServer();
  const connection = await connectRedis(another.port);
  const waiting = expect(connection.send([['BLPOP', 'nothing', '0']])).rejects.toThrow('broke');

  await another.stop();

  await waiting;
  await expect(connection.send([['PING']])).rejects.toThrow('closed');
});

test('several run side by side, and one that is stopped takes no other with it', async () => {
  const [first, second] = await Promise.all([startRedisServer(), startRedisServer()]);
  expect(first.port).not.toBe(second.port);

  await first.stop();
  await first.stop();

  expect(await refusesConnections(first.port)).toBe(true);
  expect(await ask(second.port, ['PING'])).toEqual(['PONG']);
  await second.stop();
});

test('ends with the process that started it, even by kill -9', async () => {
  const started = `
    import { startRedisServer } from ${JSON.stringify(new URL('./redis-server.ts', import.meta.url).href)};
    console.log((await startRedisServer()).port);
    setInterval(() => {}, 60_000);`;
  const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', started], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(parent.stdout, 'data');
  const port = Number(String(line));
  expect(await ask(port, ['PING'])).toEqual(['PONG']);

  parent.kill('SIGKILL');

  await vi.waitUntil(() => refusesConnections(port), 10_000);
});

test('names the remedy where redis-server is not installed', async () => {
  vi.stubEnv('PATH', '/nowhere');

  await expect(startRedisServer()).rejects.toThrow('apt-get install redis-server');
});
