import { afterEach, expect, test, vi } from 'vitest';
import { environmentVariable } from '../../../src/core/values/environment.js';

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
