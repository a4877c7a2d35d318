import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test, vi } from 'vitest';
import { startRedisServer } from './redis-server.js';

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
  expect(await refusesConnections(port)).toBe(false);

  parent.kill('SIGKILL');

  await vi.waitUntil(() => refusesConnections(port), 60_000);
});

test('names the remedy where redis-server is not installed', async () => {
  vi.stubEnv('PATH', '/nowhere');

  await expect(startRedisServer()).rejects.toThrow('apt-get install redis-server');
});
