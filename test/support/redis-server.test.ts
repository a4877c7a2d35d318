import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { connectedTo, type RedisServer, startRedisServer } from './redis-server.js';

let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.stop());

async function ask(port: number, command: string, ...args: string[]): Promise<unknown> {
  const redis = await connectedTo(port);
  return redis.call(command, ...args).finally(() => redis.disconnect());
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
  expect(await ask(server.port, 'PING')).toBe('PONG');
});

test.each([
  ['save', ''],
  ['appendonly', 'no'],
  ['bind', '127.0.0.1'],
])('keeps its data in memory only, and listens on the loopback only: %s is %j', async (name, value) => {
  expect(await ask(server.port, 'CONFIG', 'GET', name)).toEqual([name, value]);
});

test('several run side by side, and one that is stopped takes no other with it', async () => {
  const [first, second] = await Promise.all([startRedisServer(), startRedisServer()]);
  expect(first.port).not.toBe(second.port);

  await first.stop();
  await first.stop();

  expect(await refusesConnections(first.port)).toBe(true);
  expect(await ask(second.port, 'PING')).toBe('PONG');
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
  expect(await ask(port, 'PING')).toBe('PONG');

  parent.kill('SIGKILL');

  await vi.waitUntil(() => refusesConnections(port), 60_000);
});

test('names the remedy where redis-server is not installed', async () => {
  vi.stubEnv('PATH', '/nowhere');

  await expect(startRedisServer()).rejects.toThrow('apt-get install redis-server');
});
