import { createClient } from 'redis';
import { executeWithLock } from 'single-execution';
import { redisStore } from 'single-execution/redis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ownEngine } from '../../support/backends/stage.js';

/* A client of node-redis without a listener for `error` ends the process when its connection breaks. */

const { server } = await ownEngine('redis');

async function warningsOf(listens: boolean): Promise<string[]> {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  onTestFinished(() => warned.mockRestore());
  const client = createClient({ url: server.url });
  if (listens) client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.destroy());
  const options = { name: 'listener', store: redisStore({ client }), lockAtMostFor: '1m', observers: [] } as const;
  await executeWithLock(() => undefined, options);
  await executeWithLock(() => undefined, options);
  return warned.mock.calls.map(([line]) => String(line));
}

test('a client of node-redis without a listener for errors is warned of once, with the remedy', async () => {
  expect(await warningsOf(false)).toEqual([expect.stringContaining("add client.on('error', …)")]);
});

test('a client of node-redis that listens for errors is not warned of', async () => {
  expect(await warningsOf(true)).toEqual([]);
});
