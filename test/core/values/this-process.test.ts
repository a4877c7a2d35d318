import { hostname } from 'node:os';
import { beforeEach, expect, test, vi } from 'vitest';
import { thisProcess } from '../../../src/core/values/environment.js';

beforeEach(() => {
  vi.stubEnv('HOSTNAME', undefined);
});

test('row 44: names the process by its id and its host', () => {
  expect(thisProcess()).toBe(`process ${process.pid} on ${hostname()}`);
});

test.each<[string, unknown]>([
  ['gives no modules away', undefined],
  ['has no such module', () => undefined],
  ['forbids to read it, as Deno does', () => ({ hostname: () => expect.unreachable() })],
])('row 44: names the process by its id alone where the platform %s', (_, getBuiltinModule) => {
  vi.stubGlobal('process', { pid: 7, env: {}, getBuiltinModule });
  const said = thisProcess();
  vi.unstubAllGlobals();

  expect(said).toBe('process 7');
});

test.each<[string, unknown]>([
  ['no process at all, as on an edge runtime', undefined],
  ['a process without an id, as a bundler puts there', { env: {} }],
])('row 65: says so where there is %s', (_, stub) => {
  vi.stubGlobal('process', stub);
  const said = thisProcess();
  vi.unstubAllGlobals();

  expect(said).toBe('a process');
});

test('row 44: names the container or pod that it runs in, where the environment has its name', () => {
  vi.stubEnv('HOSTNAME', 'worker-7d9f');

  expect(thisProcess()).toBe(`process ${process.pid} on worker-7d9f`);
});

test('F89 shows nothing else of the environment', () => {
  vi.stubEnv('DATABASE_PASSWORD', 'hunter2');

  expect(thisProcess()).toBe(`process ${process.pid} on ${hostname()}`);
});
