import { expect, test, vi } from 'vitest';
import { thisProcess } from '../../../src/core/values/this-process.js';

test('row 44: names the process by its id', () => {
  expect(thisProcess()).toBe(`process ${process.pid}`);
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

test('row 44: and the container or pod that it runs in, where that has a name', () => {
  vi.stubEnv('HOSTNAME', 'worker-7d9f');

  expect(thisProcess()).toBe(`process ${process.pid} on worker-7d9f`);
});

test('F89 tells nothing else of the environment', () => {
  vi.stubEnv('DATABASE_PASSWORD', 'hunter2');

  expect(thisProcess()).toMatch(/^process \d+$/);
});
