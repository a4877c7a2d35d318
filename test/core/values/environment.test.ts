import { hostname } from 'node:os';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { environmentVariable, thisProcess } from '../../../src/core/values/environment.js';

afterEach(() => vi.unstubAllGlobals());

test('reads a variable of the environment', () => {
  vi.stubEnv('SINGLE_EXECUTION_TEST', 'yes');

  expect(environmentVariable('SINGLE_EXECUTION_TEST')).toBe('yes');
  expect(environmentVariable('SINGLE_EXECUTION_ABSENT')).toBeUndefined();
});

test.each<[string, unknown]>([
  ['no process', undefined],
  ['a process without an environment', {}],
])('row 65: finds none where there is %s', (_, stub) => {
  vi.stubGlobal('process', stub);

  expect(environmentVariable('HOME')).toBeUndefined();
});

test('row 65: a variable that may not be seen, as on Deno without a permission, stops no run', () => {
  const env = new Proxy(
    {},
    {
      get: () => {
        throw new Error('NotCapable');
      },
    },
  );
  vi.stubGlobal('process', { env });

  expect(environmentVariable('HOME')).toBeUndefined();
});

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

test.each(['0.0.0.0', '127.0.0.1', '::', '[::1]', 'localhost'])(
  'row 174: HOSTNAME=%s is no name of a host',
  (address) => {
    vi.stubEnv('HOSTNAME', address);

    expect(thisProcess()).toBe(`process ${process.pid} on ${hostname()}`);
  },
);

test('F89 shows nothing else of the environment', () => {
  vi.stubEnv('DATABASE_PASSWORD', 'hunter2');

  expect(thisProcess()).toBe(`process ${process.pid} on ${hostname()}`);
});
