import { expect, test } from 'vitest';
import { setVariables } from '../../infra/constructs/lock-environment.js';
import { ownFunction } from './digest.js';
import { appStack, propertiesOf, templateOf } from './synthesised.js';

// single-execution-function.test.ts has the variables that are refused.
test.each<[string, Record<string, string>]>([
  ['with other variables', { MAILER: 'https://mail.example' }],
  ['that has one of them, of the same value', { LOCK_TABLE: 'locks' }],
])('a function %s gets the missing ones', (_, environment) => {
  const wanted = { LOCK_TABLE: 'locks', LOCK_AT_LEAST_FOR: 'PT1M' };
  const fn = ownFunction(appStack(), 'Mine', { environment });
  setVariables(fn, wanted);
  const [{ Environment }] = propertiesOf(templateOf(fn.stack), 'AWS::Lambda::Function');

  expect(Environment.Variables).toEqual({ ...environment, ...wanted });
});
